package dev.muster.server.kube.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Resources;
import dev.muster.core.node.NodeState;
import dev.muster.server.kube.Yaml;
import dev.muster.server.kube.client.Quantities;
import dev.muster.server.kube.codec.NodeCodec;
import dev.muster.server.kube.dra.NodeGpus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// However large the numbers of a pod or a node are, no sum of them changes its sign.
class HugeNumbersTest {
  private static final int MOST_PODS = 2_000_000;

  private final TenantWorld world = new TenantWorld(1);

  private static Pod bound(String name, String scheduler, String node, String gpus) {
    return TenantWorld.pod("ml", name, 0)
        .editSpec()
        .withSchedulerName(scheduler)
        .withNodeName(node)
        .editFirstContainer()
        .editResources()
        .withRequests(
            Map.of(TenantWorld.GPU, new Quantity(gpus), Resources.MEMORY, new Quantity("9e18")))
        .endResources()
        .endContainer()
        .endSpec()
        .withNewStatus()
        .withPhase(node.isEmpty() ? "Pending" : "Running")
        .endStatus()
        .build();
  }

  private NodeState node() {
    return world.cluster().nodes().get(new NodeId("node-0000")).orElseThrow();
  }

  private void threePods(String scheduler, String node) {
    for (String name : List.of("a", "b", "c")) {
      world.pod(bound(name, scheduler, node, "1073741823"));
    }
    world.step();
  }

  @Test
  void managed_pods_never_make_their_node_free() {
    threePods("default-scheduler", "node-0000");

    assertThat(node().freeGpus()).isZero();
    assertThat(node().free().get(TenantWorld.GPU)).isNegative();
  }

  @Test
  void unmanaged_pods_never_make_their_node_free() {
    threePods("other", "node-0000");

    assertThat(node().freeGpus()).isZero();
  }

  @Test
  void sum_over_the_containers_of_a_pod_is_cut_as_one_amount_is() {
    Pod pod = bound("a", "default-scheduler", "node-0000", "1");
    pod.getSpec().setContainers(Collections.nCopies(3, pod.getSpec().getContainers().getFirst()));
    world.pod(pod);
    world.step();

    assertThat(node().free().get(Resources.MEMORY)).isEqualTo((1L << 40) - Quantities.MOST);
  }

  @Test
  void node_is_as_free_as_before_when_they_are_gone() {
    threePods("default-scheduler", "node-0000");
    for (String name : List.of("a", "b", "c")) {
      world.gone("ml/" + name);
    }
    world.step();

    assertThat(node().freeGpus()).isEqualTo(2);
    assertThat(node().free().get(Resources.MEMORY)).isEqualTo(1L << 40);
  }

  @Test
  void queue_is_charged_for_pods_on_a_node_that_does_not_exist() {
    threePods("default-scheduler", "nowhere");

    assertThat(world.cluster().ledger().account("ml").inUse())
        .isEqualTo(3 * (Quantities.NODE_GPUS + 1));
  }

  @Test
  void sum_over_all_pods_of_a_cluster_fits_an_int() {
    int each = Quantities.podGpus(Resources.of("gpu", Long.MAX_VALUE), List.of("gpu"));

    assertThat((long) each * MOST_PODS).isLessThan(Integer.MAX_VALUE);
  }

  @Test
  void failed_pod_frees_its_node_whatever_its_grace_period() {
    Pod pod = bound("a", "default-scheduler", "node-0000", "2");
    world.pod(pod);
    world.step();
    assertThat(node().freeGpus()).isZero();

    world.pod(
        pod.edit()
            .editMetadata()
            .withDeletionTimestamp("2026-11-01T11:00:00Z")
            .withDeletionGracePeriodSeconds(Long.MAX_VALUE)
            .endMetadata()
            .editStatus()
            .withPhase("Failed")
            .endStatus()
            .build());
    world.step();
    assertThat(node().freeGpus()).isEqualTo(2);
  }

  @Test
  void node_with_too_many_gpus_counts_as_the_largest_node() {
    world.node("node-0001", "1073741824");
    world.step();

    assertThat(world.cluster().nodes().get(new NodeId("node-0001")).orElseThrow().freeGpus())
        .isEqualTo(Quantities.NODE_GPUS);
  }

  @Test
  void node_with_too_many_gpus_is_a_problem() {
    NodeCodec codec = new NodeCodec(List.of("nvidia.com/gpu"), Set.of(), _ -> NodeGpus.NONE);
    var node = Yaml.node("metadata: {name: n}\nstatus: {allocatable: {nvidia.com/gpu: '1600'}}");

    assertThat(codec.problem(node).orElseThrow().message())
        .isEqualTo("The node offers 1600 GPUs; Muster counts 1024 of them.");
  }

  @Test
  void pod_of_more_gpus_than_any_node_has_is_invalid() {
    world.node("node-0001", "1073741824");
    world.pod(bound("a", "default-scheduler", "", "1025"));
    world.step();

    assertThat(world.messages)
        .containsEntry("ml/a", "The pod requests 1025 GPUs; the limit is 1024.");
  }

  @Test
  void accelerators_of_several_kinds_do_not_overflow() {
    Resources both = Resources.of("a", Long.MAX_VALUE).plus(Resources.of("b", Long.MAX_VALUE));

    assertThat(Quantities.podGpus(both, List.of("a", "b"))).isEqualTo(Quantities.NODE_GPUS + 1);
  }
}
