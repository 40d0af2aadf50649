package dev.muster.server.kube.budget;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.server.kube.Yaml;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// One more than each limit is an excess, which names the field and the limit.
class ObjectBudgetTest {
  private static String pod(String metadata, String spec) {
    return ObjectBudget.excess(
            Yaml.pod(
                """
                metadata: {namespace: ml, name: p, uid: u%s}
                spec: {schedulerName: default-scheduler%s}
                """
                    .formatted(metadata, spec)))
        .orElse("");
  }

  private static String group(String metadata, String spec) {
    return ObjectBudget.excess(
            Yaml.group(
                """
                apiVersion: scheduling.volcano.sh/v1beta1
                kind: PodGroup
                metadata: {namespace: ml, name: g, uid: u%s}
                spec: {minMember: 2%s}
                """
                    .formatted(metadata, spec)))
        .orElse("");
  }

  private static String list(int count, String format) {
    return IntStream.range(0, count)
        .mapToObj(i -> format.formatted(i))
        .collect(Collectors.joining(", "));
  }

  private static String affinity(int terms, int conditions, int values, int length) {
    String names = list(values, "\"%0" + length + "d\"");
    String expressions = list(conditions, "{key: k-%d, operator: NotIn, values: [" + names + "]}");
    String all = list(terms, "{matchExpressions: [" + expressions.replace("%", "%%") + "]} ");
    return ", affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: ["
        + all
        + "]}}}";
  }

  private static String annotation(String key, int characters) {
    return ", annotations: {%s: \"%s\"}".formatted(key, "x".repeat(characters));
  }

  @Test
  void list_of_two_thousand_node_names_is_within_the_budget() {
    assertThat(pod("", affinity(1, 1, 2_000, 30))).isEmpty();
  }

  @Test
  void five_hundred_long_node_names_are_within_the_budget() {
    assertThat(pod("", affinity(1, 1, 500, 120))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1, 2001, 8, values, 2000",
    "1, 201, 1, 8, conditions, 200",
    "51, 1, 1, 8, terms, 50",
    "1, 1, 300, 253, characters, 65536"
  })
  void node_affinity_beyond_a_limit_is_an_excess(
      int terms, int conditions, int values, int length, String unit, int limit) {
    assertThat(pod("", affinity(terms, conditions, values, length)))
        .contains("The field spec.affinity.nodeAffinity has ")
        .contains(" %s; the limit is %d.".formatted(unit, limit));
  }

  @Test
  void number_of_containers_is_limited() {
    assertThat(pod("", ", containers: [" + list(500, "{name: c-%d}") + "]")).isEmpty();
    assertThat(pod("", ", containers: [" + list(501, "{name: c-%d}") + "]"))
        .isEqualTo("The field spec.containers has more than 500 containers.");
  }

  @Test
  void kind_and_version_of_an_owner_are_limited() {
    for (String field : List.of("apiVersion", "kind")) {
      String owner =
          ", ownerReferences: [{name: o, uid: u, " + field + ": " + "k".repeat(254) + "}]";

      assertThat(pod(owner, ""))
          .isEqualTo(
              "The field metadata.ownerReferences.%s has 254 characters; the limit is 253."
                  .formatted(field));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "100 | ', tolerations: [' | '{key: k-%d, operator: Exists}' | ]",
        "64  | ', resourceClaims: [' | '{name: c-%d, resourceClaimName: c-%d}' | ]",
        "200 | ', nodeSelector: {' | 'k-%d: v' | }",
        "62  | ', containers: [{name: c, resources: {requests: {' | 'example.com/r-%d: 1' | }}}]"
      })
  void list_of_a_pod_is_limited(int limit, String before, String entry, String after) {
    String format = entry.replace("-%d", "-%1$d");
    int most = format.contains("example.com") ? ObjectBudget.RESOURCES : limit;

    assertThat(pod("", before + list(most, format) + after)).isEmpty();
    assertThat(pod("", before + list(most + 1, format) + after))
        .contains("The field spec.")
        .contains("has %d ".formatted(most + 1))
        .endsWith("; the limit is %d.".formatted(most));
  }

  @ParameterizedTest
  @CsvSource({
    "muster.dev/topology-required, 4096",
    "muster.dev/unknown, 4096",
    "kueue.x-k8s.io/podset-slice-size, 4096",
    "scheduling.k8s.io/group-name, 253"
  })
  void annotation_that_is_read_is_limited(String key, int limit) {
    String most = annotation(key, limit);
    String more = annotation(key, limit + 1);

    assertThat(pod(most, "") + group(most, "")).isEmpty();
    assertThat(pod(more, ""))
        .isEqualTo(group(more, ""))
        .isEqualTo("The annotation %s has more than %d characters.".formatted(key, limit));
  }

  @Test
  void annotation_of_others_on_a_pod_is_not_limited() {
    assertThat(pod(annotation("example.com/notes", 250_000), "")).isEmpty();
  }

  @Test
  void annotations_of_a_pod_group_leave_space_for_records() {
    assertThat(group(annotation("example.com/notes", 131_072), ""))
        .isEqualTo("The field metadata.annotations has 131089 bytes; the limit is 131072.");
    assertThat(group(annotation("muster.dev/reservation", 200_000), "")).isEmpty();
  }

  @Test
  void fifty_models_are_within_the_budget() {
    String key = ", annotations: {muster.dev/gpu-models: \"%s\"}";

    assertThat(group(key.formatted(list(50, "m%d")), "")).isEmpty();
    assertThat(group(key.formatted(list(51, "m%d")), ""))
        .isEqualTo("The annotation muster.dev/gpu-models has 51 models; the limit is 50.");
  }

  @Test
  void name_of_an_owner_is_limited() {
    String owners =
        ", ownerReferences: [{apiVersion: v1, kind: Job, uid: u, controller: true, name: "
            + "-1".repeat(127)
            + "}]";

    assertThat(pod(owners, ""))
        .isEqualTo("The field metadata.ownerReferences.name has 254 characters; the limit is 253.");
  }

  @ParameterizedTest
  @CsvSource({"queue", "priorityClassName"})
  void name_in_a_pod_group_is_limited(String field) {
    assertThat(group("", ", %s: %s".formatted(field, "x".repeat(318))))
        .isEqualTo("The field spec.%s has 318 characters; the limit is 317.".formatted(field));
  }

  @Test
  void page_lists_every_limit() throws IOException, IllegalAccessException {
    String page = Files.readString(Path.of("../docs/annotations.md"));
    String limits = page.substring(page.indexOf("## Limits"));
    for (Field field : ObjectBudget.class.getDeclaredFields()) {
      if (Modifier.isStatic(field.getModifiers()) && field.getType() == int.class) {
        assertThat(limits)
            .as(field.getName())
            .contains("| %s |".formatted(String.format(Locale.ROOT, "%,d", field.getInt(null))));
      }
    }
  }
}
