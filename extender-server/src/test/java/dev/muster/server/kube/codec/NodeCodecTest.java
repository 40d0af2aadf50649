package dev.muster.server.kube.codec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.fit.LastingRules;
import dev.muster.core.fit.MemberRequirements;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.NodeSelection;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Requirement;
import dev.muster.core.gang.Requirement.Operator;
import dev.muster.core.gang.Resources;
import dev.muster.core.gang.Taint;
import dev.muster.core.node.GpuModel;
import dev.muster.core.node.GpuModel.Kind;
import dev.muster.core.node.Node;
import dev.muster.server.kube.Yaml;
import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.kube.client.Quantities;
import dev.muster.server.kube.client.ReadResult;
import dev.muster.server.kube.dra.NodeGpus;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NodeCodecTest {
  private static final NodeCodec CODEC =
      new NodeCodec(
          List.of("nvidia.com/gpu", "amd.com/gpu"), Set.of("GpuXidError"), _ -> NodeGpus.NONE);

  private static Node read(String yaml) {
    return read(Yaml.node(yaml));
  }

  private static Node labelled(String labels, String resource) {
    return read(
        """
        metadata: {name: n, labels: {%s}}
        status:
          allocatable: {%s: "4"}
          conditions: [{type: Ready, status: "True"}]
        """
            .formatted(labels, resource));
  }

  @Test
  void reads_all_fields_of_a_node() {
    Node node = read(Yaml.file("node-h100.yaml"));

    assertThat(node.id()).isEqualTo(new NodeId("gpu-07"));
    assertThat(node.allocatable().asMap())
        .isEqualTo(
            Map.of(
                "cpu",
                191_500L,
                "memory",
                1979L << 30,
                "ephemeral-storage",
                1L << 40,
                "hugepages-2Mi",
                64L << 20,
                "nvidia.com/gpu",
                8L,
                "pods",
                110L));
    assertThat(node.gpus()).isEqualTo(8);
    assertThat(node.model())
        .isEqualTo(new GpuModel("NVIDIA-H100-80GB-HBM3", Kind.WHOLE, 81559, "570.124.06"));
    assertThat(node.labels()).containsEntry("network.topology.nvidia.com/leaf", "leaf-3");
    assertThat(node.taints())
        .containsExactly(
            new Taint("nvidia.com/gpu", "present", Taint.Effect.NO_SCHEDULE),
            new Taint("node.kubernetes.io/unschedulable", "", Taint.Effect.NO_SCHEDULE));
    assertThat(node.cordoned()).isTrue();
    assertThat(node.faults()).containsExactly("GpuXidError");
  }

  private static io.fabric8.kubernetes.api.model.Node saying(String freeGpus) {
    return Yaml.node(
        "metadata: {name: n, annotations: {muster.dev/free-gpus: \"%s\"}}".formatted(freeGpus));
  }

  private static Node read(io.fabric8.kubernetes.api.model.Node node) {
    return switch (CODEC.read(node)) {
      case ReadResult.Good<Node>(Node read) -> read;
      case ReadResult.Bad<Node>(ObjectProblem problem) -> throw new AssertionError(problem);
    };
  }

  @Test
  void reads_free_gpus() {
    assertThat(read(saying("0, 5,2")).freeGpus()).hasValue(new TreeSet<>(List.of(0, 2, 5)));
    assertThat(read(saying("")).freeGpus()).hasValue(new TreeSet<>());
    assertThat(read("metadata: {name: n}").freeGpus()).isEmpty();
    assertThat(CODEC.problem(saying("0,2,5"))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0,x", "1,1", "-1", "0,,1", "99999999999", "0;1"})
  void invalid_free_gpus_are_reported_and_the_node_is_used(String list) {
    assertThat(read(saying(list)).freeGpus()).isEmpty();
    assertThat(CODEC.problem(saying(list)).orElseThrow().message())
        .contains("muster.dev/free-gpus", list, "and is ignored");
  }

  private static Node sliced(String annotation, String allocatable) {
    NodeGpus gpus =
        new NodeGpus(
            Resources.of("nvidia.com/gpu", 4),
            Optional.of(new TreeSet<>(List.of(1, 3))),
            new GpuModel("NVIDIA-H100-80GB-HBM3", Kind.WHOLE, 81559, "570.124.6"));
    NodeCodec codec = new NodeCodec(List.of("nvidia.com/gpu"), Set.of(), _ -> gpus);
    String yaml =
        """
        metadata: {name: n, labels: {nvidia.com/cuda.driver-version.full: 570.99}%s}
        status: {allocatable: {cpu: "64"%s}}
        """
            .formatted(annotation, allocatable);
    return switch (codec.read(Yaml.node(yaml))) {
      case ReadResult.Good<Node>(Node read) -> read;
      case ReadResult.Bad<Node>(ObjectProblem problem) -> throw new AssertionError(problem);
    };
  }

  @Test
  void node_without_device_plugin_has_the_gpus_of_its_slices() {
    Node node = sliced("", "");

    assertThat(node.gpus()).isEqualTo(4);
    assertThat(node.allocatable().get("nvidia.com/gpu")).isEqualTo(4);
    assertThat(node.allocatable().get("cpu")).isEqualTo(64_000);
    assertThat(node.freeGpus()).hasValue(new TreeSet<>(List.of(1, 3)));
    assertThat(node.model())
        .as("labels first")
        .isEqualTo(new GpuModel("NVIDIA-H100-80GB-HBM3", Kind.WHOLE, 81559, "570.99"));
    assertThat(sliced("", ", nvidia.com/gpu: 0").gpus()).as("plugin gone").isEqualTo(4);
  }

  @Test
  void device_plugin_and_annotation_precede_the_slices() {
    assertThat(sliced("", ", nvidia.com/gpu: 3").gpus()).isEqualTo(3);
    assertThat(sliced(", annotations: {muster.dev/free-gpus: \"0\"}", "").freeGpus())
        .hasValue(new TreeSet<>(List.of(0)));
  }

  @Test
  void heartbeat_alone_gives_an_equal_node() {
    String yaml = Yaml.file("node-h100.yaml");

    assertThat(read(yaml.replace("10:00:00Z", "10:00:10Z"))).isEqualTo(read(yaml));
    assertThat(read(yaml.replace("leaf-3", "leaf-4"))).isNotEqualTo(read(yaml));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          nvidia.com/gpu.product: Tesla-T4, nvidia.com/gpu.sharing-strategy: time-slicing         | SHARED
          nvidia.com/gpu.product: Tesla-T4, nvidia.com/gpu.sharing-strategy: mps                  | SHARED
          nvidia.com/gpu.product: Tesla-T4, nvidia.com/gpu.replicas: "10"                         | SHARED
          nvidia.com/gpu.product: Tesla-T4-SHARED                                                 | SHARED
          nvidia.com/gpu.product: A100-SXM4-40GB-MIG-1g.5gb, nvidia.com/mig.strategy: single      | SLICE
          nvidia.com/gpu.product: A100-SXM4-40GB, nvidia.com/mig.strategy: single                 | WHOLE
          nvidia.com/gpu.product: A100-SXM4-40GB, nvidia.com/mig.strategy: mixed                  | WHOLE
          cloud.google.com/gke-accelerator: nvidia-l4                                             | WHOLE
          cloud.google.com/gke-gpu-sharing-strategy: time-sharing                                 | SHARED
          cloud.google.com/gke-max-shared-clients-per-gpu: "4"                                    | SHARED
          cloud.google.com/gke-gpu-partition-size: 1g.5gb                                         | SLICE
          """)
  void distinguishes_whole_gpus_from_parts(String labels, Kind kind) {
    assertThat(labelled(labels, "nvidia.com/gpu").model().kind()).isEqualTo(kind);
  }

  /// Returns the veto of a node with mixed strategy for a pod that requests this resource.
  private static Optional<Veto> veto(String asked, String allocatable) {
    List<String> names =
        List.of("nvidia.com/gpu", "nvidia.com/mig-1g.10gb", "nvidia.com/gpu.shared");
    String labels = "nvidia.com/gpu.product: H100, nvidia.com/mig.strategy: mixed";
    if (allocatable.contains("shared")) {
      labels = "nvidia.com/gpu.product: H100, nvidia.com/gpu.replicas: \"4\"";
    }
    Node node =
        switch (new NodeCodec(names, Set.of(), _ -> NodeGpus.NONE)
            .read(
                Yaml.node(
                    """
                    metadata: {name: n, labels: {%s}}
                    status:
                      allocatable: {%s}
                      conditions: [{type: Ready, status: "True"}]
                    """
                        .formatted(labels, allocatable)))) {
          case ReadResult.Good<Node>(Node read) -> read;
          case ReadResult.Bad<Node>(ObjectProblem problem) -> throw new AssertionError(problem);
        };
    Request request = Request.of(Resources.of(asked, 1), 1);
    return LastingRules.veto(
        new MemberRequirements(request, GpuModelPreference.ANY, Optional.empty()), node);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          nvidia.com/mig-1g.10gb | nvidia.com/mig-1g.10gb: "7"
          nvidia.com/mig-1g.10gb | nvidia.com/mig-1g.10gb: "7", nvidia.com/gpu: "3"
          nvidia.com/gpu         | nvidia.com/mig-1g.10gb: "7", nvidia.com/gpu: "3"
          nvidia.com/gpu.shared  | nvidia.com/gpu.shared: "8", nvidia.com/gpu: "0"
          """)
  void resource_offered_by_name_can_be_requested_by_name(String asked, String allocatable) {
    assertThat(veto(asked, allocatable)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cloud.google.com/gke-gpu-sharing-strategy",
        "cloud.google.com/gke-max-shared-clients-per-gpu",
        "cloud.google.com/gke-gpu-partition-size"
      })
  void selector_for_gpu_parts_of_gke_is_honoured(String label) {
    Node node = labelled(label + ": \"2\"", "nvidia.com/gpu");
    Requirement chosen = new Requirement(label, Operator.IN, List.of("2"));
    NodeSelection selection = new NodeSelection(List.of(chosen), List.of(), List.of());

    assertThat(LastingRules.veto(asking(NodeSelection.ANY), node)).isPresent();
    assertThat(LastingRules.veto(asking(selection), node)).isEmpty();
  }

  private static MemberRequirements asking(NodeSelection selection) {
    Resources one = Resources.of("nvidia.com/gpu", 1);
    return new MemberRequirements(
        new Request(one, 1, 0, selection, false), GpuModelPreference.ANY, Optional.empty());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          cloud.google.com/gke-accelerator: nvidia-h100-80gb      | H100
          karpenter.k8s.aws/instance-gpu-name: a10g               | A10G
          eks.amazonaws.com/instance-gpu-name: h100               | H100
          karpenter.azure.com/sku-gpu-name: A100                  | A100
          k8s.amazonaws.com/accelerator: nvidia-tesla-v100        | V100
          amd.com/gpu.product-name: AMD_Instinct_MI300X_OAM       | MI300X
          """)
  void reads_the_model_from_cloud_labels(String labels, String asked) {
    Node node = labelled(labels, "nvidia.com/gpu");

    assertThat(new GpuModelPreference(List.of(asked), false).accepts(node.model().name())).isTrue();
  }

  @Test
  void gpu_label_precedes_the_cloud_label() {
    Node node =
        labelled(
            "karpenter.k8s.aws/instance-gpu-name: h100, nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3",
            "nvidia.com/gpu");

    assertThat(node.model().name()).isEqualTo("NVIDIA-H100-80GB-HBM3");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"karpenter.k8s.aws/instance-gpu-memory", "eks.amazonaws.com/instance-gpu-memory"})
  void reads_the_memory_from_aws_labels(String label) {
    assertThat(labelled(label + ": \"81920\"", "nvidia.com/gpu").model().memoryMib())
        .isEqualTo(81_920);
  }

  /// An autoscaler needs the label, whatever it says; a vendor's name is no model.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "k8s.amazonaws.com/accelerator: \"true\"",
        "k8s.amazonaws.com/accelerator: vgpu",
        "kubernetes.azure.com/accelerator: nvidia"
      })
  void label_without_a_model_is_ignored(String labels) {
    assertThat(labelled(labels, "nvidia.com/gpu").model()).isEqualTo(GpuModel.UNKNOWN);
  }

  @Test
  void reads_amd_labels() {
    Node node =
        labelled(
            "amd.com/gpu.product-name: AMD_Instinct_MI300X_OAM, amd.com/gpu.vram: 192G",
            "amd.com/gpu");

    assertThat(node.gpus()).isEqualTo(4);
    assertThat(node.model())
        .isEqualTo(new GpuModel("AMD_Instinct_MI300X_OAM", Kind.WHOLE, 192 * 1024, ""));
  }

  @Test
  void node_without_ready_condition_is_not_ready() {
    assertThat(read("metadata: {name: fresh}").faults()).containsExactly("NotReady");
    assertThat(
            read("""
            metadata: {name: lost}
            status: {conditions: [{type: Ready, status: Unknown}, {type: Odd, status: "True"}]}
            """)
                .faults())
        .containsExactly("NotReady");
  }

  @Test
  void malformed_node_is_a_problem_of_its_own() {
    var read = CODEC.read(Yaml.node("metadata: {name: n}\nstatus: {allocatable: {cpu: lots}}"));

    assertThat(read)
        .isInstanceOfSatisfying(
            ReadResult.Bad.class, bad -> assertThat(bad.problem().object().name()).isEqualTo("n"));
  }

  @Test
  void excessive_quantities_are_capped_against_overflow() {
    Node node =
        read("metadata: {name: n}\nstatus: {allocatable: {memory: 1e40, cpu: 1e-40, pods: -3}}");

    assertThat(node.allocatable().asMap()).isEqualTo(Map.of("memory", Quantities.MOST, "cpu", 1L));
  }
}
