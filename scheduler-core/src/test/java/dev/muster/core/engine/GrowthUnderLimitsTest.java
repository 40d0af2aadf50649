package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.admission.Quota;
import dev.muster.core.budget.BudgetOwner;
import dev.muster.core.budget.SpentBudget;
import dev.muster.core.cluster.Event;
import dev.muster.core.gang.GangPast;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Policies;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/// Whatever its owner does, a gang does not grow while its budget is spent, or while others claim
/// all that it may borrow.
class GrowthUnderLimitsTest {
  private static final int MEMBERS = 8;
  private static final GangDraft GANG = gang("g").of(MEMBERS, 1).queue("b");
  private static final GangDraft WORKERS = gang("g").of(1, 0).of(3, 2).queue("b");

  @Property(tries = 200)
  void gang_of_a_spent_budget_holds_no_more_gpus(@ForAll @IntRange(min = 0) int seed) {
    Scene scene = Scene.of("b/r: n1[........] n2[........]");
    int most = begin(scene, new Random(seed));
    spend(scene);
    go(scene, new Random(seed), most);
  }

  @Property(tries = 200)
  void borrower_holds_no_more_gpus_while_all_are_claimed(@ForAll @IntRange(min = 0) int seed) {
    Queues queues = Queues.of(List.of(Queue.of("a").guaranteed(Quota.of(16)), Queue.of("b")));
    Scene scene =
        Scene.of(
            "b/r: n1[........] n2[........]",
            Policies.of(queues, Duration.ofMinutes(2), Optional.empty()));
    int most = begin(scene, new Random(seed));
    scene.arrives(gang("lender").of(2, 8).queue("a"));
    go(scene, new Random(seed), most);
  }

  // ---- Lost members ----

  /// Its driver without GPUs runs on while its budget is spent, and three workers are lost.
  private static Scene losing() {
    Scene scene = Scene.of("b/r: n1[........]").arrives(WORKERS);
    spend(scene);
    for (int rank = 1; rank < 4; rank++) {
      scene.then(new Event.MemberGone(scene.now(), GANG.id(), WORKERS.member(rank, "").id()));
    }
    return scene;
  }

  private static int heldOnceWorkersComeBack(Scene scene) {
    for (int rank = 1; rank < 4; rank++) {
      scene.then(new Event.MemberSeen(scene.now(), WORKERS.member(rank, "-again")));
    }
    return held(scene);
  }

  @Test
  void lost_workers_are_replaced_within_the_time_for_repair() {
    assertThat(heldOnceWorkersComeBack(losing().after(Duration.ofMinutes(9)))).isEqualTo(6);
  }

  @Test
  void gang_gets_nothing_back_after_the_time_for_repair() {
    Scene scene = losing().after(Policies.REPAIR.plusSeconds(2));
    assertThat(heldOnceWorkersComeBack(scene)).isZero();
  }

  @Test
  void gang_gets_nothing_back_between_the_end_of_that_time_and_the_next_tick() {
    Scene scene = losing().after(Policies.REPAIR.minusSeconds(1));
    Instant late = scene.now().plusMillis(1_100);
    for (int rank = 1; rank < 4; rank++) {
      scene.then(new Event.MemberSeen(late, WORKERS.member(rank, "-again")));
    }
    assertThat(held(scene)).isZero();
  }

  /// Otherwise each new object would begin the time for repair again.
  @Test
  void gang_gets_nothing_back_under_a_new_object() {
    Scene scene = losing();
    scene.then(new Event.GangGone(scene.now(), GANG.id()));
    scene.then(new Event.GangSeen(scene.now(), WORKERS.spec()));
    assertThat(heldOnceWorkersComeBack(scene)).isZero();
  }

  // ---- Restarts ----

  /// A restart finds these members bound and a spent budget. The gang ran with four members. Then
  /// the others come, of 4 GPUs each.
  private static int heldAfterRestart(int... bound) {
    GangDraft draft = gang("g").minCount(4).queue("b");
    Arrays.stream(bound).forEach(gpus -> draft.of(1, gpus));
    Scene scene = Scene.unsynced("b/r: n1[........] n2[........]", Policies.DEFAULT);
    spend(scene);
    GangPast past = GangPast.NONE.running(Optional.of(4));
    scene.then(new Event.GangSeen(scene.now(), draft.spec().recalling(Optional.of(past))));
    for (Member member : draft.members()) {
      scene.becomes(member, new MemberState.Bound(new NodeId("n1"), scene.now()));
    }
    scene.then(new Event.Synced(scene.now()));
    draft.of(4 - bound.length, 4);
    for (int rank = bound.length; rank < 4; rank++) {
      scene.then(new Event.MemberSeen(scene.now(), draft.member(rank, "")));
    }
    return held(scene);
  }

  @Test
  void lost_members_are_replaced_after_a_restart() {
    assertThat(heldAfterRestart(0, 4, 4)).isEqualTo(12);
  }

  /// The others may have had no GPUs.
  @Test
  void lost_members_count_as_no_more_gpus_than_bound_ones_after_a_restart() {
    assertThat(heldAfterRestart(4)).isEqualTo(4);
  }

  @Test
  void lost_members_count_as_the_smallest_one_with_gpus_after_a_restart() {
    assertThat(heldAfterRestart(1, 4)).isEqualTo(5);
  }

  /// They hold GPUs until they are gone, and are lost then.
  @Test
  void terminating_members_count_once_as_lost_after_a_restart() {
    GangDraft draft = gang("g").of(4, 4).queue("b");
    Scene scene = Scene.unsynced("b/r: n1[........] n2[........]", Policies.DEFAULT);
    GangPast past = GangPast.NONE.running(Optional.of(4));
    scene.then(new Event.GangSeen(scene.now(), draft.spec().recalling(Optional.of(past))));
    for (Member member : draft.members()) {
      NodeId node = new NodeId(member.rank() < 2 ? "n1" : "n2");
      scene.becomes(
          member,
          member.rank() == 0
              ? new MemberState.Bound(node, scene.now())
              : new MemberState.Leaving(Optional.of(node), Optional.empty()));
    }
    scene.then(new Event.Synced(scene.now()));
    for (int rank = 1; rank < 4; rank++) {
      scene.then(new Event.MemberGone(scene.now(), draft.id(), draft.member(rank, "").id()));
    }

    assertThat(scene.cluster().ledger().lost(draft.id())).isEqualTo(12);
  }

  // ---- Any changes ----

  /// Some members start. Returns the GPUs that they hold.
  private static int begin(Scene scene, Random random) {
    int first = 1 + random.nextInt(4);
    scene.then(new Event.GangSeen(scene.now(), GANG.minCount(first).spec()));
    for (int rank = 0; rank < first; rank++) {
      comes(scene, rank, random);
    }
    return held(scene);
  }

  private static void go(Scene scene, Random random, int most) {
    for (int turn = 0; turn < 40; turn++) {
      int rank = random.nextInt(MEMBERS);
      Optional<Member> there =
          scene.gang("g").members().values().stream().filter(m -> m.rank() == rank).findFirst();
      switch (random.nextInt(6)) {
        case 0, 1 -> {
          if (there.isEmpty()) {
            comes(scene, rank, random);
          }
        }
        case 2 ->
            there.ifPresent(
                pod -> scene.then(new Event.MemberGone(scene.now(), GANG.id(), pod.id())));
        case 3 -> {
          int least = 1 + random.nextInt(MEMBERS);
          scene.then(new Event.GangSeen(scene.now(), GANG.minCount(least).spec()));
        }
        case 4 -> {
          if (random.nextInt(4) == 0) {
            scene.then(new Event.GangGone(scene.now(), GANG.id()));
          }
        }
        default -> scene.after(Duration.ofSeconds(1 + random.nextInt(3)));
      }
      assertThat(held(scene)).isLessThanOrEqualTo(most);
    }
  }

  private static void comes(Scene scene, int rank, Random random) {
    GangDraft draft = gang("g").queue("b");
    for (int i = 0; i <= rank; i++) {
      draft = draft.of(1, 1 + random.nextInt(3));
    }
    scene.then(
        new Event.MemberSeen(scene.now(), draft.member(rank, "-" + random.nextInt(1_000_000))));
  }

  private static void spend(Scene scene) {
    SpentBudget spent =
        new SpentBudget(BudgetOwner.queue("b"), 1, 1, scene.now().plus(Duration.ofDays(1)));
    scene.then(new Event.BudgetsSpent(scene.now(), List.of(spent)));
  }

  private static int held(Scene scene) {
    return scene.cluster().ledger().inUse(GANG.id());
  }
}
