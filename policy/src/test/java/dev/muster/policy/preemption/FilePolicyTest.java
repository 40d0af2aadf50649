package dev.muster.policy.preemption;

import static dev.muster.policy.preemption.PolicyYaml.NOON;
import static dev.muster.policy.preemption.PolicyYaml.policy;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.victims.CostTerm;
import dev.muster.core.victims.PolicyVerdict;
import dev.muster.core.victims.PolicyVerdict.Allowed;
import dev.muster.core.victims.PolicyVerdict.Protected;
import dev.muster.policy.preemption.PolicyYaml.Gang;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// A policy in a file decides on a preemptor and a victim.
class FilePolicyTest {
  private static final String ANYONE = "rules: [{name: anyone, action: Allow}]\n";

  private static PolicyVerdict ruling(String text, Gang preemptor, Gang victim) {
    return policy(text).verdict(preemptor.subject(), victim.subject(), NOON);
  }

  private static PolicyVerdict ruling(String text, Gang victim) {
    return ruling(text, new Gang().priority(100), victim);
  }

  @Test
  void without_rules_every_gang_is_spared() {
    assertThat(ruling("mode: Enforce", new Gang()))
        .isEqualTo(new Protected("no-rule", "No rule allows its preemption.", Optional.empty()));
  }

  @Test
  void first_matching_rule_decides() {
    String text =
        """
        rules:
          - {name: never-prod, to: {queues: [prod]}, action: Deny}
          - {name: high-over-low, from: {priority: {min: 100}}, to: {priority: {max: 9}}, action: Allow}
        """;

    assertThat(ruling(text, new Gang().queue("prod")).rule()).isEqualTo("never-prod");
    assertThat(ruling(text, new Gang().queue("batch")))
        .isInstanceOf(Allowed.class)
        .extracting(PolicyVerdict::rule)
        .isEqualTo("high-over-low");
    assertThat(ruling(text, new Gang().priority(10)).rule()).isEqualTo("no-rule");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "queues: [batch]",
        "namespaces: [ml]",
        "labels: {team: blue}",
        "gpus: {min: 8, max: 8}",
        "models: [H100]",
        "borrows: true",
        "priority: {min: 5, max: 5}"
      })
  void selectors_distinguish_gangs(String selector) {
    String text = "rules: [{name: r, to: {%s}, action: Allow}]".formatted(selector);
    Gang fits =
        new Gang()
            .name("ml/a")
            .queue("batch")
            .label("team", "blue")
            .gpus(8)
            .model("NVIDIA-H100-80GB-HBM3")
            .borrows()
            .priority(5);

    assertThat(ruling(text, fits)).isInstanceOf(Allowed.class);
    assertThat(ruling(text, new Gang().name("other/a"))).isInstanceOf(Protected.class);
  }

  @Test
  void rules_can_select_one_queue_or_two() {
    String text =
        """
        rules:
          - {name: own, sameQueue: true, action: Allow}
          - {name: foreign, sameNamespace: false, action: Deny}
        """;

    assertThat(ruling(text, new Gang().queue("a"), new Gang().queue("a")).rule()).isEqualTo("own");
    assertThat(ruling(text, new Gang().name("x/g"), new Gang().name("y/g")).rule())
        .isEqualTo("foreign");
  }

  @Test
  void cel_conditions_see_both_gangs_and_the_time() {
    String text =
        """
        rules:
          - name: at-noon
            when: >-
              preemptor.priority - victim.priority > 50 && now.getHours() == 12
              && victim.labels[?'team'].orValue('none') == 'none'
              && !victim.remaining.hasValue()
            action: Allow
        """;

    assertThat(ruling(text, new Gang().priority(10))).isInstanceOf(Allowed.class);
    assertThat(ruling(text, new Gang().priority(60))).isInstanceOf(Protected.class);
    assertThat(ruling(text, new Gang().label("team", "x"))).isInstanceOf(Protected.class);
    assertThat(ruling(text, new Gang().remaining(Duration.ZERO))).isInstanceOf(Protected.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          minRunTime: 30m        | 2026-11-02T12:20:00Z
          remaining: 1h          | 2026-11-02T12:05:00Z
          progress: 60           | 2026-11-02T12:05:00Z
          ownerMarked: true      |
          when: 'victim.gpus == 1' |
          window: {days: [Mon]}  | 2026-11-03T00:00:00Z
          since: 2026-11-02T12:00:00Z | 2026-12-01T00:00:00Z
          """)
  void protections_spare_gangs_until_they_end(String condition, Instant until) {
    String text =
        ANYONE
            + "protect: [{name: p, %s%s}]"
                .formatted(
                    condition,
                    condition.startsWith("since")
                        ? ", until: 2026-12-01T00:00:00Z, owner: Ann, reason: A deadline."
                        : "");
    Gang victim = new Gang().ran(Duration.ofMinutes(10)).remaining(Duration.ofMinutes(5)).spared();

    assertThat(ruling(text, victim))
        .isInstanceOfSatisfying(
            Protected.class,
            spared -> {
              assertThat(spared.rule()).isEqualTo("p");
              assertThat(spared.until()).isEqualTo(Optional.ofNullable(until));
            });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "minRunTime: 5m",
        "remaining: 1m",
        "progress: 70",
        "when: 'victim.gpus > 1'",
        "window: {days: [Tue]}",
        "window: {from: '13:00', to: '12:00'}",
        "since: 2026-11-02T12:00:01Z",
        "until: 2026-11-02T12:00:00Z, owner: Ann, reason: Over.",
        "victims: {gpus: {min: 2}}",
        "preemptors: {priority: {max: 99}}, minRunTime: 1h"
      })
  void protections_that_do_not_apply_spare_no_gang(String condition) {
    Gang victim = new Gang().ran(Duration.ofMinutes(10)).remaining(Duration.ofMinutes(5)).spared();

    assertThat(ruling(ANYONE + "protect: [{name: p, %s}]".formatted(condition), victim))
        .isInstanceOf(Allowed.class);
  }

  @Test
  void statements_of_owners_count_only_if_the_policy_honours_them() {
    assertThat(ruling(ANYONE, new Gang().spared())).isInstanceOf(Allowed.class);
  }

  @Test
  void longest_protection_is_reported() {
    String text =
        ANYONE
            + "protect: [{name: short, minRunTime: 1h}, {name: long, minRunTime: 2h}, {name: mid, minRunTime: 90m}]";

    assertThat(ruling(text, new Gang()).rule()).isEqualTo("long");
    assertThat(ruling(text + "\n", new Gang().spared()).rule()).isEqualTo("long");
  }

  @Test
  void unlimited_protection_outlasts_all_others() {
    String text = ANYONE + "protect: [{name: a, minRunTime: 1h}, {name: b, ownerMarked: true}]";

    assertThat(ruling(text, new Gang().spared()).rule()).isEqualTo("b");
  }

  @Test
  void gangs_preempted_often_are_spared_for_a_while() {
    String text = ANYONE + "limits: {maxPreemptions: {count: 2, per: 3h}}";
    Gang victim =
        new Gang()
            .preempted(
                NOON.minus(Duration.ofHours(4)),
                NOON.minus(Duration.ofHours(2)),
                NOON.minus(Duration.ofHours(1)));

    assertThat(ruling(text, victim))
        .isEqualTo(
            new Protected(
                "maxPreemptions",
                "It was preempted 2 times within 3h.",
                Optional.of(NOON.plus(Duration.ofHours(1)))));
    assertThat(ruling(text, new Gang().preempted(NOON.minus(Duration.ofHours(1)))))
        .isInstanceOf(Allowed.class);
    Instant future = NOON.plus(Duration.ofHours(1));
    assertThat(ruling(text, new Gang().preempted(future, future, future)))
        .as("times that nobody can have been stopped at")
        .isInstanceOf(Allowed.class);
  }

  @Test
  void victims_have_a_cost_for_each_comparator_in_order() {
    String text =
        ANYONE
            + """
            victimOrder: [fewestGpus, cost, youngest]
            cost:
              - {by: leastLostWork, weight: 2}
              - {expression: "preemptor.priority - victim.priority"}
            """;
    Gang victim = new Gang().priority(90).gpus(4).ran(Duration.ofMinutes(1));

    assertThat(policy(text).terms())
        .extracting(CostTerm::name)
        .containsExactly("fewestGpus", "cost", "youngest");
    assertThat(ruling(text, victim))
        .isInstanceOfSatisfying(
            Allowed.class, ok -> assertThat(ok.price()).containsExactly(4L, 2 * 240L + 10, 60L));
  }

  @Test
  void largest_weight_distinguishes_the_highest_priorities() {
    String text = ANYONE + "victimOrder: [cost]\ncost: [{by: lowestPriority, weight: 262144}]";

    assertThat(ruling(text, new Gang().priority(Integer.MAX_VALUE)))
        .isNotEqualTo(ruling(text, new Gang().priority(Integer.MAX_VALUE - 1)));
  }

  @Test
  void notice_and_grace_of_a_rule_override_those_of_the_file() {
    String text =
        """
        notice: 5m
        grace: 1m
        rules:
          - {name: own, to: {queues: [a]}, action: Allow, notice: 0s, grace: 30s}
          - {name: rest, action: Allow}
        """;

    assertThat(ruling(text, new Gang().queue("a")))
        .hasFieldOrPropertyWithValue("notice", Duration.ZERO)
        .hasFieldOrPropertyWithValue("grace", Optional.of(Duration.ofSeconds(30)));
    assertThat(ruling(text, new Gang()))
        .hasFieldOrPropertyWithValue("notice", Duration.ofMinutes(5))
        .hasFieldOrPropertyWithValue("grace", Optional.of(Duration.ofMinutes(1)));
  }

  @Test
  void rule_may_override_disruption_budgets_for_its_victims() {
    String text =
        """
        rules:
          - {name: scratch, to: {queues: [scratch]}, action: Allow, disruptionBudgets: Override}
          - {name: others, action: Allow}
        """;
    assertThat(ruling(text, new Gang().queue("scratch")))
        .isInstanceOfSatisfying(
            Allowed.class, allowed -> assertThat(allowed.overBudgets()).isTrue());
    assertThat(ruling(text, new Gang().queue("ml")))
        .isInstanceOfSatisfying(
            Allowed.class, allowed -> assertThat(allowed.overBudgets()).isFalse());
  }
}
