package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.admission.Quota;
import dev.muster.core.backfill.BackfillSettings;
import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Promise;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.NodeSelection;
import dev.muster.core.gang.Requirement;
import dev.muster.core.gang.Resources;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Effect;
import dev.muster.core.state.Policies;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Things that go wrong at a bad moment: a wake-up that nobody gives, a plan that is lost half-way,
/// a start in the middle of a gang's start.
class HardLuckTest {
  private static final String TWO_OF_FOUR = "b/r: n1[....] n2[....]";

  // ---- Room that comes free must wake who waits for it ----

  @Test
  void capacity_of_a_lost_plan_goes_to_the_waiting_gang() {
    Scene scene = Scene.of(TWO_OF_FOUR).silent().arrives(gang("low").of(2, 4));
    scene.arrives(gang("high").of(1, 4).priority(5));
    scene.then(new Event.NodeGone(scene.now(), new NodeId("n2"))); // the plan of low is lost
    assertThat(promise(scene, gang("high").of(1, 4).member(0, ""))).contains("n1");
  }

  @Test
  void capacity_of_a_moved_plan_goes_to_the_waiting_gang() {
    GpuModelPreference v100 = new GpuModelPreference(List.of("V100"), false);
    Scene scene = Scene.of("b/r1: n1:V100[...] n2:V100[..]\nb/r2: n3:P100[...] n4:P100[...]");
    scene.silent().arrives(gang("low").of(2, 2).within("rack"));
    scene.arrives(gang("high").of(1, 3).on(v100).priority(5));
    assertThat(promise(scene, gang("high").of(1, 3).member(0, ""))).isEmpty();
    scene.then(new Event.NodeGone(scene.now(), new NodeId("n2"))); // low moves to the other rack
    assertThat(promise(scene, gang("high").of(1, 3).member(0, ""))).contains("n1");
    assertThat(promise(scene, gang("low").of(2, 2).member(0, ""))).isPresent();
  }

  @Test
  void capacity_of_a_lost_plan_goes_to_a_gang_refused_just_before() {
    GangDraft low = gang("low").of(3, 3).minCount(2);
    GangDraft high = gang("high").of(1, 3).priority(5);
    GangDraft middle = gang("middle").of(1, 3).priority(4);
    Scene scene = Scene.of("b/r: n1[......]").silent().arrives(low).arrives(high).arrives(middle);
    scene.then(new Event.MemberGone(scene.now(), low.id(), low.member(0, "").id()));
    assertThat(promise(scene, high.member(0, ""))).contains("n1");
    assertThat(promise(scene, middle.member(0, ""))).contains("n1"); // low can not have two places
  }

  @Test
  void promise_of_a_pod_bound_elsewhere_wakes_waiting_gangs() {
    GangDraft a = gang("a").of(1, 2);
    Scene scene = Scene.of("b/r: n1[..] n2[##]").silent().arrives(a).arrives(gang("b").of(1, 2));
    assertThat(promise(scene, a.member(0, ""))).contains("n1");
    scene.becomes(a.member(0, ""), new MemberState.Bound(new NodeId("n2"), scene.now()));
    assertThat(promise(scene, gang("b").of(1, 2).member(0, ""))).contains("n1");
  }

  @Test
  void gang_of_two_kinds_is_not_too_big_for_the_nodes_of_one_kind() {
    var mixed =
        gang("a")
            .selecting(labelled("kind", "x"))
            .of(1, 4)
            .selecting(labelled("kind", "y"))
            .of(1, 2);
    Scene scene = Scene.of("b/r: n0[.]");
    scene.then(kind(scene, "x1", 4, "x")).then(kind(scene, "y1", 4, "y"));
    scene.then(stranger(scene, "y1", 3)).arrives(mixed);
    assertThat(scene.nodesOf("a")).isEmpty();
    scene.then(new Event.StrangerGone(scene.now(), Scene.stranger("y1")));
    assertThat(scene.nodesOf("a")).containsExactly("x1", "y1");
  }

  @Test
  void lost_node_no_longer_fixes_the_model_of_a_gang() {
    Scene scene = Scene.of("b/r: n1:V100[.] n2:P100[#]").arrives(gang("a").of(2, 1).minCount(1));
    scene.then(new Event.StrangerGone(scene.now(), Scene.stranger("n2")));
    assertThat(scene.nodesOf("a")).containsExactly("n1");
    scene.then(new Event.NodeGone(scene.now(), new NodeId("n1")));
    assertThat(scene.nodesOf("a")).containsExactly("n1", "n2");
  }

  @Test
  void gang_behind_a_plan_starts_when_the_planned_gang_loses_priority() {
    Policies draining = Policies.DEFAULT.with(new BackfillSettings(1, Duration.ofMinutes(1)));
    GangDraft big = gang("big").of(1, 4).priority(2);
    Scene scene = Scene.of("b/r: n1[....]", draining).arrives(gang("a").of(1, 1)).arrives(big);
    scene.after(Duration.ofMinutes(2)).arrives(gang("small").of(1, 1).priority(1));
    assertThat(scene.whyNot("small")).containsInstanceOf(Veto.WouldDelay.class);
    scene.then(new Event.MemberSeen(scene.now(), big.priority(0).member(0, "")));
    assertThat(scene.nodesOf("small")).containsExactly("n1");
  }

  @Test
  void gang_too_large_for_the_models_left_to_its_queue_waits_for_others() {
    Queues queues =
        Queues.of(List.of(Queue.of("a").guaranteed(Quota.NONE.with("H100", 4)), Queue.of("b")));
    Policies policies = Policies.of(queues, Duration.ofMinutes(1), Optional.empty());
    GangDraft claimant = gang("claimant").of(1, 4).queue("a");
    Scene scene = Scene.of("b/r: n1:H100[..##] n2:P4[.]", policies).arrives(claimant);
    scene.arrives(gang("g").of(2, 1).queue("b"));
    assertThat(scene.whyNot("g")).contains(new Veto.OverQuota("b", "H100", 2, 0, 0));
    scene.then(new Event.GangGone(scene.now(), claimant.id()));
    assertThat(scene.nodesOf("g")).containsExactly("n1", "n1");
  }

  @Test
  void gang_larger_than_every_model_of_its_queue_is_too_big_for_the_queue() {
    Queue limited = Queue.of("q").most(Quota.NONE.with("H100", 4));
    Policies policies =
        Policies.of(Queues.of(List.of(limited)), Duration.ofMinutes(1), Optional.empty());
    Scene scene = Scene.of("b/r: n1:H100[........] n2:P4[....]", policies);
    scene.arrives(gang("g").of(2, 4).queue("q"));
    assertThat(scene.whyNot("g")).contains(new Veto.TooBigForQueue("q", "H100", 8, 4));
  }

  // ---- A reservation always ends ----

  @Test
  void gang_refused_by_its_only_node_is_released_and_retried() {
    GangDraft a = gang("a").of(1, 4);
    Scene scene = Scene.of("b/r: n1[....]").silent().arrives(a);
    refuse(scene, a.member(0, ""), "n1");
    assertThat(scene.cluster().reservations().isEmpty()).isTrue();
    scene.after(Duration.ofSeconds(11));
    assertThat(promise(scene, a.member(0, ""))).as("it tries again").contains("n1");
  }

  @Test
  void moved_plan_keeps_its_deadline_and_gets_a_later_edition() {
    GangDraft a = gang("a").of(2, 4).within("rack");
    Scene scene = Scene.of("b/r1: n1[....] n2[....]\nb/r2: n3[....] n4[....]").silent().arrives(a);
    Reservation first = scene.cluster().reservations().get(a.id()).orElseThrow();
    scene.after(Duration.ofSeconds(60));
    scene.then(new Event.NodeGone(scene.now(), new NodeId("n1")));
    Reservation moved = scene.cluster().reservations().get(a.id()).orElseThrow();
    assertThat(promise(scene, a.member(0, ""))).contains("n3");
    assertThat(moved.until()).isEqualTo(first.until());
    assertThat(moved.edition()).isGreaterThan(first.edition());
  }

  // ---- No gang stays half started ----

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
  void recorded_reservation_is_limited_by_the_queue() {
    Queue four = Queue.of("a").most(Quota.of(4));
    Policies policies =
        Policies.of(Queues.of(List.of(four)), Duration.ofMinutes(1), Optional.empty());
    GangDraft a = gang("a").of(2, 4).queue("a");
    Scene scene = Scene.unsynced(TWO_OF_FOUR, policies).silent();
    recorded(scene, a, Map.of(0, "n1", 1, "n2"));
    a.members().forEach(pod -> scene.then(new Event.MemberSeen(scene.now(), pod)));
    scene.then(new Event.Synced(scene.now()));
    assertThat(scene.cluster().reservations().isEmpty()).isTrue();
    assertThat(scene.whyNot("a").orElseThrow()).isInstanceOf(Veto.TooBigForQueue.class);
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
    scene.then(stranger(scene, "n2", 4));
    scene.then(new Event.GangSeen(scene.now(), a.spec())).after(Duration.ofSeconds(125));
    assertThat(scene.asked()).filteredOn(Effect.Evict.class::isInstance).isNotEmpty();
  }

  @Test
  void pod_bound_after_the_release_of_its_gang_is_evicted_in_time() {
    GangDraft a = gang("a").of(2, 4);
    Scene scene = Scene.of(TWO_OF_FOUR).silent().arrives(a);
    scene.then(stranger(scene, "n2", 4)); // the plan is lost
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

  @Test
  void promise_on_a_gpu_taken_in_part_moves_to_another_node() {
    GangDraft a = gang("a").of(1, 1);
    GangDraft part = gang("part").ofParts(1, 500);
    Scene scene = Scene.of("b/r: n1[.] n2[.]").silent().arrives(a);
    assertThat(promise(scene, a.member(0, ""))).contains("n1");
    scene.becomes(part.member(0, ""), new MemberState.Bound(new NodeId("n1"), scene.now()));
    assertThat(promise(scene, a.member(0, ""))).contains("n2");
  }

  // ---- What is gone is forgotten ----

  @Test
  void deleted_gang_leaves_no_state() {
    GangDraft a = gang("a").of(1, 8);
    Scene scene = Scene.of(TWO_OF_FOUR).arrives(a);
    scene.then(new Event.MemberGone(scene.now(), a.id(), a.member(0, "").id()));
    scene.then(new Event.GangGone(scene.now(), a.id()));
    assertThat(scene.state().standing().isEmpty()).isTrue();
    assertThat(scene.state().published().isEmpty()).isTrue();
  }

  // ---- The stories' words ----

  private static Optional<String> promise(Scene scene, Member member) {
    return scene.cluster().promise(member).map(Promise::node).map(NodeId::name);
  }

  private static Event stranger(Scene scene, String node, int gpus) {
    return new Event.StrangerSeen(
        scene.now(),
        Scene.stranger(node),
        new NodeId(node),
        Resources.of("nvidia.com/gpu", gpus),
        gpus);
  }

  private static Event kind(Scene scene, String node, int gpus, String kind) {
    return new Event.NodeSeen(
        scene.now(),
        Scene.node(node, Map.of("block", "b", "rack", "r", "kind", kind), gpus, "H100", false));
  }

  private static NodeSelection labelled(String key, String value) {
    return new NodeSelection(
        List.of(new Requirement(key, Requirement.Operator.IN, List.of(value))),
        List.of(),
        List.of());
  }

  /// kube-scheduler refuses the member on the node until the node is shunned.
  private static void refuse(Scene scene, Member member, String node) {
    scene.then(new Event.ReservationWritten(scene.now(), member.gang(), 1));
    for (int refusal = 0; refusal < 3; refusal++) {
      scene.becomes(member, new MemberState.Waiting(Optional.of(new NodeId(node)), true));
      scene.becomes(member, new MemberState.Waiting(Optional.empty(), true));
    }
  }

  /// Its place is kept once it has left it; until then it has it still.
  @Test
  void terminating_member_blocks_no_free_capacity_beside_it() {
    Scene scene = Scene.of("b/r: n1[......]").silent();
    scene.arrives(gang("a").of(2, 2));
    List<Member> pods = scene.gang("a").members().values();
    NodeId n1 = new NodeId("n1");
    pods.forEach(pod -> scene.becomes(pod, new MemberState.Bound(n1, scene.now())));
    scene.becomes(pods.getFirst(), new MemberState.Leaving(Optional.of(n1)));
    scene.arrives(gang("b").of(1, 2));
    assertThat(promise(scene, gang("b").of(1, 2).member(0, ""))).contains("n1");
  }

  /// The gang's object, with a record that an earlier run wrote.
  private static void recorded(Scene scene, GangDraft draft, Map<Integer, String> nodes) {
    SortedTable<MemberId, NodeId> record = SortedTable.empty();
    for (var entry : nodes.entrySet()) {
      record = record.with(draft.member(entry.getKey(), "").id(), new NodeId(entry.getValue()));
    }
    GangSpec spec = draft.spec();
    scene.then(new Event.GangSeen(scene.now(), spec.recording(record)));
  }

  @Test
  void waiting_gang_becomes_too_big_at_the_next_tick() {
    Scene scene = Scene.of("b/r: n1[....] n2[###.]").arrives(gang("a").of(2, 4));
    assertThat(scene.whyNot("a").orElseThrow()).isInstanceOf(Veto.NotEnoughFree.class);
    scene.then(new Event.NodeGone(scene.now(), new NodeId("n2"))).after(Duration.ofSeconds(1));
    assertThat(scene.whyNot("a").orElseThrow()).isInstanceOf(Veto.TooBig.class);
  }

  // ---- A node that lies elsewhere all at once ----

  private static final String TWO_RACKS = "b/r1: n1[....] n2[....] n3[....]\nb/r2: n4[....]";

  @Test
  void promise_on_a_node_moved_to_another_rack_is_replaced() {
    GangDraft gang = gang("a").of(2, 4).within("rack");
    Scene scene = Scene.of(TWO_RACKS).silent().arrives(gang);
    moves(scene, promise(scene, gang.member(1, "")).orElseThrow());
    assertThat(promise(scene, gang.member(0, ""))).contains("n1");
    assertThat(promise(scene, gang.member(1, ""))).contains("n3");
  }

  @Test
  void gang_continues_in_the_new_rack_of_its_bound_member() {
    GangDraft gang = gang("a").of(2, 4).within("rack");
    Scene scene = Scene.of(TWO_RACKS).silent().arrives(gang);
    scene.becomes(gang.member(0, ""), new MemberState.Bound(new NodeId("n1"), scene.now()));
    moves(scene, "n1");
    assertThat(promise(scene, gang.member(1, ""))).contains("n4");
  }

  private static void moves(Scene scene, String node) {
    Map<String, String> labels = scene.state("n4").node().labels();
    scene.then(new Event.NodeSeen(scene.now(), Scene.node(node, labels, 4, "H100", false)));
  }

  // ---- An API server that refuses everything ----

  @Test
  void starts_refused_by_the_api_server_are_retried_with_backoff() {
    GangDraft gang = gang("a").of(1, 4);
    Member pod = gang.member(0, "");
    Scene scene = Scene.of(TWO_OF_FOUR).silent().arrives(gang);
    scene.then(new Event.ReservationWritten(scene.now(), gang.id(), 1));
    int refused = 0;
    for (int second = 0; second < 60; second++) {
      if (starts(scene) > refused) {
        refused++;
        NodeId node = new NodeId(promise(scene, pod).orElseThrow());
        scene.then(new Event.MemberNotStarted(scene.now(), gang.id(), pod.id(), node, "429"));
      }
      scene.after(Duration.ofSeconds(1));
    }
    assertThat(refused).isBetween(6, 9);
  }

  private static int starts(Scene scene) {
    return (int) scene.asked().stream().filter(Effect.StartMember.class::isInstance).count();
  }
}
