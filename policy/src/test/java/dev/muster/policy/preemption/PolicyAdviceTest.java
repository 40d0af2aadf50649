package dev.muster.policy.preemption;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.policy.preemption.expression.ExpressionFailure;
import dev.muster.policy.preemption.load.PolicyLoader;
import dev.muster.policy.yaml.FileProblem;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Valid policies with parts that have no effect are warned of, with the place.
class PolicyAdviceTest {
  private static List<String> advice(String text) {
    return advice(text, Optional.empty(), List.of());
  }

  private static List<String> advice(
      String text, Optional<Set<String>> queues, List<ExpressionFailure> failures) {
    return new PolicyLoader(Plugins.NONE, _ -> {})
        .advice(PolicyYaml.sources(text), queues, failures).stream()
            .map(FileProblem::render)
            .toList();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "to: {queues: [batch, dev]} | to: {queues: [batch]}",
        "to: {priority: {max: 9}} | to: {priority: {min: 1, max: 9}, gpus: {max: 8}}",
        "sameQueue: true | sameQueue: true, from: {labels: {a: b}}",
        "from: {labels: {a: b}} | from: {labels: {a: b, c: d}}",
        "when: victim.gpus > 1 | when: victim.gpus > 1, sameQueue: true"
      })
  void rule_below_a_wider_one_is_never_reached(String wide, String narrow) {
    assertThat(
            advice(
                "rules:\n  - {name: wide, %s, action: Deny}\n  - {name: narrow, %s, action: Allow}\n"
                    .formatted(wide, narrow)))
        .containsExactly(
            "p0.yaml:5:12: rules[1].name: is never reached: the rule \"wide\" above matches every pair that it matches.");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "to: {queues: [batch]} | to: {queues: [batch, dev]}",
        "to: {queues: [batch]} | to: {gpus: {max: 8}}",
        "to: {priority: {max: 9}} | to: {priority: {max: 10}}",
        "sameQueue: true | sameQueue: false",
        "when: victim.gpus > 1 | when: victim.gpus > 2",
        "to: {borrows: true} | sameNamespace: true"
      })
  void rule_below_one_that_is_not_wider_is_reached(String one, String other) {
    assertThat(
            advice(
                "rules:\n  - {name: one, %s, action: Deny}\n  - {name: other, %s, action: Allow}\n"
                    .formatted(one, other)))
        .isEmpty();
  }

  @Test
  void policy_with_a_problem_has_no_advice() {
    assertThat(advice("rules: [{name: a, action: Deny}, {name: b, action: Allow}]\n")).isEmpty();
  }

  @Test
  void policy_that_only_denies_never_preempts() {
    assertThat(advice("rules: [{name: a, action: Deny}]\n"))
        .containsExactly(
            "p0.yaml:3:8: rules: has no rule with the action Allow. No gang is ever preempted.");
  }

  @Test
  void protection_of_a_queue_from_which_no_rule_takes_has_no_effect() {
    assertThat(
            advice(
                """
                rules: [{name: a, to: {queues: [batch]}, action: Allow}]
                protect: [{name: b, victims: {queues: [bacth]}, minRunTime: 1h}]
                """))
        .containsExactly(
            "p0.yaml:4:39: protect[0].victims.queues: has no effect: no rule allows to preempt gangs of bacth. Did you mean \"batch\"?");
  }

  @Test
  void queue_that_the_configuration_lacks_is_named() {
    assertThat(
            advice(
                "rules: [{name: a, from: {queues: [nlp, vison]}, action: Allow}]\n",
                Optional.of(Set.of("nlp", "vision")),
                List.of()))
        .containsExactly(
            "p0.yaml:3:40: rules[0].from.queues[1]: \"vison\" is not a queue of the configuration. Did you mean \"vision\"?");
  }

  @Test
  void expression_without_a_value_is_placed() {
    String text = "rules:\n  - {name: a, when: \"victim.labels['team'] == 'x'\", action: Allow}\n";
    List<ExpressionFailure> failures = new ArrayList<>();
    var policy = PolicyYaml.policy(failures, text);
    var gang = new PolicyYaml.Gang().subject();

    policy.verdict(gang, gang, PolicyYaml.NOON);

    assertThat(advice(text, Optional.empty(), failures))
        .containsExactly(
            "p0.yaml:4:21: rules[0].when: had no value for a pair of gangs: there is no `team`. Check first, as in 'team' in victim.labels. The victim was spared, or the preemptor waited.");
  }
}
