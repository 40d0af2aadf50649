package dev.muster.policy.preemption;

import static dev.muster.policy.preemption.PolicyYaml.NOON;
import static dev.muster.policy.preemption.PolicyYaml.policy;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.victims.PolicyVerdict;
import dev.muster.core.victims.PolicyVerdict.Protected;
import dev.muster.core.victims.PreemptionLimits;
import dev.muster.core.victims.PreemptionPolicy;
import dev.muster.core.victims.PreemptionPolicy.Mode;
import dev.muster.policy.preemption.PolicyYaml.Gang;
import dev.muster.policy.preemption.expression.ExpressionFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Delays and limits of a policy file are read, and a failing expression preempts no gang.
class PolicyExpressionsTest {
  @Test
  void delays_are_durations_or_expressions() {
    var big = new Gang().gpus(64).subject();

    assertThat(policy("delay: 90s").delay(big)).contains(Duration.ofSeconds(90));
    assertThat(
            policy("delay: \"preemptor.gpus > 8 ? duration('5m') : duration('10s')\"").delay(big))
        .contains(Duration.ofMinutes(5));
  }

  @Test
  void limits_and_mode_are_taken() {
    PreemptionPolicy policy =
        policy("mode: Shadow\nlimits: {maxVictims: 3, evictionsPerHour: 0, cooldown: 2m}");

    assertThat(policy.mode()).isEqualTo(Mode.SHADOW);
    assertThat(policy.limits())
        .isEqualTo(new PreemptionLimits(3, Integer.MAX_VALUE, 0, Duration.ofMinutes(2)));
    assertThat(policy.revision()).matches("[0-9a-f]{12}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          rules: [{name: r, when: "victim.labels['x'] == 'y'", action: Allow}] | r | there is no `x`. Check first, as in 'x' in victim.labels
          rules: [{name: r, when: "victim.labels.x == 'y'", action: Allow}] | r | there is no `x`. Check first, as in 'x' in victim.labels
          rules: [{name: r, when: "1 / victim.nodes > 0 && 1 / (victim.gpus - 1) > 0", action: Deny}] | r | it divides by zero
          rules: [{name: r, when: "[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c, [1,2].all(d, a > 0))))", action: Allow}] | r | its loops take more than 1000 rounds
          rules: [{name: r, action: Allow}], protect: [{name: p, when: "victim.remaining.value() < duration('1h')"}] | p | the value is unknown. Use .orValue(...) instead of .value()
          rules: [{name: r, action: Allow}], victimOrder: [cost], cost: [{expression: "victim.gpus - 2"}] | cost | it results in -1, which is less than 0
          """)
  void failing_expression_spares_the_victim_and_is_reported(
      String text, String rule, String reason) {
    List<ExpressionFailure> failures = new ArrayList<>();
    // A flow mapping on one line, made block style.
    PreemptionPolicy policy = policy(failures, text.replaceAll("\\], (?=[a-zA-Z]+:)", "]\n"));

    PolicyVerdict verdict = policy.verdict(new Gang().subject(), new Gang().subject(), NOON);

    assertThat(verdict)
        .isEqualTo(
            new Protected(
                rule,
                "Its expression failed, which spares the victim: %s.".formatted(reason),
                Optional.empty()));
    assertThat(failures)
        .singleElement()
        .satisfies(failure -> {
          assertThat(failure.rule()).isEqualTo(rule);
          assertThat(failure.reason()).isEqualTo(reason);
          assertThat(text).contains(failure.expression());
        });
  }

  @Test
  void failing_delay_keeps_the_preemptor_waiting() {
    List<ExpressionFailure> failures = new ArrayList<>();
    PreemptionPolicy policy = policy(failures, "delay: \"duration(preemptor.labels['wait'])\"");

    assertThat(policy.delay(new Gang().subject())).isEmpty();
    assertThat(failures).singleElement().extracting(ExpressionFailure::rule).isEqualTo("delay");
  }
}
