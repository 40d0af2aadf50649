package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Effect;
import dev.muster.core.state.Policies;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// No gang stays half started, whatever interrupts its start.
class NoHalfStartedGangTest extends ReservationScenes {
  @Test
  void after_a_restart_a_half_bound_gang_with_a_lost_plan_is_released_in_time() {
    GangDraft a = gang("a").of(2, 4);
    Scene scene = Scene.unsynced("b/r: n1[....] n2[####]", Policies.DEFAULT).silent();
    recorded(scene, a, Map.of(0, "n1", 1, "n2"));
    scene.becomes(a.member(0, ""), new MemberState.Bound(new NodeId("n1"), scene.now()));
    scene.becomes(a.member(1, ""), new MemberState.Waiting(Optional.empty(), false));
    scene.then(new Event.Synced(scene.now()));
    assertThat(scene.asked()).noneMatch(Effect.ClearReservation.class::isInstance);
    scene.after(Duration.ofSeconds(125));
    assertThat(scene.asked()).filteredOn(Effect.Evict.class::isInstance).hasSize(1);
  }

  @Test
  void after_a_restart_a_gang_with_only_a_bound_part_is_released_in_time() {
    GangDraft a = gang("a").of(2, 4);
    Scene scene = Scene.unsynced(TWO_OF_FOUR, Policies.DEFAULT).silent();
    recorded(scene, a, Map.of(0, "n1", 1, "n2"));
    scene.becomes(a.member(0, ""), new MemberState.Bound(new NodeId("n1"), scene.now()));
    scene.then(new Event.Synced(scene.now())).after(Duration.ofSeconds(125));
    assertThat(scene.asked()).filteredOn(Effect.Evict.class::isInstance).hasSize(1);
  }

  @Test
  void replaced_object_does_not_extend_the_deadline_of_a_half_started_gang() {
    GangDraft a = gang("a").of(2, 4);
    Scene scene = Scene.of(TWO_OF_FOUR).silent().arrives(a);
    Member bound = a.member(0, "").as(new MemberState.Bound(new NodeId("n1"), scene.now()));
    scene.then(new Event.MemberSeen(scene.now(), bound));
    scene.then(new Event.GangGone(scene.now(), a.id()));
    scene.then(new Event.MemberSeen(scene.now(), bound)); // a repeat
    scene.then(unmanagedPod(scene, "n2", 4));
    scene.then(new Event.GangSeen(scene.now(), a.spec())).after(Duration.ofSeconds(125));
    assertThat(scene.asked()).filteredOn(Effect.Evict.class::isInstance).isNotEmpty();
  }

  @Test
  void pod_bound_after_the_release_of_its_gang_is_evicted_in_time() {
    GangDraft a = gang("a").of(2, 4);
    Scene scene = Scene.of(TWO_OF_FOUR).silent().arrives(a);
    scene.then(unmanagedPod(scene, "n2", 4)); // the plan is lost
    assertThat(scene.cluster().reservations().isEmpty()).isTrue();
    scene.becomes(
        a.member(0, ""), new MemberState.Bound(new NodeId("n1"), scene.now())); // under way already
    scene.after(Duration.ofSeconds(125));
    assertThat(scene.asked()).filteredOn(Effect.Evict.class::isInstance).isNotEmpty();
  }

  @Test
  void repeated_binding_of_a_whole_gang_evicts_no_member() {
    GangDraft a = gang("a").of(3, 2).minCount(2);
    Scene scene = Scene.of(TWO_OF_FOUR).arrives(a).silent();
    scene.then(new Event.MemberGone(scene.now(), a.id(), a.member(0, "").id()));
    scene.then(new Event.MemberGone(scene.now(), a.id(), a.member(1, "").id()));
    Member last = scene.gang("a").members().values().getLast();
    scene.then(new Event.MemberSeen(scene.now(), last)); // a repeat
    scene.after(Duration.ofMinutes(5));
    assertThat(scene.asked()).noneMatch(Effect.Evict.class::isInstance);
  }

  @Test
  void failed_member_of_a_single_node_gang_is_replaced_on_that_node() {
    GangDraft a = gang("a").of(2, 2).within("node");
    Scene scene = Scene.of(TWO_OF_FOUR).arrives(a);
    assertThat(scene.nodesOf("a")).containsExactly("n1", "n1");
    scene.then(new Event.MemberGone(scene.now(), a.id(), a.member(1, "").id()));
    scene.then(new Event.MemberSeen(scene.now(), a.member(1, "again")));
    assertThat(scene.nodesOf("a")).containsExactly("n1", "n1");
  }

  @Test
  void gang_that_lost_a_member_before_its_record_does_not_start_in_part() {
    GangDraft a = gang("a").of(2, 4);
    Scene scene = Scene.of(TWO_OF_FOUR).silent().arrives(a);
    scene.then(new Event.MemberGone(scene.now(), a.id(), a.member(1, "").id()));
    scene.then(new Event.ReservationWritten(scene.now(), a.id(), 1));
    scene.after(Duration.ofSeconds(2));
    assertThat(scene.asked()).noneMatch(Effect.StartMember.class::isInstance);
  }
}
