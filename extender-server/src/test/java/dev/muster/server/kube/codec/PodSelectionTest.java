package dev.muster.server.kube.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.gang.NodeSelection;
import dev.muster.core.gang.NodeSelection.PreferredTerm;
import dev.muster.core.gang.Requirement;
import dev.muster.core.gang.Requirement.Operator;
import dev.muster.core.gang.Taint;
import dev.muster.core.gang.Toleration;
import dev.muster.server.kube.Yaml;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodSelectionTest {
  private static Pod pod(String spec) {
    return Yaml.pod(
        "metadata: {namespace: ml, name: p, labels: {job: a}}\nspec:\n" + spec.indent(2));
  }

  private static NodeSelection of(String spec) {
    return PodSelection.of(pod(spec).getSpec());
  }

  private static String affinity(String terms) {
    return """
    affinity:
      nodeAffinity:
        requiredDuringSchedulingIgnoredDuringExecution:
          nodeSelectorTerms: %s
    """
        .formatted(terms);
  }

  @Test
  void reads_selector_and_affinity() {
    NodeSelection selection =
        of(
            "nodeSelector: {zone: b, gpu: h100}\n"
                + affinity(
                    "[{matchExpressions: [{key: k, operator: In, values: [x, y]}, {key: n,"
                        + " operator: Gt, values: ['3']}]}, {matchFields: [{key: metadata.name,"
                        + " operator: In, values: [n7]}]}]"));

    assertThat(selection.all())
        .containsExactly(
            new Requirement("gpu", Operator.IN, List.of("h100")),
            new Requirement("zone", Operator.IN, List.of("b")));
    assertThat(selection.anyOf())
        .containsExactly(
            List.of(
                new Requirement("k", Operator.IN, List.of("x", "y")),
                new Requirement("n", Operator.GT, List.of("3"))),
            List.of(new Requirement(Requirement.NODE_NAME, Operator.IN, List.of("n7"))));
  }

  @Test
  void reads_preferred_affinity_with_weights() {
    NodeSelection selection =
        of(
            """
            affinity:
              nodeAffinity:
                preferredDuringSchedulingIgnoredDuringExecution:
                - weight: 80
                  preference:
                    matchExpressions: [{key: disk, operator: In, values: [nvme]}, {key: old, operator: DoesNotExist}]
                - weight: 5
                  preference: {matchFields: [{key: metadata.name, operator: In, values: [n7]}]}
                - weight: 100
                  preference: {}
            """);

    assertThat(selection.preferred())
        .containsExactly(
            new PreferredTerm(
                80,
                List.of(
                    new Requirement("disk", Operator.IN, List.of("nvme")),
                    new Requirement("old", Operator.DOES_NOT_EXIST, List.of()))),
            new PreferredTerm(
                5, List.of(new Requirement(Requirement.NODE_NAME, Operator.IN, List.of("n7")))));
    assertThat(selection.anyOf()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{operator: Gt, values: ['4']} | expression without key; it must name a label",
        "{key: gpus, values: ['4']} | (gpus) has the operator (); known are In,",
        "{key: gpus, operator: Gt} | (gpus) compares with []; it must be one number",
        "{key: gpus, operator: Gt, values: null} | (gpus) compares with []; it must be one number",
      })
  void expression_with_a_missing_field_is_refused(String expression, String why) {
    assertThatThrownBy(() -> of(affinity("[{matchExpressions: [%s]}]".formatted(expression))))
        .isExactlyInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(why);
  }

  @Test
  void empty_term_matches_no_node() {
    List<List<Requirement>> alternatives = of(affinity("[{}]")).anyOf();

    assertThat(alternatives).hasSize(1);
    assertThat(alternatives.getFirst()).noneMatch(requirement -> requirement.holdsFor("any"));
    assertThat(of(affinity("[{}, {matchExpressions: [{key: k, operator: Exists}]}]")).anyOf())
        .containsExactly(List.of(new Requirement("k", Operator.EXISTS, List.of())));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          [{matchExpressions: [{key: k, operator: Gt, values: []}]}]                 | compares with []
          [{matchExpressions: [{key: k, operator: Near, values: [x]}]}]              | operator (Near)
          [{matchFields: [{key: spec.x, operator: In, values: [x]}]}]                | field (spec.x)
          """)
  void reports_unreadable_selectors(String terms, String message) {
    assertThatThrownBy(() -> of(affinity(terms))).hasMessageContaining(message);
  }

  @Test
  void reads_tolerations() {
    assertThat(
            of("""
            tolerations:
            - {operator: Exists}
            - {key: a, operator: Exists, effect: NoSchedule}
            - {key: b, value: c, effect: NoExecute}
            - {key: d, operator: Equal}
            - {key: e, operator: Lt, value: "5"}
            - {key: f, operator: Exists, effect: Later}
            """)
                .tolerations())
        .containsExactly(
            new Toleration(Optional.empty(), Optional.empty(), Optional.empty()),
            new Toleration(
                Optional.of("a"), Optional.empty(), Optional.of(Taint.Effect.NO_SCHEDULE)),
            new Toleration(
                Optional.of("b"), Optional.of("c"), Optional.of(Taint.Effect.NO_EXECUTE)),
            new Toleration(Optional.of("d"), Optional.of(""), Optional.empty()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {job: a}}}                               | true
          {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {job: b}}}                               | false
          {topologyKey: kubernetes.io/hostname, labelSelector: {}}                                                    | true
          {topologyKey: kubernetes.io/hostname}                                                                       | false
          {topologyKey: topology.kubernetes.io/zone, labelSelector: {matchLabels: {job: a}}}                          | false
          {topologyKey: kubernetes.io/hostname, namespaces: [other], labelSelector: {matchLabels: {job: a}}}          | false
          {topologyKey: kubernetes.io/hostname, namespaces: [ml], labelSelector: {matchLabels: {job: a}}}             | true
          {topologyKey: kubernetes.io/hostname, namespaceSelector: {}, labelSelector: {matchLabels: {job: a}}}        | true
          {topologyKey: kubernetes.io/hostname, labelSelector: {matchExpressions: [{key: job, operator: In, values: [a]}]}}     | true
          {topologyKey: kubernetes.io/hostname, labelSelector: {matchExpressions: [{key: job, operator: NotIn, values: [a]}]}}  | false
          {topologyKey: kubernetes.io/hostname, labelSelector: {matchExpressions: [{key: job, operator: Exists}]}}              | true
          {topologyKey: kubernetes.io/hostname, labelSelector: {matchExpressions: [{key: job, operator: DoesNotExist}]}}        | false
          """)
  void recognises_pods_that_need_their_own_node(String term, boolean wants) {
    Pod pod =
        pod(
            """
            affinity:
              podAntiAffinity:
                requiredDuringSchedulingIgnoredDuringExecution: [%s]
            """
                .formatted(term));

    assertThat(PodSelection.wantsNodeOfItsOwn(pod)).isEqualTo(wants);
  }
}
