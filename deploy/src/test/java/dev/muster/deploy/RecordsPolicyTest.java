package dev.muster.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cel.bundle.Cel;
import dev.cel.bundle.CelFactory;
import dev.cel.common.types.SimpleType;
import dev.cel.parser.CelStandardMacro;
import dev.muster.server.kube.client.PodGroupDialect;
import dev.muster.server.kube.client.WellKnownNames;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The records policy and SECURITY.md name every record of Muster, on every object that has them.
class RecordsPolicyTest {
  private static final String KUEUE_QUEUE = "kueue.x-k8s.io/queue-name";

  private static final Cel CEL =
      CelFactory.plannerCelBuilder()
          .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
          .addVar("variables", SimpleType.DYN)
          .addVar("object", SimpleType.DYN)
          .addVar("oldObject", SimpleType.DYN)
          .build();

  private final JsonNode policy =
      ShippedFiles.documents("manifests/records-policy/policy.yaml").getFirst().path("spec");

  private final JsonNode labels =
      ShippedFiles.documents("manifests/records-policy/policy.yaml").get(2).path("spec");

  private final JsonNode queues =
      ShippedFiles.documents("manifests/records-policy/policy.yaml").get(4).path("spec");

  private String expression(String variable) {
    return expression(policy, variable);
  }

  private static String expression(JsonNode policy, String variable) {
    for (JsonNode each : policy.path("variables")) {
      if (each.path("name").asText().equals(variable)) {
        return each.path("expression").asText();
      }
    }
    throw new IllegalArgumentException(variable);
  }

  private Set<String> texts(String field) {
    TreeSet<String> texts = new TreeSet<>();
    for (JsonNode rule : policy.path("matchConstraints").path("resourceRules")) {
      rule.path(field).forEach(text -> texts.add(text.asText()));
    }
    return texts;
  }

  private static Set<String> quoted(String expression) {
    TreeSet<String> quoted = new TreeSet<>();
    Pattern.compile("'([^']*)'").matcher(expression).results().forEach(m -> quoted.add(m.group(1)));
    return quoted;
  }

  @Test
  void policy_names_every_annotation_that_only_muster_writes() {
    assertThat(quoted(expression("changed")))
        .containsExactlyInAnyOrderElementsOf(WellKnownNames.RECORDS);
  }

  @Test
  void policy_names_every_condition_that_muster_reads_back() {
    assertThat(quoted(expression("past")))
        .containsAll(WellKnownNames.PAST)
        .contains(WellKnownNames.ADMITTED);
  }

  @Test
  void policy_covers_pods_and_all_kinds_of_pod_groups_with_their_status() {
    assertThat(texts("resources"))
        .containsExactly("podgroups", "podgroups/status", "pods", "pods/status");
    assertThat(texts("operations")).containsExactly("CREATE", "UPDATE");
    assertThat(texts("apiGroups"))
        .containsAll(Stream.of(PodGroupDialect.values()).map(PodGroupDialect::group).toList());
  }

  @Test
  void policy_keeps_the_labels_of_gang_and_queue_on_pods_with_a_node() {
    assertThat(quoted(expression(labels, "changed")))
        .containsExactlyInAnyOrder(WellKnownNames.POD_GROUP, WellKnownNames.QUEUE, KUEUE_QUEUE);
    assertThat(labels.path("matchConditions").toString()).contains("oldObject.spec.nodeName != ''");
  }

  private List<?> changed(Map<String, String> before, Map<String, String> now) throws Exception {
    Object names =
        CEL.createProgram(CEL.compile(expression(labels, "changed")).getAst())
            .eval(Map.of("variables", Map.of("before", before, "now", now)));
    return (List<?>) names;
  }

  @Test
  void changed_labels_are_those_that_were_set_removed_or_replaced() throws Exception {
    Map<String, String> gang = Map.of(WellKnownNames.POD_GROUP, "g");

    assertThat(changed(gang, gang)).isEmpty();
    assertThat(changed(gang, Map.of(WellKnownNames.POD_GROUP, "g", "app", "a"))).isEmpty();
    assertThat(List.of(changed(gang, Map.of()), changed(Map.of(), gang)))
        .allMatch(List.of(WellKnownNames.POD_GROUP)::equals);
    assertThat(
            changed(
                Map.of(WellKnownNames.QUEUE, "a", WellKnownNames.POD_GROUP, "g"),
                Map.of(WellKnownNames.QUEUE, "b", WellKnownNames.POD_GROUP, "h")))
        .hasSize(2);
  }

  // ---- Queues of PodGroups ----

  /// True if the policy accepts the change of a PodGroup.
  private boolean accepts(String before, String now) throws Exception {
    ObjectMapper json = new ObjectMapper();
    Map<String, Object> variables = new TreeMap<>();
    Map<String, Object> names =
        Map.of(
            "oldObject",
            json.readValue(before, Map.class),
            "object",
            json.readValue(now, Map.class),
            "variables",
            variables);
    for (JsonNode variable : queues.path("variables")) {
      variables.put(variable.path("name").asText(), value(variable, names));
    }
    return (Boolean) value(queues.path("validations").path(0), names);
  }

  private static Object value(JsonNode expression, Map<String, Object> names) throws Exception {
    return CEL.createProgram(CEL.compile(expression.path("expression").asText()).getAst())
        .eval(names);
  }

  private static String podGroup(String label, String queue, String record, String admitted) {
    return """
    {"metadata": {"labels": {"%s": "a"}, "annotations": {"%s": "2"}}, "spec": {"queue": "%s"},
     "status": {"conditions": [{"type": "Eligible", "status": "True"}%s]}}
    """
        .formatted(
            label,
            record,
            queue,
            admitted.isEmpty()
                ? ""
                : ", {\"type\": \"Admitted\", \"status\": \"%s\"}".formatted(admitted));
  }

  @ParameterizedTest
  @CsvSource({
    "muster.dev/reservation, False, false",
    "muster.dev/ran-with, True, false",
    "muster.dev/ran-with, False, true",
    "muster.dev/ran-with, '', false",
    "example.com/other, True, false",
    "example.com/other, False, true",
    "example.com/other, '', true"
  })
  void pod_group_keeps_its_queue_while_its_gang_is_admitted(
      String record, String admitted, boolean free) throws Exception {
    String before = podGroup("x", "a", record, admitted);
    for (String label : List.of(WellKnownNames.QUEUE, KUEUE_QUEUE)) {
      String named = podGroup(label, "a", record, admitted);
      assertThat(accepts(before, named)).as(label).isEqualTo(free);
      assertThat(accepts(named, before)).as(label).isEqualTo(free);
    }
    assertThat(accepts(before, podGroup("x", "b", record, admitted))).isEqualTo(free);
    assertThat(accepts(before, podGroup("y", "a", record, admitted))).isTrue();
  }

  @Test
  void pod_group_without_labels_status_and_fields_may_get_a_queue() throws Exception {
    assertThat(accepts("{\"metadata\": {}}", podGroup(WellKnownNames.QUEUE, "a", "x", "")))
        .isTrue();
  }

  @Test
  void queues_of_all_kinds_of_pod_groups_are_kept() {
    JsonNode rule = queues.at("/matchConstraints/resourceRules/0");
    assertThat(rule.path("apiGroups").valueStream().map(JsonNode::asText))
        .containsExactlyInAnyOrderElementsOf(
            Stream.of(PodGroupDialect.values()).map(PodGroupDialect::group).toList());
    assertThat(queues.path("failurePolicy").asText()).isEqualTo("Fail");
  }

  @Test
  void security_page_tells_what_each_forged_record_can_do() throws IOException {
    String page = Files.readString(ShippedFiles.folder().resolveSibling("SECURITY.md"));
    assertThat(WellKnownNames.RECORDS).allSatisfy(name -> assertThat(page).contains("`" + name));
    assertThat(WellKnownNames.PAST).allSatisfy(name -> assertThat(page).contains("`" + name + "`"));
  }
}
