package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.admission.Quota;
import dev.muster.core.cluster.Event;
import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Resources;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Policies;
import dev.muster.core.state.WaitClass;
import dev.muster.core.state.WaitingGangs;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Waiting gangs form wait classes, and outdated answers are known.
class WaitingTest {
  @Test
  void empty_wait_class_is_never_doubtful() {
    WaitingGangs waiting =
        Scene.of("b/r: n1[####]")
            .arrives(gang("a").of(1, 1))
            .arrives(gang("b").of(1, 2))
            .state()
            .waiting();
    List<WaitClass.Key> both = List.copyOf(waiting.classes().keys());
    WaitClass.Key first = waiting.seats().get(gang("a").id()).orElseThrow().key();
    WaitingGangs left = waiting.without(gang("a").id());
    assertThat(left.doubting(both).doubtful().keys()).hasSize(1).doesNotContain(first);
  }

  @Test
  void gang_that_can_never_start_is_not_counted_before_others() {
    Scene scene = Scene.of("b/r: n1[....]");
    scene.arrives(gang("x").of(1, 3)).arrives(gang("never").of(1, 8).priority(1));
    scene.arrives(gang("a").of(1, 4)).arrives(gang("b").of(1, 4));
    assertThat(scene.state().before(gang("a").id(), Policies.DEFAULT.order())).isZero();
    assertThat(scene.state().before(gang("b").id(), Policies.DEFAULT.order())).isEqualTo(1);
  }

  private static Policies queues(Queue... queues) {
    return Policies.of(Queues.of(List.of(queues)), Duration.ofMinutes(2), Optional.empty());
  }

  /// A gang like those of "ml", of a namespace that the queue does not take.
  private static Scene intruder(Scene scene, String queue) {
    GangId id = new GangId("others", GangId.Origin.POD_GROUP, "x");
    Instant before = Scene.START.minusSeconds(9);
    Member like = gang("like").of(1, 4).member(0, "");
    MemberId pod = new MemberId("others", "x-0", "x-0");
    scene.then(new Event.GangSeen(scene.now(), GangSpec.of(id, 1, queue, before)));
    return scene.then(
        new Event.MemberSeen(
            scene.now(),
            new Member(
                pod, id, 0, 0, like.request(), GangConstraints.NONE, like.state(), Scene.START)));
  }

  @Test
  void gang_of_a_refused_namespace_decides_for_no_other() {
    Scene scene = Scene.of("b/r: n1[....]", queues(Queue.of("q").taking(List.of("ml"))));
    intruder(scene, "q").arrives(gang("a").of(1, 4).queue("q"));
    assertThat(scene.nodesOf("a")).containsExactly("n1");
  }

  @Test
  void whole_wait_class_may_start_again_on_a_new_node() {
    GpuModelPreference h100 = new GpuModelPreference(List.of("H100"), false);
    Scene scene =
        Scene.of("b/r: n1:P4[.]", queues(Queue.of("a").guaranteed(Quota.of(8)), Queue.of("b")))
            .arrives(gang("g1").of(1, 4).on(h100).queue("a"))
            .arrives(gang("g2").of(1, 4).on(h100).queue("a"));
    Resources all = Resources.of("nvidia.com/gpu", 8);
    NodeId node = new NodeId("n2");
    Map<String, String> labels = Map.of("block", "b", "rack", "r");
    scene.then(new Event.UnmanagedPodSeen(scene.now(), Scene.unmanagedPod("n2"), node, all, 8));
    scene.then(new Event.NodeSeen(scene.now(), Scene.node("n2", labels, 8, "H100", false)));
    scene.after(Duration.ofSeconds(5));
    assertThat(scene.cluster().ledger().account("a").waitingGangs()).isEqualTo(2);
  }
}
