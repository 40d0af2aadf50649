package dev.muster.core.engine;

import static dev.muster.core.engine.BackfillScenes.hold;
import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.admission.Quota;
import dev.muster.core.backfill.BackfillSettings;
import dev.muster.core.cluster.Event;
import dev.muster.core.decision.Decision;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangPast;
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
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// A running gang without some members is repaired in time or released, whatever happens meanwhile.
class RepairTest {
  private static final Policies BY_PRIORITY =
      Policies.DEFAULT.with(new PriorityPreemptionPolicy(Mode.ENFORCE));

  private static void fails(Scene scene, GangDraft gang, int rank) {
    Member member = gang.member(rank, "");
    scene.becomes(
        scene.cluster().gang(gang.id()).members().get(member.id()).orElseThrow(),
        new MemberState.Ended(false));
    scene.then(new Event.MemberGone(scene.now(), gang.id(), member.id()));
  }

  private static void isReplaced(Scene scene, GangDraft gang, int rank) {
    scene.becomes(gang.member(rank, "-again"), new MemberState.Held(false));
  }

  private static void isRefusedBudget(Scene scene, Member pod) {
    scene.then(new Event.MemberNotEvicted(scene.now(), pod.gang(), pod.id(), true, "429"));
  }

  @Test
  void gang_is_released_although_others_were_to_be_preempted_for_it() {
    GangDraft broken = gang("a").of(2, 4).priority(10);
    Scene scene =
        Scene.of("b/r: n1[....] n2[....] n3[....]", BY_PRIORITY)
            .arrives(broken)
            .arrives(gang("low").of(1, 4));
    scene.then(new Event.NodeGone(scene.now(), new NodeId("n2")));
    fails(scene, broken, 1);
    isReplaced(scene, broken, 1);
    scene.silent().after(Duration.ofSeconds(1));
    scene.then(new Event.VictimsRecorded(scene.now(), broken.id()));
    isRefusedBudget(scene, gang("low").of(1, 4).member(0, ""));
    scene.after(Policies.REPAIR.plusMinutes(1));
    assertThat(scene.decisions()).anyMatch(Decision.Release.class::isInstance);
  }

  @Test
  void half_evicted_victim_that_stays_is_released() {
    GangDraft low = gang("low").of(2, 4);
    GangId high = gang("high").id();
    Scene scene =
        Scene.of("b/r: n1[....] n2[....]", BY_PRIORITY)
            .arrives(low)
            .arrives(gang("high").of(2, 4).priority(10));
    scene.silent().after(Duration.ofSeconds(1));
    scene.then(new Event.VictimsRecorded(scene.now(), high));
    scene.then(new Event.VictimTold(scene.now(), low.id()));
    scene.then(new Event.MemberGone(scene.now(), low.id(), low.member(0, "").id()));
    scene.after(Duration.ofSeconds(31));
    isRefusedBudget(scene, low.member(1, ""));
    scene.then(new Event.NodeGone(scene.now(), new NodeId("n1")));
    isReplaced(scene, low, 0);
    scene.after(Policies.REPAIR.plusMinutes(1));
    assertThat(scene.decisions()).anyMatch(Decision.Release.class::isInstance);
  }

  @Test
  void gang_is_released_although_a_replacement_was_promised_before() {
    GangDraft broken = gang("a").of(2, 4);
    Scene scene = Scene.of("b/r: n1[....] n2[....]").arrives(broken);
    fails(scene, broken, 1);
    scene.after(Policies.REPAIR.minusSeconds(20)).silent();
    isReplaced(scene, broken, 1);
    scene.after(Duration.ofSeconds(30));
    scene.then(new Event.NodeGone(scene.now(), new NodeId("n2")));
    scene.after(Policies.REPAIR.plusMinutes(1));
    assertThat(scene.decisions()).anyMatch(Decision.Release.class::isInstance);
  }

  @Test
  void late_replacement_gets_the_whole_time() {
    GangDraft broken = gang("a").of(2, 4);
    Scene scene = Scene.of("b/r: n1[....] n2[....]").arrives(broken);
    scene.then(new Event.NodeGone(scene.now(), new NodeId("n2")));
    fails(scene, broken, 1);
    scene.after(Policies.REPAIR.plusMinutes(5));
    isReplaced(scene, broken, 1);
    scene.after(Policies.REPAIR.minusSeconds(5));
    assertThat(scene.nodesOf("a")).hasSize(1);
    scene.after(Duration.ofSeconds(10));
    assertThat(scene.nodesOf("a")).isEmpty();
  }

  /// Its owner made it smaller, and begins to make it grow again, but not to what it started with.
  @Test
  void gang_with_a_lowered_minimum_keeps_running_and_grows_as_possible() {
    GangDraft ray = gang("ray").of(5, 1);
    Scene scene = Scene.of("b/r: n1[....] n2[....]").arrives(ray);
    for (int rank = 2; rank < 5; rank++) {
      fails(scene, ray, rank);
    }
    isReplaced(scene, ray, 2);
    assertThat(scene.nodesOf("ray")).hasSize(2);
    scene.after(Policies.REPAIR.plusSeconds(10));
    assertThat(scene.nodesOf("ray")).hasSize(3);
    isReplaced(scene, ray, 3);
    assertThat(scene.nodesOf("ray")).hasSize(4);
    assertThat(scene.decisions()).noneMatch(Decision.Release.class::isInstance);
  }

  @Test
  void last_late_replacement_gets_the_whole_time() {
    GangDraft broken = gang("a").of(3, 4);
    Scene scene = Scene.of("b/r: n1[....] n2[....] n3[....]").arrives(broken);
    scene.then(new Event.NodeGone(scene.now(), new NodeId("n2")));
    scene.then(new Event.NodeGone(scene.now(), new NodeId("n3")));
    fails(scene, broken, 1);
    fails(scene, broken, 2);
    isReplaced(scene, broken, 1);
    scene.after(Policies.REPAIR.plusMinutes(5));
    isReplaced(scene, broken, 2);
    scene.after(Policies.REPAIR.minusSeconds(5));
    assertThat(scene.nodesOf("a")).hasSize(1);
    scene.after(Duration.ofSeconds(10));
    assertThat(scene.nodesOf("a")).isEmpty();
  }

  @Test
  void members_of_a_raised_minimum_join_one_by_one() {
    GangDraft grown = gang("a").of(2, 1);
    Scene scene = Scene.of("b/r: n1[....]").arrives(grown);
    scene.then(new Event.GangSeen(scene.now(), grown.minCount(4).spec()));
    scene.becomes(gang("a").of(4, 1).member(2, ""), new MemberState.Held(false));
    assertThat(scene.nodesOf("a")).hasSize(3);
  }

  /// Its further pods do not exist yet. They are not needed for what it ran with.
  @Test
  void lost_member_is_replaced_at_once_although_the_minimum_was_raised() {
    GangDraft grown = gang("a").of(2, 4);
    Scene scene = Scene.of("b/r: n1[....] n2[....]").arrives(grown);
    scene.then(new Event.GangSeen(scene.now(), gang("a").of(2, 4).minCount(4).spec()));
    fails(scene, grown, 1);
    isReplaced(scene, grown, 1);
    assertThat(scene.nodesOf("a")).containsExactly("n1", "n2");
  }

  @Test
  void borrower_may_replace_its_lost_member() {
    GangDraft borrower = gang("b").of(4, 1).queue("b");
    Queues queues = Queues.of(List.of(Queue.of("a").guaranteed(Quota.of(4)), Queue.of("b")));
    Scene scene =
        Scene.of("b/r: n1[....]", Policies.of(queues, Duration.ofMinutes(2), Optional.empty()))
            .arrives(borrower)
            .arrives(gang("a").of(1, 4).queue("a"));
    fails(scene, borrower, 3);
    isReplaced(scene, borrower, 3);
    assertThat(scene.nodesOf("b")).hasSize(4);
  }

  /// A borrower with two members of 1 GPU, and a lender that waits for all GPUs.
  private static Scene borrowing(GangDraft borrower) {
    Queues queues = Queues.of(List.of(Queue.of("a").guaranteed(Quota.of(8)), Queue.of("b")));
    Policies policies = Policies.of(queues, Duration.ofMinutes(2), Optional.empty());
    Scene scene = Scene.of("b/r: n1[....] n2[....]", policies);
    scene.then(new Event.GangSeen(scene.now(), borrower.spec()));
    scene.then(new Event.MemberSeen(scene.now(), borrower.member(0, "")));
    scene.then(new Event.MemberSeen(scene.now(), borrower.member(1, "")));
    return scene.arrives(gang("a").of(2, 4).queue("a"));
  }

  @Test
  void borrower_does_not_grow_by_losing_a_member() {
    GangDraft borrower = gang("b").of(6, 1).minCount(2).queue("b");
    Scene scene = borrowing(borrower);
    for (int rank = 2; rank < 6; rank++) {
      scene.then(new Event.MemberSeen(scene.now(), borrower.member(rank, "")));
    }
    fails(scene, borrower, 1);
    isReplaced(scene, borrower, 1);
    assertThat(scene.nodesOf("b")).hasSize(2);
  }

  @Test
  void borrower_gets_no_larger_member_for_a_lost_one() {
    Scene scene = borrowing(gang("b").of(2, 1).queue("b"));
    fails(scene, gang("b").of(2, 1).queue("b"), 1);
    isReplaced(scene, gang("b").of(1, 1).of(1, 2).queue("b"), 1);
    assertThat(scene.nodesOf("b")).hasSize(1);
  }

  /// What it held before is not known after a restart.
  @Test
  void borrower_that_lacks_a_member_at_a_restart_may_replace_it() {
    GangDraft borrower = gang("b").of(2, 1).queue("b");
    Queues queues = Queues.of(List.of(Queue.of("a").guaranteed(Quota.of(8)), Queue.of("b")));
    Scene scene =
        Scene.unsynced(
            "b/r: n1[....] n2[....]", Policies.of(queues, Duration.ofMinutes(2), Optional.empty()));
    GangPast ran = GangPast.NONE.running(Optional.of(2));
    scene.then(new Event.GangSeen(scene.now(), borrower.spec().recalling(Optional.of(ran))));
    scene.becomes(borrower.member(0, ""), new MemberState.Bound(new NodeId("n1"), scene.now()));
    scene.arrives(gang("a").of(2, 4).queue("a"));
    scene.then(new Event.Synced(scene.now()));
    isReplaced(scene, borrower, 1);
    assertThat(scene.nodesOf("b")).hasSize(2);
  }

  /// One member of `a` on each of two nodes, the rest of which others use; `next` waits.
  private static Scene oneOnEachNode(GangDraft a, GangDraft other, GangDraft next) {
    return Scene.of("b/r: n1[........] n2[........]")
        .arrives(a)
        .arrives(other)
        .arrives(next)
        .after(Duration.ofSeconds(2));
  }

  /// The member of `a` fails where room is held for `next`, and is replaced.
  @Test
  void hold_for_a_replacement_ends_when_the_gang_needs_no_more_members() {
    GangDraft broken = gang("a").of(2, 4);
    Scene scene = Scene.of("b/r: n1[....] n2[....]").arrives(broken);
    fails(scene, broken, 1);
    scene.arrives(gang("b").of(1, 4));
    scene.then(new Event.GangSeen(scene.now(), broken.minCount(1).spec()));
    assertThat(scene.nodesOf("b")).containsExactly("n2");
  }

  /// Not before the others have had a moment to go, too: what they leave is one piece with it.
  @Test
  void hold_for_a_replacement_ends_soon_after_the_gang_is_withdrawn() {
    GangDraft broken = gang("a").of(2, 4);
    Scene scene = Scene.of("b/r: n1[....] n2[....]").arrives(broken);
    fails(scene, broken, 1);
    scene.arrives(gang("b").of(1, 4));
    scene.then(new Event.GangGone(scene.now(), broken.id()));
    assertThat(scene.nodesOf("b")).isEmpty();
    scene.after(Hold.ENDING_WITHIN);
    assertThat(scene.nodesOf("b")).containsExactly("n2");
  }

  private static void failsInTheWay(Scene scene, GangDraft a) {
    NodeId node = hold(scene, "next").orElseThrow().shares().keys().getFirst();
    Member lost =
        scene.gang("a").members().values().stream()
            .filter(member -> member.node().filter(node::equals).isPresent())
            .findFirst()
            .orElseThrow();
    fails(scene, a, (int) lost.rank());
    assertThat(scene.nodesOf("next")).isEmpty();
    isReplaced(scene, a, (int) lost.rank());
  }

  @Test
  void drain_takes_no_capacity_held_for_a_replacement() {
    GangDraft a = gang("a").onePerNode().of(2, 4);
    Scene scene = oneOnEachNode(a, gang("x").of(2, 4), gang("next").of(1, 4).priority(5));
    scene.after(BackfillSettings.DEFAULT.drainAfter());
    assertThat(hold(scene, "next").map(Hold::kind)).contains(Hold.Kind.DRAINING);
    failsInTheWay(scene, a);
    assertThat(scene.nodesOf("a")).hasSize(2);
    assertThat(scene.ends("x").nodesOf("next")).hasSize(1);
  }

  /// The replacement runs on when the others are expected to have ended.
  @Test
  void planned_start_takes_no_capacity_held_for_a_replacement() {
    Duration run = Duration.ofHours(2);
    GangDraft a = gang("a").onePerNode().of(2, 4).running(run);
    Scene scene = oneOnEachNode(a, gang("x").of(2, 4).running(run), gang("next").of(1, 8));
    assertThat(hold(scene, "next").map(Hold::kind)).contains(Hold.Kind.PLANNED);
    failsInTheWay(scene, a);
    assertThat(scene.nodesOf("a")).hasSize(2);
  }
}
