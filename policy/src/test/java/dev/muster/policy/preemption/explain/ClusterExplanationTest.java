package dev.muster.policy.preemption.explain;

import static dev.muster.core.kit.GangDraft.gang;
import static dev.muster.policy.preemption.PolicyYaml.policy;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.kit.Scene;
import dev.muster.core.state.Policies;
import dev.muster.policy.journal.ClusterSnapshot;
import dev.muster.policy.journal.JournalHeader;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/// The effect of a policy on a whole cluster is explained in words.
class ClusterExplanationTest {
  private static final JournalHeader HEADER =
      JournalHeader.of(Scene.RACKS, Policies.DEFAULT, Map.of());
  private static final String HIGHER =
      "rules: [{name: higher, when: preemptor.priority > victim.priority, action: Allow}]\n";

  /// Two nodes, on which "low" and "mid" run; "high" waits for one of them, and "top" for both.
  private static ClusterSnapshot snapshot() {
    Scene scene =
        Scene.of("b1/r1: n1[....] n2[....]")
            .arrives(gang("low").of(2, 2))
            .arrives(gang("mid").of(1, 4).priority(5))
            .arrives(gang("high").of(1, 4).priority(5))
            .arrives(gang("top").of(2, 4).priority(20))
            .after(Duration.ofMinutes(2));
    return ClusterSnapshot.of(HEADER, scene.told(), UnaryOperator.identity());
  }

  private static List<String> plan(String gang, String policy) {
    return new ClusterExplanation(snapshot(), policy(policy)).plan(gang(gang).id());
  }

  @Test
  void plan_names_the_victims_and_the_placement() {
    assertThat(plan("high", HIGHER))
        .containsExactly(
            "Plan: preempt these gangs at lowestPriority 0, fewestGangs 1, leastLostWork 480, then start on n1.",
            "  ml/low: 2 pods with 4 GPUs on n1, by the rule higher");
  }

  @Test
  void plan_may_need_several_victims() {
    assertThat(plan("top", HIGHER)).hasSize(3).first().asString().endsWith("then start on n1, n2.");
  }

  @Test
  void no_plan_exists_when_all_victims_free_too_little() {
    assertThat(plan("top", HIGHER + "protect: [{name: young, victims: {priority: {min: 5}}}]\n"))
        .containsExactly("No plan: preempting every allowed gang would not make it fit.");
  }

  @Test
  void no_plan_exists_while_the_policy_delays_it() {
    assertThat(plan("high", HIGHER + "delay: 5m\n"))
        .containsExactly("No plan yet: the policy's delay ends in 3m.");
  }

  @Test
  void no_plan_exists_beyond_the_hourly_limit() {
    assertThat(plan("top", HIGHER + "limits: {evictionsPerHour: 1}\n"))
        .containsExactly(
            "No plan now: it needs 2 preemptions, but only 1 more are allowed in this hour.");
  }

  @Test
  void possible_victims_are_judged_rule_by_rule() {
    List<String> text = new ClusterExplanation(snapshot(), policy(HIGHER)).text(gang("high").id());
    assertThat(text)
        .anyMatch(line -> line.startsWith("For ml/high (queue ml, priority 5, 4 GPUs)"))
        .anyMatch(line -> line.startsWith("ml/low (queue ml, priority 0, 4 GPUs): rule higher"))
        .contains("  rule higher: matches, Allow")
        .noneMatch(line -> line.startsWith("ml/mid"));
    assertThat(text.getLast())
        .startsWith("Never preempted for it under any policy")
        .endsWith("ml/mid.");
  }

  @Test
  void comparison_lists_the_plans_that_change() {
    String guarded = HIGHER + "protect: [{name: low, victims: {priority: {max: 0}}}]\n";
    assertThat(ClusterExplanation.changes(policy(HIGHER), policy(guarded), snapshot()))
        .satisfiesExactly(
            high ->
                assertThat(high)
                    .startsWith("ml/high:\n  - Plan: preempt these gangs")
                    .endsWith("  + No plan: preempting every allowed gang would not make it fit."),
            top -> assertThat(top).startsWith("ml/top:\n  - Plan: preempt these gangs"));
  }

  @Test
  void changed_settings_are_reported_by_their_file_names() {
    String other =
        "mode: Shadow\nlimits: {maxVictimGpus: 64, evictionsPerHour: 7, cooldown: 90s, maxPreemptions: {count: 1, per: 1h}}\nvictimOrder: [lowestPriority, cost]\ncost: [{expression: victim.gpus * 60}]\nnotice: 1m\ngrace: 30s\n";
    assertThat(ClusterExplanation.changes(policy(""), policy(other), snapshot()))
        .containsExactly(
            "mode: Enforce -> Shadow",
            "limits.maxVictimGpus: not limited -> 64",
            "limits.evictionsPerHour: 60 -> 7",
            "limits.cooldown: 1m -> 1m30s",
            "victimOrder: [lowestPriority, fewestGangs, leastLostWork] -> [lowestPriority, cost]",
            "limits.maxPreemptions: 3 per 1d -> 1 per 1h",
            "cost: none -> 1 * (victim.gpus * 60)",
            "notice: 0s -> 1m",
            "grace: what the pods say -> 30s");
  }

  @Test
  void policy_compared_with_itself_changes_nothing() {
    assertThat(ClusterExplanation.changes(policy(HIGHER), policy(HIGHER), snapshot())).isEmpty();
  }
}
