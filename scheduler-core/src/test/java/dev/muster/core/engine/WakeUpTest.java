package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.admission.Quota;
import dev.muster.core.backfill.BackfillSettings;
import dev.muster.core.cluster.Event;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.NodeSelection;
import dev.muster.core.gang.Requirement;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Policies;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Capacity that comes free wakes the gangs that wait for it.
class WakeUpTest extends ReservationScenes {
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
  void capacity_for_two_gangs_of_a_class_starts_both() {
    Scene scene = Scene.of("b/r: n1[########]");
    scene.arrives(gang("first").of(1, 4)).arrives(gang("second").of(1, 4));
    scene.then(new Event.UnmanagedPodGone(scene.now(), Scene.unmanagedPod("n1")));
    assertThat(scene.nodesOf("first")).containsExactly("n1");
    assertThat(scene.nodesOf("second")).containsExactly("n1");
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
    scene.then(unmanagedPod(scene, "y1", 3)).arrives(mixed);
    assertThat(scene.nodesOf("a")).isEmpty();
    scene.then(new Event.UnmanagedPodGone(scene.now(), Scene.unmanagedPod("y1")));
    assertThat(scene.nodesOf("a")).containsExactly("x1", "y1");
  }

  @Test
  void lost_node_no_longer_fixes_the_model_of_a_gang() {
    Scene scene = Scene.of("b/r: n1:V100[.] n2:P100[#]").arrives(gang("a").of(2, 1).minCount(1));
    scene.then(new Event.UnmanagedPodGone(scene.now(), Scene.unmanagedPod("n2")));
    assertThat(scene.nodesOf("a")).containsExactly("n1");
    scene.then(new Event.NodeGone(scene.now(), new NodeId("n1")));
    assertThat(scene.nodesOf("a")).containsExactly("n1", "n2");
  }

  @Test
  void corrected_node_no_longer_fixes_the_model_of_a_gang() {
    Scene scene = Scene.of("b/r: n1:V100[.] n2:P100[#]").arrives(gang("a").of(2, 1).minCount(1));
    scene.then(new Event.UnmanagedPodGone(scene.now(), Scene.unmanagedPod("n2")));
    assertThat(scene.nodesOf("a")).containsExactly("n1");
    Map<String, String> rack = Map.of("block", "b", "rack", "r");
    scene.then(new Event.NodeSeen(scene.now(), Scene.node("n1", rack, 1, "P100", false)));
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
  void gang_behind_a_plan_starts_when_the_planned_gang_moves_to_a_queue_with_a_ceiling() {
    Queues queues = Queues.of(List.of(Queue.of("ml"), Queue.of("capped").upTo(0)));
    Policies draining =
        Policies.of(queues, Duration.ofMinutes(2), Optional.empty())
            .with(new BackfillSettings(1, Duration.ofMinutes(1)));
    GangDraft big = gang("big").of(1, 4).priority(2);
    Scene scene = Scene.of("b/r: n1[....]", draining).arrives(gang("a").of(1, 1)).arrives(big);
    scene.after(Duration.ofMinutes(2)).arrives(gang("small").of(1, 1).priority(1));
    assertThat(scene.whyNot("small")).containsInstanceOf(Veto.WouldDelay.class);
    scene.then(new Event.GangSeen(scene.now(), big.queue("capped").spec()));
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

  @Test
  void waiting_gang_becomes_too_big_at_the_next_tick() {
    Scene scene = Scene.of("b/r: n1[....] n2[###.]").arrives(gang("a").of(2, 4));
    assertThat(scene.whyNot("a").orElseThrow()).isInstanceOf(Veto.NotEnoughFree.class);
    scene.then(new Event.NodeGone(scene.now(), new NodeId("n2"))).after(Duration.ofSeconds(1));
    assertThat(scene.whyNot("a").orElseThrow()).isInstanceOf(Veto.TooBig.class);
  }

  /// The capacity is withheld for the planned gang as soon as it is free.
  @Test
  void capacity_that_is_held_at_once_wakes_a_gang_of_higher_priority() {
    Scene scene =
        Scene.of("b/r: n1[....]").arrives(gang("a").of(1, 3).running(Duration.ofHours(1)));
    scene.arrives(gang("planned").of(1, 4)).after(Duration.ofSeconds(1));
    assertThat(scene.state("n1").withheld().gpus()).isEqualTo(1);
    scene.arrives(gang("urgent").of(1, 2).priority(5));
    assertThat(scene.nodesOf("urgent")).isEmpty();
    scene.ends("a");
    assertThat(scene.nodesOf("urgent")).containsExactly("n1");
  }

  /// Each class needs a second node. It arrives, but is too little while the first is in use.
  @Test
  void capacity_wakes_classes_that_were_impossible_before_the_last_node_came() {
    Scene scene = Scene.of("b/r: n1[########]");
    for (int cores = 10; cores < 40; cores++) {
      scene.arrives(gang("g" + cores).cores(cores).of(2, 8).priority(cores));
    }
    assertThat(scene.whyNot("g39").orElseThrow()).isInstanceOf(Veto.TooBig.class);
    Map<String, String> rack = Map.of("block", "b", "rack", "r");
    scene.then(new Event.NodeSeen(scene.now(), Scene.node("n2", rack, 8, "H100", false)));
    scene.then(new Event.UnmanagedPodGone(scene.now(), Scene.unmanagedPod("n1")));
    assertThat(scene.nodesOf("g39")).containsExactly("n1", "n2");
  }

  @Test
  void event_about_a_released_gang_does_not_end_its_rest() {
    GangDraft draft = gang("a").of(1, 4);
    Scene scene = Scene.of("b/r: n1[....]").silent().arrives(draft);
    assertThat(promise(scene, draft.member(0, ""))).contains("n1");
    scene.after(Policies.DEFAULT.bindTimeout().plusSeconds(1));
    assertThat(scene.state().isReleased(draft.id())).isTrue();
    scene.then(new Event.GangSeen(scene.now(), draft.spec())).after(Duration.ofSeconds(5));
    assertThat(promise(scene, draft.member(0, ""))).isEmpty();
    scene.after(Duration.ofSeconds(10));
    assertThat(promise(scene, draft.member(0, ""))).contains("n1");
  }

  @Test
  void deleted_gang_no_longer_waits() {
    GangDraft draft = gang("a").of(1, 4);
    Scene scene = Scene.of("b/r: n1[####]").arrives(draft);
    scene.then(new Event.GangGone(scene.now(), draft.id()));
    scene.then(new Event.MemberGone(scene.now(), draft.id(), draft.member(0, "").id()));
    assertThat(scene.state().why(draft.id())).isEmpty();
    assertThat(scene.state().waiting().classes().values()).isEmpty();
  }
}
