package dev.muster.core.fit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.NodeSelection;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Requirement;
import dev.muster.core.gang.Requirement.Operator;
import dev.muster.core.gang.Resources;
import dev.muster.core.kit.Scene;
import dev.muster.core.node.GpuModel;
import dev.muster.core.node.Node;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LastingRulesTest {
  private static final String SLICE = "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb";

  @ParameterizedTest
  @CsvSource({
    "nvidia.com/gpu.product,          IN,     " + SLICE,
    "nvidia.com/gpu.sharing-strategy, IN,     mps",
    "cloud.google.com/gke-gpu-partition-size, EXISTS, ''",
    "cloud.google.com/gke-max-shared-clients-per-gpu, GT, 1",
  })
  void pod_that_selects_parts_of_gpus_gets_them(String key, Operator operator, String value) {
    assertThat(veto(requirement(key, operator, value))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "nvidia.com/gpu.product,          NOT_IN, Tesla-T4",
    "nvidia.com/gpu.product,          EXISTS, ''",
    "nvidia.com/gpu.memory,           GT,     1000",
    "nvidia.com/mig.strategy,         IN,     none",
    "cloud.google.com/gke-max-shared-clients-per-gpu, NOT_IN, 48",
  })
  void other_uses_of_part_labels_do_not_select_parts(String key, Operator operator, String value) {
    assertThat(veto(requirement(key, operator, value))).containsInstanceOf(Veto.NotWholeGpus.class);
  }

  @Test
  void alternative_that_does_not_match_selects_no_parts() {
    Requirement other = requirement("nvidia.com/gpu.product", Operator.IN, "Tesla-T4-SHARED");
    Requirement holds = requirement("nvidia.com/gpu.memory", Operator.EXISTS, "");

    assertThat(veto(other, holds)).containsInstanceOf(Veto.NotWholeGpus.class);
  }

  @Test
  void label_may_have_the_name_of_the_name_field() {
    Node node = Scene.node("n1", Map.of("metadata.name", "x"), 8, "H100", false);
    Requirement label = requirement("metadata.name", Operator.IN, "x");

    assertThat(LastingRules.veto(ask(label), node)).isEmpty();
  }

  private static Optional<Veto> veto(Requirement... alternatives) {
    return LastingRules.veto(ask(alternatives), sliced());
  }

  private static MemberRequirements ask(Requirement... alternatives) {
    Resources gpu = Resources.of(Map.of("nvidia.com/gpu", 1L));
    List<List<Requirement>> anyOf = Stream.of(alternatives).map(List::of).toList();
    NodeSelection selection = new NodeSelection(List.of(), anyOf, List.of());
    Request request = new Request(gpu, 1, 0, selection, false);
    return new MemberRequirements(request, GpuModelPreference.ANY, Optional.empty());
  }

  private static Requirement requirement(String key, Operator operator, String value) {
    return new Requirement(key, operator, value.isEmpty() ? List.of() : List.of(value));
  }

  private static Node sliced() {
    Node whole = Scene.node("n1", Map.of(), 7, "H100", false);
    TreeMap<String, String> labels = new TreeMap<>();
    labels.put("nvidia.com/gpu.product", SLICE);
    labels.put("nvidia.com/gpu.memory", "5120");
    labels.put("nvidia.com/gpu.sharing-strategy", "mps");
    labels.put("nvidia.com/mig.strategy", "none");
    labels.put("cloud.google.com/gke-gpu-partition-size", "1g.5gb");
    labels.put("cloud.google.com/gke-max-shared-clients-per-gpu", "2");
    GpuModel slice = new GpuModel(SLICE, GpuModel.Kind.SLICE, 5_120, "");
    return new Node(whole.id(), labels, whole.allocatable(), 7, slice, List.of(), false, List.of());
  }
}
