package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.admission.Quota;
import dev.muster.core.backfill.BackfillSettings;
import dev.muster.core.budget.BudgetOwner;
import dev.muster.core.budget.SpentBudget;
import dev.muster.core.cluster.Event;
import dev.muster.core.decision.ReasonText;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.node.Hold;
import dev.muster.core.state.Policies;
import dev.muster.core.victims.PreemptionPolicy.Mode;
import dev.muster.core.victims.PriorityPreemptionPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// While a budget is used up, its gangs do not start, and those that run go on.
class BudgetHoldTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Instant UNTIL = Scene.START.plus(Duration.ofHours(2));
  private static final BudgetOwner QUEUE = BudgetOwner.queue("q");
  private static final BudgetOwner PROJECT = BudgetOwner.project("llm");

  private static SpentBudget budget(BudgetOwner owner) {
    return new SpentBudget(owner, 12, 10, UNTIL);
  }

  private static Event spent(Scene scene, SpentBudget... budgets) {
    return new Event.BudgetsSpent(scene.now(), List.of(budgets));
  }

  private static Scene spends(Scene scene, BudgetOwner owner) {
    return scene.then(spent(scene, budget(owner)));
  }

  private static GangDraft in(String queue, String name, int gpus) {
    return gang(name).of(1, gpus).queue(queue);
  }

  /// The gang arrives with a label that names its project.
  private static Scene arrivesOf(Scene scene, String project, GangDraft gang) {
    var labels = new TreeMap<>(Map.of(BudgetOwner.PROJECT_LABEL, project));
    scene.then(new Event.GangSeen(scene.now(), gang.spec().labelled(labels)));
    gang.members().forEach(member -> scene.then(new Event.MemberSeen(scene.now(), member)));
    return scene;
  }

  private static Scene ofPriority(String drawing) {
    return Scene.of(drawing, Policies.DEFAULT.with(new PriorityPreemptionPolicy(Mode.ENFORCE)));
  }

  // ---- Who waits ----

  @Test
  void gang_of_a_spent_queue_waits_with_the_reason() {
    Scene scene = spends(Scene.of("b/r: n1[....]"), QUEUE).arrives(in("q", "g", 2));

    assertThat(scene.nodesOf("g")).isEmpty();
    assertThat(scene.whyNot("g").map(ReasonText::token)).contains("BudgetSpent");
    assertThat(scene.whyNot("g").map(ReasonText::sentence))
        .contains(
            "The budget of the queue q is spent: 12 of 10 GPU-hours are used. Its next period begins at 2026-11-01T02:00:00Z.");
  }

  @Test
  void gang_of_another_queue_starts() {
    Scene scene = spends(Scene.of("b/r: n1[....]"), QUEUE).arrives(in("other", "g", 2));

    assertThat(scene.nodesOf("g")).containsExactly("n1");
  }

  @Test
  void gang_of_a_spent_project_waits_in_any_queue() {
    Scene scene = spends(Scene.of("b/r: n1[....]"), PROJECT);

    arrivesOf(scene, "llm", in("q", "g", 2));

    assertThat(scene.whyNot("g")).contains(new Veto.BudgetSpent(budget(PROJECT)));
  }

  @Test
  void gang_without_gpus_starts() {
    Scene scene = spends(Scene.of("b/r: n1[....]"), QUEUE).arrives(in("q", "g", 0));

    assertThat(scene.nodesOf("g")).containsExactly("n1");
  }

  @Test
  void like_gang_of_another_project_starts() {
    Scene scene = Scene.of("b/r: n1[##..]");
    arrivesOf(scene, "llm", in("q", "first", 4));
    arrivesOf(scene, "vision", in("q", "second", 4));
    spends(scene, PROJECT);
    assertThat(scene.whyNot("second")).containsInstanceOf(Veto.NotEnoughFree.class);

    scene.then(new Event.UnmanagedPodGone(scene.now(), Scene.unmanagedPod("n1")));

    assertThat(scene.nodesOf("first")).isEmpty();
    assertThat(scene.nodesOf("second")).containsExactly("n1");
  }

  @Test
  void reason_of_a_waiting_gang_changes_when_its_budget_is_spent() {
    Scene scene = spends(Scene.of("b/r: n1[##..]").arrives(in("q", "g", 4)), QUEUE);

    assertThat(scene.whyNot("g")).contains(new Veto.BudgetSpent(budget(QUEUE)));
  }

  @Test
  void budget_that_ends_last_is_the_reason() {
    SpentBudget longer = new SpentBudget(PROJECT, 1, 1, UNTIL.plus(Duration.ofDays(1)));
    Scene scene = Scene.of("b/r: n1[....]");
    scene.then(spent(scene, longer, budget(QUEUE)));

    arrivesOf(scene, "llm", in("q", "g", 2));

    assertThat(scene.whyNot("g")).contains(new Veto.BudgetSpent(longer));
  }

  @Test
  void gang_that_never_fits_is_told_so() {
    Scene scene = spends(Scene.of("b/r: n1[....]"), QUEUE).arrives(in("q", "g", 8));

    assertThat(scene.whyNot("g").map(ReasonText::token)).contains("ImpossibleRequest");
  }

  @Test
  void first_decision_after_a_restart_knows_the_spent_budgets() {
    Scene scene = spends(Scene.unsynced("b/r: n1[....]", Policies.DEFAULT), QUEUE);
    scene.arrives(in("q", "g", 2));

    scene.then(new Event.Synced(scene.now()));

    assertThat(scene.whyNot("g")).contains(new Veto.BudgetSpent(budget(QUEUE)));
  }

  // ---- What ends the wait ----

  @Test
  void gang_starts_when_the_period_ends() {
    Scene scene = spends(Scene.of("b/r: n1[....]"), QUEUE).arrives(in("q", "g", 2));
    scene.after(Duration.ofHours(2).minus(SECOND));
    assertThat(scene.nodesOf("g")).isEmpty();

    scene.after(SECOND);

    assertThat(scene.nodesOf("g")).containsExactly("n1");
  }

  @Test
  void gang_starts_when_its_budget_is_no_longer_spent() {
    Scene scene = spends(Scene.of("b/r: n1[....]"), QUEUE).arrives(in("q", "g", 2));

    scene.then(spent(scene));

    assertThat(scene.nodesOf("g")).containsExactly("n1");
  }

  @Test
  void free_capacity_does_not_end_the_wait() {
    Scene scene = spends(Scene.of("b/r: n1[##..]"), QUEUE).arrives(in("q", "g", 2));

    scene.then(new Event.UnmanagedPodGone(scene.now(), Scene.unmanagedPod("n1")));

    assertThat(scene.nodesOf("g")).isEmpty();
  }

  // ---- Running gangs ----

  @Test
  void running_gang_goes_on() {
    Scene scene = spends(Scene.of("b/r: n1[....]").arrives(in("q", "g", 2)), QUEUE).after(SECOND);

    assertThat(scene.nodesOf("g")).containsExactly("n1");
  }

  @Test
  void running_gang_replaces_a_lost_member() {
    GangDraft pair = gang("g").of(2, 2).queue("q");
    Scene scene = spends(Scene.of("b/r: n1[....]").arrives(pair), QUEUE);
    scene.becomes(pair.member(0, ""), new MemberState.Ended(false));

    scene.then(new Event.MemberSeen(scene.now(), pair.member(0, "again")));

    assertThat(scene.nodesOf("g")).containsExactly("n1", "n1");
  }

  @Test
  void running_gang_does_not_grow() {
    GangDraft elastic = gang("g").of(2, 2).minCount(1).queue("q");
    Scene scene = Scene.of("b/r: n1[##..]").arrives(elastic);
    spends(scene, QUEUE);

    scene.then(new Event.UnmanagedPodGone(scene.now(), Scene.unmanagedPod("n1")));

    assertThat(scene.nodesOf("g")).hasSize(1);
  }

  /// Only the pods that its minimum needed at first are there when the budget is spent.
  private static Scene spendsBeforeOthersCome(Scene scene, GangDraft gang, int first) {
    scene.then(new Event.GangSeen(scene.now(), gang.minCount(first).spec()));
    for (int rank = 0; rank < first; rank++) {
      scene.then(new Event.MemberSeen(scene.now(), gang.member(rank, "")));
    }
    spends(scene, QUEUE);
    for (int rank = first; rank < gang.members().size(); rank++) {
      scene.then(new Event.MemberSeen(scene.now(), gang.member(rank, "")));
    }
    return scene;
  }

  @Test
  void running_gang_does_not_grow_to_a_raised_minimum() {
    GangDraft grown = gang("g").of(4, 1).queue("q");
    Scene scene = spendsBeforeOthersCome(Scene.of("b/r: n1[....]"), grown, 1);

    scene.then(new Event.GangSeen(scene.now(), grown.minCount(4).spec()));

    assertThat(scene.nodesOf("g")).hasSize(1);
  }

  @Test
  void running_gang_does_not_grow_by_losing_a_member() {
    GangDraft elastic = gang("g").of(4, 1).queue("q");
    Scene scene = spendsBeforeOthersCome(Scene.of("b/r: n1[....]"), elastic, 2);

    scene.then(new Event.MemberGone(scene.now(), elastic.id(), elastic.member(0, "").id()));

    assertThat(scene.nodesOf("g")).hasSize(2);
  }

  @Test
  void running_gang_gets_no_larger_member_for_a_lost_one() {
    GangDraft pair = gang("g").of(2, 1).queue("q");
    Scene scene = spends(Scene.of("b/r: n1[....]").arrives(pair), QUEUE);
    scene.then(new Event.MemberGone(scene.now(), pair.id(), pair.member(1, "").id()));

    Member larger = gang("g").of(1, 1).of(1, 2).queue("q").member(1, "again");
    scene.then(new Event.MemberSeen(scene.now(), larger));

    assertThat(scene.nodesOf("g")).hasSize(1);
  }

  @Test
  void starting_gang_does_not_grow_to_a_raised_minimum() {
    GangDraft grown = gang("g").of(4, 1).queue("q");
    Scene scene = spendsBeforeOthersCome(Scene.of("b/r: n1[....]").silent(), grown, 1);

    scene.then(new Event.GangSeen(scene.now(), grown.minCount(4).spec()));

    assertThat(scene.cluster().ledger().inUse(grown.id())).isLessThanOrEqualTo(1);
  }

  @Test
  void starting_gang_gets_another_place_for_a_lost_one() {
    Scene scene = Scene.of("b/r: n1[..] n2[..]").silent().arrives(in("q", "g", 2));
    NodeId promised = scene.cluster().promise(in("q", "g", 2).member(0, "")).orElseThrow().node();
    spends(scene, QUEUE);

    scene.then(new Event.NodeGone(scene.now(), promised));

    assertThat(scene.cluster().promise(in("q", "g", 2).member(0, "")))
        .hasValueSatisfying(other -> assertThat(other.node()).isNotEqualTo(promised));
  }

  // ---- Others ----

  @Test
  void waiting_gang_claims_no_guarantee() {
    Queues queues = Queues.of(List.of(Queue.of("q").guaranteed(Quota.of(4)), Queue.of("other")));
    Scene scene =
        Scene.of("b/r: n1[....]", Policies.of(queues, Duration.ofMinutes(2), Optional.empty()));
    spends(scene, QUEUE).arrives(in("q", "g", 4));

    scene.arrives(in("other", "h", 4));

    assertThat(scene.nodesOf("h")).containsExactly("n1");
  }

  @Test
  void guarantee_is_claimed_again_after_the_period() {
    Queues queues = Queues.of(List.of(Queue.of("q").guaranteed(Quota.of(4)), Queue.of("other")));
    Scene scene =
        Scene.of("b/r: n1[##..]", Policies.of(queues, Duration.ofMinutes(2), Optional.empty()));
    spends(scene, QUEUE).arrives(in("q", "g", 4)).after(Duration.ofHours(2));

    scene.arrives(in("other", "h", 2));

    assertThat(scene.whyNot("h")).containsInstanceOf(Veto.OverQuota.class);
  }

  @Test
  void capacity_kept_for_the_gang_is_given_up() {
    Policies draining = Policies.DEFAULT.with(new BackfillSettings(1, Duration.ofMinutes(1)));
    Scene scene = Scene.of("b/r: n1[....]", draining).arrives(in("other", "a", 1));
    scene.arrives(in("q", "big", 4).priority(2)).after(Duration.ofMinutes(2));
    assertThat(scene.cluster().holds().get(gang("big").id()).map(Hold::kind))
        .contains(Hold.Kind.DRAINING);

    spends(scene, QUEUE).after(SECOND);

    assertThat(scene.cluster().holds().contains(gang("big").id())).isFalse();
  }

  @Test
  void nobody_is_preempted_for_the_gang() {
    Scene scene = ofPriority("b/r: n1[....]").arrives(in("other", "low", 4));
    spends(scene, QUEUE).arrives(in("q", "high", 4).priority(10));

    scene.after(Duration.ofMinutes(10));

    assertThat(scene.nodesOf("low")).containsExactly("n1");
  }

  @Test
  void preemption_for_the_gang_is_called_off() {
    Scene scene = ofPriority("b/r: n1[....]").arrives(in("other", "low", 4)).silent();
    scene.arrives(in("q", "high", 4).priority(10)).after(SECOND);
    assertThat(scene.state().preemptions().underWay().contains(gang("high").id())).isTrue();

    spends(scene, QUEUE).after(SECOND);

    assertThat(scene.state().preemptions().underWay().contains(gang("high").id())).isFalse();
  }
}
