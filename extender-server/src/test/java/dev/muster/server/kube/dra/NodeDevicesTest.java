package dev.muster.server.kube.dra;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.gang.Resources;
import dev.muster.core.node.GpuModel;
import dev.muster.server.kube.DeviceScene;
import dev.muster.server.kube.Yaml;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/// Nodes offer GPUs by their slices.
class NodeDevicesTest extends DeviceScene {
  @Test
  void node_has_the_whole_gpus_of_its_slices() {
    assertThat(slice("s", Yaml.file("slice-h100.yaml"))).containsExactly(NODE);

    assertThat(devices.of(NODE))
        .isEqualTo(
            new NodeGpus(
                Resources.of(GPU, 2),
                Optional.of(new TreeSet<>(Set.of(0, 1))),
                new GpuModel("NVIDIA-H100-80GB-HBM3", GpuModel.Kind.WHOLE, 81559, "570.124.6")));
    assertThat(devices.of("gpu-08")).isEqualTo(NodeGpus.NONE);
  }

  @Test
  void gpu_is_free_before_and_after_its_claim() {
    slice("s", Yaml.file("slice-h100.yaml"));

    assertThat(allocated("c", "p", "gpu-1")).as("nodes to look at").containsExactly(NODE);
    assertThat(devices.of(NODE).free()).contains(new TreeSet<>(Set.of(0)));
    assertThat(devices.of(NODE).offered()).isEqualTo(Resources.of(GPU, 2));
    assertThat(allocated("c", "p", "gpu-1")).as("no news").isEmpty();
    assertThat(devices.claim("ml/c", Optional.empty()).orElseThrow()).containsExactly(NODE);
    assertThat(devices.of(NODE).free()).contains(new TreeSet<>(Set.of(0, 1)));
  }

  @Test
  void admin_access_claim_takes_no_gpu() {
    slice("s", Yaml.file("slice-h100.yaml"));
    claim(
        "monitor",
        """
        metadata: {namespace: ml, name: monitor}
        status:
          allocation: {devices: {results: [{request: all, driver: gpu.nvidia.com, pool: gpu-07, device: gpu-0, adminAccess: true}]}}
        """);

    assertThat(devices.of(NODE).free()).contains(new TreeSet<>(Set.of(0, 1)));
    assertThat(claimed(pod("p", "resourceClaimName: monitor", ""))).isEqualTo(Resources.NONE);
  }

  @Test
  void outdated_slices_and_incomplete_pools_offer_nothing() {
    slice("old", 1, 1, "gpu-0");
    slice("new-a", 2, 2, "gpu-0");
    assertThat(devices.of(NODE)).isEqualTo(NodeGpus.NONE);

    slice("new-b", 2, 2, "gpu-1");
    assertThat(devices.of(NODE).offered()).isEqualTo(Resources.of(GPU, 2));

    devices.slice("old", Optional.empty());
    assertThat(devices.slice("new-b", Optional.empty())).containsExactly(NODE);
    assertThat(devices.of(NODE)).isEqualTo(NodeGpus.NONE);
  }

  /// One slice of the pool holds what is of no single node, as counters that GPUs share.
  @Test
  void slices_without_a_node_complete_a_pool() {
    slice("s", 1, 2, "gpu-0");
    assertThat(devices.of(NODE)).isEqualTo(NodeGpus.NONE);

    assertThat(
            slice(
                "counters",
                """
                metadata: {name: counters}
                spec:
                  driver: gpu.nvidia.com
                  allNodes: true
                  pool: {name: gpu-07, generation: 1, resourceSliceCount: 2}
                  sharedCounters: [{name: gpu-0, counters: {memory: {value: 80Gi}}}]
                """))
        .as("nodes to look at")
        .containsExactly(NODE);
    assertThat(devices.of(NODE).offered()).isEqualTo(Resources.of(GPU, 1));
  }

  @Test
  void completed_pool_updates_all_its_nodes() {
    String yaml =
        """
        metadata: {name: %s}
        spec:
          driver: gpu.nvidia.com
          nodeName: %s
          pool: {name: rack, generation: 1, resourceSliceCount: 2}
          devices: [{name: %s}]
        """;
    assertThat(slice("a", yaml.formatted("a", "node-a", "gpu-0"))).containsExactly("node-a");

    assertThat(slice("b", yaml.formatted("b", "node-b", "gpu-1")))
        .containsExactly("node-a", "node-b");
    assertThat(devices.of("node-a").offered()).isEqualTo(Resources.of(GPU, 1));
    assertThat(slice("b", yaml.formatted("b", "node-b", "gpu-2"))).containsExactly("node-b");

    assertThat(devices.slice("b", Optional.empty())).containsExactly("node-a", "node-b");
    assertThat(devices.of("node-a")).isEqualTo(NodeGpus.NONE);
  }

  @Test
  void tainted_gpu_is_offered_to_no_pod_but_counts_while_in_use() {
    slice(
        "s",
        """
        metadata: {name: s}
        spec:
          driver: gpu.nvidia.com
          nodeName: gpu-07
          pool: {name: gpu-07, generation: 1, resourceSliceCount: 1}
          devices: [{name: gpu-0, taints: [{key: gpu.nvidia.com/xid, effect: NoSchedule}]}, {name: gpu-1}]
        """);
    assertThat(devices.of(NODE).offered()).isEqualTo(Resources.of(GPU, 1));

    allocated("c", "p", "gpu-0");
    assertThat(devices.of(NODE).offered()).isEqualTo(Resources.of(GPU, 2));
    assertThat(devices.of(NODE).free()).contains(new TreeSet<>(Set.of(1)));
  }

  @Test
  void partly_used_gpu_is_offered_to_no_pod() {
    slice(
        "s",
        """
        metadata: {name: s}
        spec:
          driver: gpu.nvidia.com
          nodeName: gpu-07
          pool: {name: gpu-07, generation: 1, resourceSliceCount: 1}
          devices:
          - {name: gpu-0, consumesCounters: [{counterSet: gpu-0, counters: {memory: {value: 80Gi}}}]}
          - {name: gpu-1, consumesCounters: [{counterSet: gpu-1, counters: {memory: {value: 80Gi}}}]}
          - {name: gpu-1-mig-0, attributes: {type: {string: mig}}, consumesCounters: [{counterSet: gpu-1, counters: {memory: {value: 10Gi}}}]}
        """);
    assertThat(devices.of(NODE).offered()).isEqualTo(Resources.of(GPU, 2));

    assertThat(allocated("c", "p", "gpu-1-mig-0")).containsExactly(NODE);
    assertThat(devices.of(NODE).offered()).isEqualTo(Resources.of(GPU, 1));
    assertThat(devices.of(NODE).free()).contains(new TreeSet<>(Set.of(0)));

    devices.claim("ml/c", Optional.empty());
    assertThat(devices.of(NODE).offered()).isEqualTo(Resources.of(GPU, 2));
  }

  @Test
  void devices_of_other_drivers_or_without_a_node_are_not_counted() {
    slice(
        "nic",
        "spec: {driver: dra.net, nodeName: gpu-07, pool: {name: p, generation: 1, resourceSliceCount: 1}, devices: [{name: nic-0}]}");
    slice(
        "anywhere",
        "spec: {driver: gpu.nvidia.com, allNodes: true, pool: {name: q, generation: 1, resourceSliceCount: 1}, devices: [{name: gpu-0}]}");

    assertThat(devices.of(NODE)).isEqualTo(NodeGpus.NONE);
  }
}
