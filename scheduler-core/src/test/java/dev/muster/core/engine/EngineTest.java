package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.GangPhase;
import dev.muster.core.cluster.Promise;
import dev.muster.core.decision.Decision;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Resources;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.node.Hold;
import dev.muster.core.state.Effect;
import dev.muster.core.state.Policies;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// The engine places, starts, repairs and releases gangs as events arrive.
class EngineTest {
  private static final String TWO_OF_FOUR = "b/r: n1[....] n2[....]";

  @Test
  void gang_that_fits_starts_whole() {
    Scene scene = Scene.of(TWO_OF_FOUR).arrives(gang("a").of(2, 4));
    assertThat(scene.nodesOf("a")).containsExactly("n1", "n2");
    assertThat(scene.phase("a")).isEqualTo(GangPhase.BOUND);
  }

  @Test
  void fifth_two_gpu_pod_waits_until_two_of_eight_gpus_come_free() {
    Scene scene = Scene.of(TWO_OF_FOUR);
    for (String pod : List.of("a", "b", "c", "d", "e")) {
      scene.arrives(gang(pod).of(1, 2));
    }
    assertThat(scene.whyNot("e")).contains(new Veto.NotEnoughFree("nvidia.com/gpu", 2, 0));
    scene.ends("b");
    assertThat(scene.nodesOf("e")).containsExactly("n1");
  }

  @Test
  void free_gpus_on_two_nodes_do_not_fit_a_pod_that_needs_them_on_one() {
    Scene scene = Scene.of("b/r: n1[###.] n2[###.]").arrives(gang("a").of(1, 2));
    assertThat(scene.whyNot("a")).contains(new Veto.Fragmented(1, 2, 2, 2, 1));
  }

  @Test
  void one_of_two_interleaved_gangs_runs_and_the_other_waits_whole() {
    GangDraft a = gang("a").of(2, 4);
    GangDraft b = gang("b").of(2, 4);
    Scene scene = Scene.of(TWO_OF_FOUR);
    scene
        .then(new Event.GangSeen(scene.now(), a.spec()))
        .then(new Event.GangSeen(scene.now(), b.spec()));
    for (int rank = 0; rank < 2; rank++) {
      scene.then(new Event.MemberSeen(scene.now(), a.member(rank, "")));
      scene.then(new Event.MemberSeen(scene.now(), b.member(rank, "")));
    }
    assertThat(scene.nodesOf("a")).hasSize(2);
    assertThat(scene.nodesOf("b")).isEmpty();
    assertThat(scene.ends("a").nodesOf("b")).hasSize(2);
  }

  @Test
  void pods_and_their_group_wait_for_each_other() {
    GangDraft a = gang("a").of(2, 4);
    Scene scene = Scene.of(TWO_OF_FOUR);
    scene.then(new Event.MemberSeen(scene.now(), a.member(0, "")));
    assertThat(scene.whyNot("a")).contains(new Veto.NoPodGroup(1));
    scene.then(new Event.GangSeen(scene.now(), a.spec()));
    assertThat(scene.whyNot("a")).contains(new Veto.TooFewMembers(1, 2, 0));
    scene.then(new Event.MemberSeen(scene.now(), a.member(1, "")));
    assertThat(scene.nodesOf("a")).hasSize(2);
  }

  @Test
  void members_above_the_minimum_start_as_capacity_allows() {
    Scene scene = Scene.of(TWO_OF_FOUR).arrives(gang("a").of(3, 4).minCount(2));
    assertThat(scene.nodesOf("a")).hasSize(2);
    assertThat(scene.whyNot("a")).isPresent();
  }

  /// The example of [Engine].
  @Test
  void capacity_of_an_ended_gang_goes_to_the_next_in_one_step() {
    GangDraft a = gang("a").of(2, 4);
    GangId b = gang("b").id();
    Scene scene =
        Scene.of(
                """
                b/r1: n1[....] n2[....]
                b/r2: n3[####] n4[####]
                """)
            .arrives(a)
            .arrives(gang("b").of(2, 4).within("rack"))
            .silent()
            .becomes(a.member(0, ""), new MemberState.Ended(true));
    assertThat(scene.cluster().holds().get(a.id()).map(Hold::kind)).contains(Hold.Kind.ENDING);
    assertThat(scene.cluster().reservations().contains(b)).isFalse();

    int decided = scene.decisions().size();
    int asked = scene.asked().size();
    scene.becomes(a.member(1, ""), new MemberState.Ended(true));
    assertThat(scene.cluster().holds().isEmpty()).isTrue();
    assertThat(scene.cluster().reservations().get(b).orElseThrow().promises().size()).isEqualTo(2);
    assertThat(scene.decisions().subList(decided, scene.decisions().size()))
        .singleElement()
        .isInstanceOf(Decision.Admit.class);
    assertThat(scene.asked().subList(asked, scene.asked().size()))
        .filteredOn(effect -> effect.gang().equals(b))
        .hasExactlyElementsOfTypes(Effect.WriteReservation.class, Effect.Publish.class);
    scene.then(new Event.ReservationWritten(scene.now(), b, 1));
    assertThat(scene.asked()).filteredOn(Effect.StartMember.class::isInstance).hasSize(4);
  }

  @Test
  void nothing_is_decided_before_the_initial_sync() {
    Scene scene = Scene.unsynced(TWO_OF_FOUR, Policies.DEFAULT).arrives(gang("a").of(1, 4));
    assertThat(scene.asked()).isEmpty();
    assertThat(scene.then(new Event.Synced(scene.now())).nodesOf("a")).hasSize(1);
  }

  @Test
  void no_pod_is_started_before_the_reservation_is_written() {
    Scene scene = Scene.of(TWO_OF_FOUR).silent().arrives(gang("a").of(2, 4));
    assertThat(scene.asked()).noneMatch(Effect.StartMember.class::isInstance);
    scene.then(new Event.ReservationWritten(scene.now(), gang("a").id(), 1));
    assertThat(scene.asked()).filteredOn(Effect.StartMember.class::isInstance).hasSize(2);
  }

  @Test
  void lost_effect_is_requested_again() {
    Scene scene = Scene.of(TWO_OF_FOUR).silent().arrives(gang("a").of(1, 4));
    long before = scene.asked().stream().filter(Effect.WriteReservation.class::isInstance).count();
    scene.after(Duration.ofSeconds(16));
    assertThat(scene.asked().stream().filter(Effect.WriteReservation.class::isInstance).count())
        .isEqualTo(before + 1);
  }

  @Test
  void plan_moves_when_its_node_is_lost() {
    GangDraft a = gang("a").of(1, 4);
    Scene scene = Scene.of("b/r: n1[....] n2[.....]").silent().arrives(a);
    assertThat(promise(scene, a.member(0, "")).map(Promise::node)).contains(new NodeId("n1"));
    scene.then(new Event.NodeGone(scene.now(), new NodeId("n1")));
    assertThat(promise(scene, a.member(0, "")).map(Promise::node)).contains(new NodeId("n2"));
  }

  @Test
  void gang_without_another_place_for_its_lost_plan_is_released() {
    Scene scene = Scene.of(TWO_OF_FOUR).silent().arrives(gang("a").of(2, 4));
    scene.then(
        new Event.NodeSeen(
            scene.now(), Scene.node("n2", Map.of("block", "b", "rack", "r"), 0, "H100", false)));
    assertThat(scene.phase("a")).isEqualTo(GangPhase.PENDING);
    assertThat(scene.cluster().reservations().isEmpty()).isTrue();
    assertThat(scene.decisions()).last().isInstanceOf(Decision.Release.class);
  }

  @Test
  void gang_half_bound_at_its_deadline_is_evicted_whole() {
    GangDraft a = gang("a").of(2, 4);
    Scene scene = Scene.of(TWO_OF_FOUR).silent().arrives(a);
    scene.becomes(a.member(0, ""), new MemberState.Bound(new NodeId("n1"), scene.now()));
    scene.after(Duration.ofMinutes(2));
    assertThat(scene.asked()).filteredOn(Effect.Evict.class::isInstance).hasSize(1);
    scene.then(new Event.MemberGone(scene.now(), a.id(), a.member(0, "").id()));
    assertThat(scene.cluster().reservations().isEmpty()).isTrue();
  }

  @Test
  void lost_eviction_is_requested_again_and_nothing_is_planned_meanwhile() {
    GangDraft a = gang("a").of(2, 4);
    Scene scene = Scene.of(TWO_OF_FOUR).silent().arrives(a);
    scene.becomes(a.member(0, ""), new MemberState.Bound(new NodeId("n1"), scene.now()));
    scene.after(Duration.ofSeconds(160));
    assertThat(scene.asked()).filteredOn(Effect.Evict.class::isInstance).hasSize(2);
    assertThat(promise(scene, a.member(1, ""))).isEmpty();
    assertThat(scene.asked()).noneMatch(Effect.ClearReservation.class::isInstance);
  }

  @Test
  void after_a_restart_a_half_bound_gang_that_cannot_complete_is_released_in_time() {
    GangDraft a = gang("a").of(2, 4);
    Scene scene = Scene.unsynced("b/r: n1[....] n2[####]", Policies.DEFAULT).silent();
    a.recorded(0, "n1").recorded(1, "n2");
    scene.then(new Event.GangSeen(scene.now(), a.spec()));
    scene.becomes(a.member(0, ""), new MemberState.Bound(new NodeId("n1"), scene.now()));
    scene.becomes(a.member(1, ""), new MemberState.Waiting(Optional.empty(), false));
    scene.then(new Event.Synced(scene.now())).after(Duration.ofMinutes(2));
    assertThat(scene.asked()).filteredOn(Effect.Evict.class::isInstance).hasSize(1);
  }

  @Test
  void node_with_repeated_refusals_is_avoided() {
    GangDraft a = gang("a").of(1, 4);
    Member member = a.member(0, "");
    Scene scene = Scene.of(TWO_OF_FOUR).silent().arrives(a);
    scene.then(new Event.ReservationWritten(scene.now(), a.id(), 1));
    for (int refusal = 0; refusal < 3; refusal++) {
      scene.becomes(member, new MemberState.Waiting(Optional.of(new NodeId("n1")), true));
      scene.becomes(member, new MemberState.Waiting(Optional.empty(), true));
    }
    assertThat(promise(scene, member).map(Promise::node)).contains(new NodeId("n2"));
  }

  @Test
  void pod_refused_before_its_observed_nomination_is_started_again_at_once() {
    GangDraft a = gang("a").of(1, 4);
    Member member = a.member(0, "");
    Scene scene = Scene.of(TWO_OF_FOUR).silent().arrives(a);
    scene.then(new Event.ReservationWritten(scene.now(), a.id(), 1));
    scene.becomes(member, new MemberState.Waiting(Optional.empty(), false));
    scene.becomes(member, new MemberState.Waiting(Optional.empty(), true));
    assertThat(scene.asked()).filteredOn(Effect.StartMember.class::isInstance).hasSize(2);
    assertThat(promise(scene, member).map(Promise::refusals)).contains(1);
  }

  @Test
  void unmanaged_pod_that_takes_cpu_moves_the_plan() {
    GangDraft a = gang("a").of(1, 4);
    Scene scene = Scene.of(TWO_OF_FOUR).silent().arrives(a);
    scene.then(
        new Event.UnmanagedPodSeen(
            scene.now(),
            Scene.unmanagedPod("x"),
            new NodeId("n1"),
            Resources.of("cpu", 98_000),
            0));
    assertThat(promise(scene, a.member(0, "")).map(Promise::node)).contains(new NodeId("n2"));
  }

  @Test
  void failed_member_is_replaced_near_its_gang() {
    GangDraft a = gang("a").of(2, 2);
    Scene scene = Scene.of("b/r1: n1[....]\nb/r2: n2[....]").arrives(a);
    assertThat(scene.nodesOf("a")).containsExactly("n1", "n1");
    scene.then(new Event.MemberGone(scene.now(), a.id(), a.member(1, "").id()));
    assertThat(scene.phase("a")).isEqualTo(GangPhase.BOUND);
    scene.then(new Event.MemberSeen(scene.now(), a.member(1, "again")));
    assertThat(scene.nodesOf("a")).containsExactly("n1", "n1");
  }

  @Test
  void members_keep_running_when_a_replacement_is_not_bound_in_time() {
    GangDraft a = gang("a").of(2, 4);
    Scene scene = Scene.of(TWO_OF_FOUR).arrives(a).silent();
    scene.then(new Event.MemberGone(scene.now(), a.id(), a.member(1, "").id()));
    scene.then(new Event.MemberSeen(scene.now(), a.member(1, "again")));
    assertThat(promise(scene, a.member(1, "again"))).isPresent();
    scene.after(Duration.ofMinutes(5));
    assertThat(scene.asked()).noneMatch(Effect.Evict.class::isInstance);
    assertThat(scene.gang("a").boundCount()).isEqualTo(1);
  }

  @Test
  void members_ending_one_by_one_do_not_affect_the_others() {
    GangDraft a = gang("a").of(2, 2);
    Scene scene = Scene.of(TWO_OF_FOUR).arrives(a);
    scene.becomes(a.member(0, ""), new MemberState.Ended(true)).after(Duration.ofMinutes(5));
    assertThat(scene.nodesOf("a")).hasSize(1);
    assertThat(scene.asked()).noneMatch(Effect.Evict.class::isInstance);
  }

  @Test
  void pods_without_their_group_are_refused_with_its_name() {
    GangDraft a = gang("a").of(2, 4);
    Scene scene = Scene.of(TWO_OF_FOUR).then(new Event.MemberSeen(Scene.START, a.member(0, "")));
    assertThat(told(scene, a)).startsWith("1 pod names the gang a, but the namespace ml has no ");
  }

  private static String told(Scene scene, GangDraft gang) {
    return scene.state().published().get(gang.id()).orElseThrow().status().message();
  }

  @Test
  void deleted_group_releases_its_reservation_and_keeps_running_pods() {
    GangDraft a = gang("a").of(2, 4);
    Scene scene = Scene.of(TWO_OF_FOUR).silent().arrives(a);
    scene.becomes(a.member(0, ""), new MemberState.Bound(new NodeId("n1"), scene.now()));
    scene.then(new Event.GangGone(scene.now(), a.id()));
    assertThat(scene.whyNot("a")).contains(new Veto.NoPodGroup(2));
    assertThat(scene.state("n2").promises().isEmpty()).isTrue();
    scene.after(Duration.ofMinutes(3)); // as long as its object might have come back
    assertThat(scene.cluster().reservations().isEmpty()).isTrue();
    assertThat(scene.asked()).noneMatch(Effect.Evict.class::isInstance);
  }

  @Test
  void gang_of_higher_priority_goes_first_when_capacity_comes_free() {
    Scene scene = Scene.of(TWO_OF_FOUR).arrives(gang("big").of(2, 4));
    scene.arrives(gang("low").of(2, 4).priority(1)).arrives(gang("high").of(2, 4).priority(5));
    scene.ends("big");
    assertThat(scene.nodesOf("high")).hasSize(2);
    assertThat(scene.nodesOf("low")).isEmpty();
  }

  @Test
  void request_larger_than_any_node_is_rejected_with_the_numbers() {
    Scene scene = Scene.of(TWO_OF_FOUR).arrives(gang("a").of(1, 9));
    assertThat(scene.whyNot("a")).contains(new Veto.TooBig("node", 9, 4));
    assertThat(scene.decisions()).last().isInstanceOf(Decision.Reject.class);
  }

  private static Optional<Promise> promise(Scene scene, Member member) {
    return scene.cluster().promise(member);
  }
}
