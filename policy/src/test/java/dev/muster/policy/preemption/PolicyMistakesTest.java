package dev.muster.policy.preemption;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Mistakes in policies are reported to admins.
class PolicyMistakesTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          rules: [{name: r, when: "victim.prority < 3", action: Allow}] | 3:32: rules[0].when: a gang has no `prority`. Did you mean `priority`?
          rules: [{name: r, when: "victm.gpus < 3", action: Allow}] | 3:26: rules[0].when: `victm` is not known here. Did you mean `victim`?
          rules: [{name: r, when: "victim.gpus", action: Allow}] | 3:32: rules[0].when: the expression must result in true or false, but results in int. Compare it, as in victim.gpus > 0.
          rules: [{name: r, when: "victim.ran > 30", action: Allow}] | 3:37: rules[0].when: > is not defined for (duration, int). Write a duration like duration('30m').
          rules: [{name: r, when: "victim.remaining < duration('1h')", action: Allow}] | 3:43: rules[0].when: < is not defined for (optional(duration), duration). Add .orValue(...) to values that may be unknown.
          rules: [{name: r, when: "victim.ran > duration('1d')", action: Allow}] | 3:48: rules[0].when: a duration in an expression is written like duration('1h30m'), with h, m and s.
          rules: [{name: r, when: "victim.gpus >", action: Allow}] | 3:39: rules[0].when: is not an expression: something is missing at its end.
          rules: [{name: r, when: "99999999999999999999 > 0", action: Allow}] | 3:26: rules[0].when: a number is too large: whole numbers range from -9223372036854775808 to 9223372036854775807.
          delay: "victim.ran" | 3:9: delay: `victim` is not known here. Known: preemptor.
          delay: 30 min | 3:8: delay: "30 min" is not a duration. Write it like 30m, 1h30m or 45s.
          mode: enforced | 3:7: mode: "enforced" is not known. Did you mean "Enforce"?
          rules: [{name: r, to: {priority: {min: 5, max: 4}}, action: Allow}] | 3:40: rules[0].to.priority.min: 5 is more than max (4).
          rules: [{name: a, action: Deny}, {name: b, action: Allow}] | 3:41: rules[1].name: is never reached: the rule "a" above matches every pair.
          rules: [{name: a, to: {gpus: {min: 1}}, action: Deny}, {name: a, action: Allow}] | 3:63: rules[1].name: "a" is already the name of rules[0].name in p0.yaml:3:16.
          protect: [{name: p, minRunTime: 1h, progress: 90}] | 3:47: protect[0].progress: conflicts with minRunTime: an entry has one condition. Of two entries, either protects.
          protect: [{name: p}] | 3:11: protect[0]: spares every gang at all times. Set mode: Off to switch preemption off.
          protect: [{name: p, until: 2026-12-01T00:00:00Z, reason: x}] | 3:11: protect[0].owner: is missing. A protection with until needs owner and reason.
          protect: [{name: p, until: tomorrow, owner: x, reason: x}] | 3:28: protect[0].until: "tomorrow" is not a time in UTC. Write it like 2026-12-24T18:00:00Z.
          protect: [{name: p, since: 2026-12-01T09:00:00Z, until: "2026-12-01T10:00:00+02:00", owner: x, reason: x}] | 3:57: protect[0].until: 2026-12-01T10:00:00+02:00 is not after since (2026-12-01T09:00:00Z).
          rules: [{name: no-rule, action: Allow}] | 3:16: rules[0].name: "no-rule" is reserved by Muster.
          protect: [{name: maxPreemptions, minRunTime: 1h}] | 3:18: protect[0].name: "maxPreemptions" is reserved by Muster.
          protect: [{name: p, window: {zone: Berlin}}] | 3:36: protect[0].window.zone: "Berlin" is not a time zone. Write it like UTC or Europe/Berlin.
          protect: [{name: p, window: {from: "8:00"}}] | 3:36: protect[0].window.from: "8:00" is not well formed. Write it in quotes, like "08:00" or "22:30"; midnight is "00:00".
          victimOrder: [lowestPriority, cost] | 3:14: victimOrder: names cost, but the field cost is missing.
          victimOrder: [lowestPriorty] | 3:15: victimOrder[0]: "lowestPriorty" is not known. Did you mean "lowestPriority"?
          tests: [{name: t, given: {preemptor: {lostWork: 99999999999999999999}, victim: {}}, expect: {action: Deny}}] | 3:49: tests[0].given.preemptor.lostWork: 99999999999999999999 is too large: at most 9223372036854775807.
          tests: [{name: t, given: {preemptor: {}, victim: {}}, expect: {action: Deny, price: {youngest: -99999999999999999999}}}] | 3:96: tests[0].expect.price.youngest: -99999999999999999999 is too small: at least -9223372036854775808.
          cost: [{by: smallest}] | 3:7: cost: is not used: victimOrder does not name cost.
          limits: {maxPreemptions: {count: 3}} | 3:26: limits.maxPreemptions.per: is missing. Write it like {count: 3, per: 24h}.
          limits: {cooldown: 0s} | 3:20: limits.cooldown: "0s" must be longer than zero. Write it like 30m, 1h30m or 45s.
          plugin: {name: lottery} | 3:16: plugin.name: "lottery" is not an installed plug-in. No plug-in is installed.
          """)
  void each_is_reported_with_its_place_and_a_remedy(String text, String problem) {
    assertThat(PolicyYaml.problems(text)).containsExactly("p0.yaml:" + problem);
  }

  @Test
  void expression_that_is_too_long_is_reported_once() {
    String text =
        "rules: [{name: r, when: \"%s true\", action: Allow}]".formatted(" ".repeat(4_092));
    assertThat(PolicyYaml.problems(text)).hasSize(1).first().asString().contains("too long");
  }

  @Test
  void exemption_may_end_within_the_second_in_which_it_begins() {
    assertThat(
            PolicyYaml.problems(
                "protect: [{name: p, since: 2026-12-01T00:00:00Z, until: 2026-12-01T00:00:00.5Z, owner: x, reason: x}]"))
        .isEmpty();
  }

  @Test
  void weight_that_makes_priorities_cost_alike_is_reported() {
    String text =
        "victimOrder: [cost]\ncost: [{by: smallest, weight: 1000000}, {by: lowestPriority, weight: %d}]";

    assertThat(PolicyYaml.problems(text.formatted(262144))).isEmpty();
    assertThat(PolicyYaml.problems(text.formatted(262145)))
        .containsExactly(
            "p0.yaml:4:70: cost[1].weight: 262145 is too large for lowestPriority: amounts count from -2147483648, so all gangs of high priority would cost equally much. At most 262144.");
  }

  @Test
  void all_are_reported_at_once() {
    assertThat(
            PolicyYaml.problems(
                "mode: On\nrules: [{name: r, when: 'victim.x', action: Allow}]", "delay: 3"))
        .hasSize(3);
  }

  @Test
  void text_above_an_expression_does_not_move_its_place() {
    String text =
        "# preemptor.prority > 1 was a mistake, says preemptor.foo\nrules:\n  - name: r\n    when: preemptor.prority > 1\n    action: Deny\n";

    assertThat(PolicyYaml.problems(text))
        .containsExactly(
            "p0.yaml:6:20: rules[0].when: a gang has no `prority`. Did you mean `priority`?");
  }

  @Test
  void missing_names_are_distinct() {
    assertThat(PolicyYaml.problems("rules: [{action: Allow}]\nprotect: [{minRunTime: 1h}]"))
        .hasSize(2)
        .allMatch(problem -> problem.contains("].name: is missing."), "is missing");
  }

  @Test
  void expressions_of_several_lines_have_their_own_line_and_column() {
    String text =
        "rules:\n  - name: r\n    when: |\n      victim.gpus > 3 &&\n        victim.age > 3\n    action: Deny\n";

    assertThat(PolicyYaml.problems(text))
        .containsExactly(
            "p0.yaml:7:15: rules[0].when: a gang has no `age`. Known: name, namespace, queue, priority, labels, members, minCount, gpus, nodes, models, waited, ran, remaining, progress, sinceCheckpoint, lostWork, preempted, borrows, preemptible.");
  }
}
