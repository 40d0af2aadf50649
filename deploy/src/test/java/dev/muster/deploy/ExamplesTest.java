package dev.muster.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Each example would do what its first comment says.
class ExamplesTest {
  private static final String GROUP = "scheduling.x-k8s.io/pod-group";
  private static final Set<String> ANNOTATIONS =
      Set.of(
          "muster.dev/topology-required",
          "muster.dev/topology-preferred",
          "muster.dev/gpu-models",
          "muster.dev/mix-gpu-models");

  static Stream<String> examples() {
    return ShippedFiles.yamlFiles("examples").stream();
  }

  @ParameterizedTest
  @MethodSource("examples")
  void example_begins_with_its_purpose(String file) {
    assertThat(ShippedFiles.text(file)).startsWith("# ");
  }

  @ParameterizedTest
  @MethodSource("examples")
  void every_gang_has_as_many_pods_as_its_minimum(String file) {
    Map<String, Integer> wanted = new HashMap<>();
    Map<String, Integer> pods = new HashMap<>();
    for (JsonNode document : ShippedFiles.documents(file)) {
      if (document.path("kind").asText().equals("PodGroup")) {
        wanted.put(document.at("/metadata/name").asText(), document.at("/spec/minMember").asInt());
      }
      JsonNode group = document.at("/spec/template/metadata/labels").path(GROUP);
      if (group.isTextual()) {
        pods.merge(group.asText(), document.at("/spec/parallelism").asInt(1), Integer::sum);
      }
    }
    assertThat(pods).isEqualTo(wanted);
  }

  @ParameterizedTest
  @MethodSource("examples")
  void example_uses_only_annotations_that_muster_reads(String file) {
    for (JsonNode document : ShippedFiles.documents(file)) {
      assertThat(List.copyOf(document.at("/metadata/annotations").properties()))
          .extracting(Map.Entry::getKey)
          .isSubsetOf(ANNOTATIONS);
    }
  }
}
