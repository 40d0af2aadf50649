package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Promise;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Effect;
import dev.muster.core.state.Policies;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// No state that a tenant can keep up protects a running gang from preemption or release.
class VictimProtectionTest extends PreemptionScenes {
  private static final GangDraft LOW = gang("low").of(1, 4).of(1, 0);
  private static final GangDraft HIGH = gang("high").of(1, 4).priority(10);
  private static final String ROOM_FOR_CPUS =
      "b/r: n1[....] n2[] n3[] n4[] n5[] n6[] n7[] n8[] n9[]";

  /// A member of a running gang is replaced by one that is promised nodes, but never bound.
  private static Scene promised(String drawing, Policies policies) {
    Scene scene = Scene.of(drawing, policies).arrives(LOW).after(SECOND).silent();
    scene.then(new Event.MemberGone(scene.now(), LOW.id(), LOW.member(1, "").id()));
    return scene.becomes(LOW.member(1, "-again"), new MemberState.Held(false));
  }

  private static Optional<NodeId> promise(Scene scene, Member member) {
    return scene.cluster().promise(member).map(Promise::node);
  }

  @Test
  void replacement_that_is_never_bound_protects_no_other_member() {
    Scene scene = promised(ROOM_FOR_CPUS, BY_PRIORITY).arrives(HIGH).after(SECOND);
    assertThat(promise(scene, LOW.member(1, "-again"))).isPresent();
    assertThat(victims(scene)).containsExactly("low");
  }

  @Test
  void replacement_that_is_never_bound_protects_no_other_member_between_two_promises() {
    Scene scene = promised("b/r: n1[....]", BY_PRIORITY);
    scene.after(Policies.DEFAULT.bindTimeout().plus(SECOND.multipliedBy(2)));
    scene.arrives(HIGH).after(SECOND);
    assertThat(scene.cluster().reservations().get(LOW.id()).filter(Reservation::rests)).isPresent();
    assertThat(victims(scene)).containsExactly("low");
  }

  /// Two of three members fail. The pod that replaces one of them names its node itself.
  @Test
  void replacement_that_muster_did_not_place_protects_no_other_member() {
    GangDraft three = gang("low").of(1, 4).of(2, 0);
    Scene scene = Scene.of(ROOM_FOR_CPUS, BY_PRIORITY).arrives(three).after(SECOND).silent();
    scene.then(new Event.MemberGone(scene.now(), three.id(), three.member(1, "").id()));
    scene.then(new Event.MemberGone(scene.now(), three.id(), three.member(2, "").id()));
    scene.becomes(three.member(1, "-again"), new MemberState.Bound(new NodeId("n2"), scene.now()));
    scene.arrives(HIGH).after(SECOND);
    assertThat(victims(scene)).containsExactly("low");
  }

  @Test
  void promise_to_a_replacement_ends_when_its_gang_is_evicted() {
    Scene scene = promised(ROOM_FOR_CPUS, BY_PRIORITY).arrives(HIGH).after(SECOND);
    scene.then(new Event.VictimsRecorded(scene.now(), HIGH.id()));
    scene.then(new Event.VictimTold(scene.now(), LOW.id()));
    scene.after(SECOND);
    assertThat(evicted(scene)).containsExactly("low");
    assertThat(promise(scene, LOW.member(1, "-again"))).isEmpty();
  }

  /// A gang that starts for the first time is left alone for its time.
  @Test
  void first_start_is_protected() {
    Scene scene = Scene.of(ROOM_FOR_CPUS, BY_PRIORITY).silent().arrives(LOW);
    scene.becomes(LOW.member(0, ""), new MemberState.Bound(new NodeId("n1"), scene.now()));
    scene.arrives(HIGH).after(SECOND);
    assertThat(victims(scene)).isEmpty();
  }

  /// A disruption budget forbids the eviction. The rule of the policy may override it.
  @Test
  void eviction_that_a_budget_forbids_protects_no_released_gang() {
    Scene scene = Scene.of(ROOM_FOR_CPUS, BY_PRIORITY).silent().arrives(LOW);
    scene.becomes(LOW.member(0, ""), new MemberState.Bound(new NodeId("n1"), scene.now()));
    scene.after(Policies.DEFAULT.bindTimeout().plus(SECOND));
    assertThat(evicted(scene)).containsExactly("low");
    scene.arrives(HIGH).after(SECOND);
    assertThat(victims(scene)).containsExactly("low");
  }

  @Test
  void gang_is_released_after_one_more_promise_when_its_time_for_repair_is_over() {
    Scene scene = promised(ROOM_FOR_CPUS, Policies.DEFAULT);
    scene.after(Policies.REPAIR.plus(Policies.DEFAULT.bindTimeout()).plus(SECOND));
    assertThat(evicted(scene)).containsExactly("low");
  }

  /// A pod of the same name may exist again. The API server then answers each request with 409.
  @Test
  void repeated_notice_names_no_member_that_is_gone() {
    Scene scene = Scene.of(ROOM_FOR_CPUS, BY_PRIORITY).arrives(LOW).after(SECOND).silent();
    scene.arrives(HIGH).after(SECOND);
    scene.then(new Event.VictimsRecorded(scene.now(), HIGH.id()));
    MemberId gone = LOW.member(1, "").id();
    scene.then(new Event.MemberGone(scene.now(), LOW.id(), gone));
    scene.then(new Event.MemberNotEvicted(scene.now(), LOW.id(), gone, false, "409"));
    scene.after(SECOND.multipliedBy(10));
    assertThat(scene.asked())
        .filteredOn(Effect.TellVictim.class::isInstance)
        .last()
        .extracting(effect -> ((Effect.TellVictim) effect).notice().victim().members().asList())
        .isEqualTo(List.of(LOW.member(0, "").id()));
  }

  /// Returns the scene in which a gang was deleted with a grace period, and another one runs.
  private static Scene deletedWith(Duration grace) {
    GangDraft deleted = gang("deleted").of(1, 4);
    Scene scene = Scene.of("b/r: n1[....] n2[....]", BY_PRIORITY).arrives(deleted);
    scene.arrives(gang("runs").of(1, 4));
    Optional<Instant> due = Optional.of(scene.now().plus(grace));
    scene.becomes(
        deleted.member(0, ""), new MemberState.Leaving(Optional.of(new NodeId("n1")), due));
    return scene.arrives(HIGH).after(SECOND);
  }

  @Test
  void pod_deleted_with_a_long_grace_period_delays_no_preemption() {
    assertThat(victims(deletedWith(Duration.ofDays(365)))).containsExactly("runs");
  }

  @Test
  void no_gang_is_preempted_in_place_of_a_pod_that_soon_ends() {
    assertThat(victims(deletedWith(Duration.ofMinutes(2)))).isEmpty();
  }
}
