package dev.muster.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cel.bundle.Cel;
import dev.cel.bundle.CelFactory;
import dev.cel.common.types.SimpleType;
import dev.cel.parser.CelStandardMacro;
import dev.muster.server.kube.client.WellKnownNames;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Pods that name their node request no GPUs, as no scheduler counts them for a queue. Pods keep
/// the gate until Muster removes it.
class PlacedPodsPolicyTest {
  private static final Cel CEL =
      CelFactory.plannerCelBuilder()
          .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
          .addVar("variables", SimpleType.DYN)
          .addVar("request", SimpleType.DYN)
          .addVar("object", SimpleType.DYN)
          .addVar("oldObject", SimpleType.DYN)
          .build();

  private final List<JsonNode> documents =
      ShippedFiles.documents("manifests/placed-pods-policy/policy.yaml");

  private final JsonNode policy = documents.getFirst().path("spec");

  private final JsonNode gates = documents.get(2).path("spec");

  private static Object value(JsonNode expression, Map<String, Object> names) throws Exception {
    return CEL.createProgram(CEL.compile(expression.path("expression").asText()).getAst())
        .eval(names);
  }

  /// Returns what makes the policy refuse a pod with a node and this specification.
  private List<?> asking(String spec) throws Exception {
    Object pod = new ObjectMapper().readValue("{\"spec\":{" + spec + "}}", Map.class);
    Map<String, Object> variables = new TreeMap<>();
    for (JsonNode variable : policy.path("variables")) {
      variables.put(
          variable.path("name").asText(),
          value(variable, Map.of("object", pod, "variables", variables)));
    }
    return (List<?>) Objects.requireNonNull(variables.get("asking"));
  }

  private static String container(String name, String limits) {
    return "{\"name\":\"%s\",\"resources\":{\"limits\":{%s}}}".formatted(name, limits);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nvidia.com/gpu",
        "amd.com/gpu",
        "example.com/GPU-H100",
        "nvidia.com/mig-1g.10gb",
        "volcano.sh/vgpu-number"
      })
  void gpus_and_their_shares_are_refused(String resource) throws Exception {
    String limits = "\"%s\":\"1\"".formatted(resource);

    assertThat(asking("\"containers\":[" + container("c", limits) + "]").toString())
        .isEqualTo("[container c]");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"\"nvidia.com/gpu\":\"0\"", "\"rdma/hca\":\"1\"", "\"a.com/migrations\":\"1\""})
  void other_resources_are_not(String limits) throws Exception {
    assertThat(asking("\"containers\":[" + container("c", limits) + ",{\"name\":\"d\"}]"))
        .isEmpty();
  }

  @Test
  void init_containers_and_claims_count_too() throws Exception {
    String init = container("i", "\"nvidia.com/gpu\":\"1\"");
    String spec =
        "\"containers\":[{\"name\":\"c\"}],\"initContainers\":[%s],\"resourceClaims\":[{\"name\":\"x\"}]"
            .formatted(init);

    assertThat(asking(spec).toString()).isEqualTo("[container i, claim x]");
  }

  @ParameterizedTest
  @CsvSource({
    "ml, 2000001000, false",
    "ml, 2000000000, false",
    "ml, 1999999999, true",
    "ml, -5, true",
    "openshift-etcd, 2000001000, true",
    "local-path-storage, 2000001000, true",
    "local-path-storage-2, 2000001000, false"
  })
  void kubelet_kills_no_pods_for_a_pod_that_names_its_node(
      String namespace, long priority, boolean passes) throws Exception {
    assertThat(mayBePlaced(namespace, Map.of("priority", priority))).isEqualTo(passes);
  }

  @Test
  void pod_without_priority_passes() throws Exception {
    assertThat(mayBePlaced("ml", Map.of())).isEqualTo(true);
  }

  private Object mayBePlaced(String namespace, Map<String, Object> spec) throws Exception {
    return value(
        policy.path("validations").path(1),
        Map.of("object", Map.of("spec", spec), "request", Map.of("namespace", namespace)));
  }

  @ParameterizedTest
  @CsvSource({
    "n, system:authenticated, true",
    "n, system:nodes, false",
    "'', system:authenticated, false"
  })
  void pods_with_a_node_are_tried_unless_a_node_reports_them(
      String node, String group, boolean tried) throws Exception {
    Map<String, Object> names =
        Map.of(
            "object",
            Map.of("spec", Map.of("nodeName", node)),
            "request",
            Map.of("userInfo", Map.of("groups", List.of(group))));
    assertThat(tries(policy, names)).isEqualTo(tried);
  }

  /// True if the policy looks at the request.
  private static boolean tries(JsonNode policy, Map<String, Object> names) throws Exception {
    boolean all = true;
    for (JsonNode condition : policy.path("matchConditions")) {
      all &= (Boolean) value(condition, names);
    }
    return all;
  }

  /// A pod with these gates, separated by spaces.
  private static Map<String, Object> gated(String gates) {
    List<Map<String, String>> list =
        Pattern.compile("\\S+")
            .matcher(gates)
            .results()
            .map(r -> Map.of("name", r.group()))
            .toList();
    return Map.of("spec", list.isEmpty() ? Map.of() : Map.of("schedulingGates", list));
  }

  @ParameterizedTest
  @CsvSource({
    "muster.dev/gang, '', true",
    "muster.dev/gang example.com/other, example.com/other, true",
    "muster.dev/gang example.com/other, muster.dev/gang, false",
    "muster.dev/gang, muster.dev/gang, false",
    "example.com/other, '', false",
    "'', '', false"
  })
  void loss_of_the_gate_is_tried_and_nothing_else(String before, String now, boolean tried)
      throws Exception {
    assertThat(tries(gates, Map.of("oldObject", gated(before), "object", gated(now))))
        .isEqualTo(tried);
  }

  @Test
  void gate_is_named_as_muster_names_it() {
    assertThat(gates.path("matchConditions").findValuesAsText("expression"))
        .allMatch(expression -> expression.contains("'" + WellKnownNames.GATE + "'"));
  }

  @Test
  void gate_is_kept_on_updates_in_every_namespace() {
    JsonNode constraints = gates.path("matchConstraints");
    assertThat(constraints.at("/resourceRules/0/operations").toString()).isEqualTo("[\"UPDATE\"]");
    assertThat(constraints.has("namespaceSelector")).isFalse();
  }

  @Test
  void api_server_refuses_what_it_cannot_decide() {
    assertThat(List.of(policy, gates))
        .allMatch(spec -> spec.path("failurePolicy").asText().equals("Fail"));
  }
}
