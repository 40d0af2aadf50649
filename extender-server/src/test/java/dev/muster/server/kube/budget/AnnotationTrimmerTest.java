package dev.muster.server.kube.budget;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The annotations that are kept of an object take little memory, whatever anybody writes.
class AnnotationTrimmerTest {
  private static final String VICTIMS = "muster.dev/victims";
  private static final String LONG = "x".repeat(250_000);

  private static GenericKubernetesResource group(Map<String, String> annotations) {
    return new GenericKubernetesResourceBuilder()
        .withNewMetadata()
        .withNamespace("ml")
        .withName("train")
        .withAnnotations(new HashMap<>(annotations))
        .endMetadata()
        .addToAdditionalProperties("spec", Map.of("minMember", 2))
        .build();
  }

  private static GenericKubernetesResource trimmed(Map<String, String> annotations) {
    GenericKubernetesResource group = group(annotations);
    AnnotationTrimmer.trim(group, Set.of(VICTIMS));
    return group;
  }

  private static Map<String, String> kept(Map<String, String> annotations) {
    return trimmed(annotations).getMetadata().getAnnotations();
  }

  private static Map<String, String> many(String key, int count) {
    return IntStream.range(0, count)
        .boxed()
        .collect(Collectors.toMap(i -> key + i, _ -> "", (a, _) -> a, TreeMap::new));
  }

  @Test
  void annotations_that_are_read_are_kept() {
    Map<String, String> read =
        Map.of(
            "muster.dev/runtime",
            "2h",
            "kueue.x-k8s.io/podset-required-topology",
            "rack",
            "scheduling.k8s.io/group-name",
            "train",
            "leaderworkerset.sigs.k8s.io/group-index",
            "3",
            VICTIMS,
            LONG);

    assertThat(kept(read)).isEqualTo(read);
  }

  @ParameterizedTest
  @ValueSource(strings = {"example.com/notes", "kubectl.kubernetes.io/last-applied-configuration"})
  void long_annotation_of_others_is_dropped(String key) {
    assertThat(kept(Map.of(key, LONG))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "muster.dev/runtime",
        "muster.dev/unknown",
        "muster.dev/reservation",
        "kai.scheduler/x"
      })
  void annotation_beyond_its_limit_is_cut(String key) {
    assertThat(kept(Map.of(key, LONG)).getOrDefault(key, "")).hasSize(ObjectBudget.ANNOTATION + 1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"example.com/", "muster.dev/"})
  void few_of_many_annotations_are_kept(String prefix) {
    assertThat(kept(many(prefix, 15_000))).hasSize(ObjectBudget.ANNOTATION_ENTRIES + 1);
  }

  @Test
  void annotations_about_the_gang_come_before_others() {
    Map<String, String> annotations = many("a/", 15_000);
    annotations.put("scheduling.k8s.io/group-name", "train");

    assertThat(kept(annotations)).containsEntry("scheduling.k8s.io/group-name", "train");
  }

  @Test
  void trimmed_object_exceeds_the_same_limits() {
    for (Map<String, String> annotations :
        List.of(
            Map.of("example.com/notes", LONG),
            Map.of("muster.dev/runtime", "x".repeat(5_000)),
            many("muster.dev/", 15_000))) {
      assertThat(ObjectBudget.excess(trimmed(annotations)))
          .isPresent()
          .isEqualTo(ObjectBudget.excess(group(annotations)));
    }
  }
}
