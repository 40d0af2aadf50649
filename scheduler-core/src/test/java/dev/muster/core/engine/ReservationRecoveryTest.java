package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.admission.Quota;
import dev.muster.core.budget.BudgetOwner;
import dev.muster.core.budget.SpentBudget;
import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Promise;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.node.NodeState;
import dev.muster.core.state.Effect;
import dev.muster.core.state.Policies;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// A restart checks recorded reservations, since any owner of the gangs' objects may have written
/// them.
class ReservationRecoveryTest {
  private static final String NODES = "b/r: n1[................] n2:A100[................]";

  /// A restart with one queue of this maximum that finds the gang, its first members bound already.
  private static Scene restart(Quota maximum, GangDraft gang, int bound) {
    Queues queues = Queues.of(List.of(Queue.of("q").most(maximum)));
    Policies policies = Policies.of(queues, Duration.ofMinutes(1), Optional.empty());
    Scene scene = Scene.unsynced(NODES, policies).silent();
    scene.then(new Event.GangSeen(scene.now(), gang.spec()));
    for (Member member : gang.members()) {
      scene.becomes(
          member,
          member.rank() < bound
              ? new MemberState.Bound(new NodeId("n1"), scene.now())
              : new MemberState.Held(false));
    }
    return scene.then(new Event.Synced(scene.now()));
  }

  /// Returns a gang of members with one GPU each, all recorded on the node.
  private static GangDraft recorded(int members, int atLeast, String node) {
    GangDraft gang = gang("a").of(members, 1).minCount(atLeast).queue("q");
    for (int rank = 0; rank < members; rank++) {
      gang.recorded(rank, node);
    }
    return gang;
  }

  private static int gpusTaken(Scene scene, String node) {
    NodeState state = scene.state(node);
    return state.usedGpus() + state.promisedGpus();
  }

  @Test
  void members_above_the_minimum_are_limited_by_the_queue() {
    Scene scene = restart(Quota.of(8), recorded(16, 4, "n1"), 0);
    assertThat(scene.cluster().ledger().account("q").inUse()).isEqualTo(8);
  }

  @Test
  void gang_with_one_running_member_is_limited_by_the_queue() {
    Scene scene = restart(Quota.of(8), recorded(16, 4, "n1"), 1);
    assertThat(scene.cluster().ledger().account("q").inUse()).isEqualTo(8);
  }

  /// It had its place before the guarantee was claimed.
  @Test
  void gang_that_was_starting_keeps_its_place_despite_a_claim() {
    Queues queues = Queues.of(List.of(Queue.of("owns").guaranteed(Quota.of(32)), Queue.of("q")));
    Policies policies = Policies.of(queues, Duration.ofMinutes(1), Optional.empty());
    Scene scene = Scene.unsynced(NODES, policies).silent();
    for (GangDraft gang : List.of(recorded(8, 8, "n1"), gang("claims").of(32, 1).queue("owns"))) {
      scene.then(new Event.GangSeen(scene.now(), gang.spec()));
      gang.members().forEach(member -> scene.becomes(member, new MemberState.Held(false)));
    }
    for (Member member : recorded(4, 8, "n1").members()) {
      scene.becomes(member, new MemberState.Bound(new NodeId("n1"), scene.now()));
    }
    scene.then(new Event.Synced(scene.now()));
    assertThat(scene.cluster().ledger().account("q").inUse()).isEqualTo(8);
  }

  /// One of its nodes is gone, and none of its pods is bound yet.
  @Test
  void gang_that_was_starting_goes_on_although_its_budget_is_spent() {
    GangDraft gang = gang("a").of(2, 1).queue("q").recorded(0, "n1").recorded(1, "gone");
    Scene scene = Scene.unsynced(NODES, Policies.DEFAULT).silent();
    SpentBudget spent =
        new SpentBudget(BudgetOwner.queue("q"), 1, 1, scene.now().plus(Duration.ofDays(1)));
    scene.then(new Event.BudgetsSpent(scene.now(), List.of(spent)));
    scene.arrives(gang).then(new Event.Synced(scene.now()));
    assertThat(scene.cluster().ledger().inUse(gang.id())).isEqualTo(2);
  }

  @Test
  void limit_of_one_model_holds_although_another_has_none() {
    Quota fourOfA100 = Quota.NONE.with("A100", 4);
    Scene scene = restart(fourOfA100, recorded(8, 4, "n2"), 0);
    assertThat(gpusTaken(scene, "n2")).isEqualTo(4);
  }

  @Test
  void gang_that_could_not_start_within_its_limit_is_placed_again() {
    Quota fourOfA100 = Quota.NONE.with("A100", 4);
    Scene scene = restart(fourOfA100, recorded(8, 8, "n2"), 0);
    assertThat(gpusTaken(scene, "n2")).isZero();
    assertThat(gpusTaken(scene, "n1")).isEqualTo(8);
  }

  @Test
  void recorded_promise_on_a_node_moved_to_another_rack_is_replaced() {
    GangDraft gang = gang("a").of(2, 4).within("rack").recorded(0, "n1").recorded(1, "n3");
    Scene scene =
        Scene.unsynced("b/r1: n1[....] n2[....]\nb/r2: n3[....]", Policies.DEFAULT).silent();
    scene.then(new Event.GangSeen(scene.now(), gang.spec()));
    gang.members().forEach(member -> scene.becomes(member, new MemberState.Held(false)));
    scene.then(new Event.Synced(scene.now()));
    assertThat(List.of("n1", "n2", "n3"))
        .map(node -> gpusTaken(scene, node))
        .containsExactly(4, 4, 0);
  }

  @Test
  void record_removed_while_the_gang_starts_is_written_again() {
    GangDraft gang = gang("a").of(2, 1);
    Scene scene = Scene.of(NODES).silent().arrives(gang);
    Reservation held = scene.cluster().reservations().get(gang.id()).orElseThrow();
    scene.then(new Event.ReservationWritten(scene.now(), gang.id(), held.edition()));
    GangSpec written = gang.spec();
    for (Promise promise : held.promises()) {
      written = written.recording(written.recorded().with(promise.member(), promise.node()));
    }
    scene.then(new Event.GangSeen(scene.now(), written));
    assertThat(writes(scene)).isEqualTo(1);
    scene.then(new Event.GangSeen(scene.now(), gang.spec()));
    assertThat(writes(scene)).isEqualTo(2);
  }

  private static long writes(Scene scene) {
    return scene.asked().stream().filter(Effect.WriteReservation.class::isInstance).count();
  }
}
