package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.admission.Quota;
import dev.muster.core.cluster.Event;
import dev.muster.core.decision.Decision;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.node.Node;
import dev.muster.core.state.Policies;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// A pod that leaves a node which is not ready keeps its GPUs there, but not the quota of its
/// queue.
class StrandedPodTest {
  private static final GangDraft GANG = gang("a").of(2, 4);

  private static Scene running() {
    Queues queues = Queues.of(List.of(Queue.of("ml").most(Quota.of(8))));
    return Scene.of(
            "b/r: n1[....] n2[....] n3[....]",
            Policies.of(queues, Duration.ofMinutes(2), Optional.empty()))
        .arrives(GANG);
  }

  private static void isReady(Scene scene, String name, boolean ready) {
    Node node = scene.state(name).node();
    List<String> faults = ready ? List.of() : List.of(Node.NOT_READY);
    scene.then(new Event.NodeSeen(scene.now(), node.withFaults(faults)));
  }

  private static void leaves(Scene scene, int rank) {
    Member member = GANG.member(rank, "");
    NodeId node = scene.gang("a").members().get(member.id()).flatMap(Member::node).orElseThrow();
    scene.becomes(member, new MemberState.Leaving(Optional.of(node)));
  }

  private static void isReplaced(Scene scene, int rank) {
    scene.becomes(GANG.member(rank, "-again"), new MemberState.Held(false));
  }

  @Test
  void replacement_starts_within_the_maximum_of_the_queue() {
    Scene scene = running();
    isReady(scene, "n2", false);
    leaves(scene, 1);
    isReplaced(scene, 1);
    assertThat(scene.nodesOf("a")).containsExactly("n1", "n3");
  }

  @Test
  void node_that_fails_while_its_pod_leaves_wakes_the_replacement() {
    Scene scene = running();
    leaves(scene, 1);
    isReplaced(scene, 1);
    assertThat(scene.whyNot("a")).containsInstanceOf(Veto.OverQuota.class);
    isReady(scene, "n2", false);
    assertThat(scene.nodesOf("a")).containsExactly("n1", "n3");
  }

  @Test
  void node_that_is_deleted_while_its_pod_leaves_wakes_the_replacement() {
    Scene scene = running();
    leaves(scene, 1);
    isReplaced(scene, 1);
    scene.then(new Event.NodeGone(scene.now(), new NodeId("n2")));
    assertThat(scene.nodesOf("a")).containsExactly("n1", "n3");
  }

  @Test
  void healthy_member_is_not_evicted_after_the_time_for_repair() {
    Scene scene = running();
    isReady(scene, "n2", false);
    leaves(scene, 1);
    isReplaced(scene, 1);
    scene.after(Policies.REPAIR.plusMinutes(1));
    assertThat(scene.decisions()).noneMatch(Decision.Release.class::isInstance);
  }

  @Test
  void gpus_of_the_pod_are_offered_to_nobody_once_the_node_is_back() {
    Scene scene = running();
    isReady(scene, "n2", false);
    leaves(scene, 1);
    isReady(scene, "n2", true);
    assertThat(scene.state("n2").freeGpus()).isZero();
  }

  @Test
  void queue_is_charged_again_once_the_node_is_back() {
    Scene scene = running();
    isReady(scene, "n2", false);
    leaves(scene, 1);
    int stranded = scene.cluster().ledger().account("ml").inUse();
    isReady(scene, "n2", true);
    assertThat(List.of(stranded, scene.cluster().ledger().account("ml").inUse()))
        .containsExactly(4, 8);
  }

  @Test
  void running_pod_on_a_node_that_is_not_ready_stays_on_the_account() {
    Scene scene = running();
    isReady(scene, "n2", false);
    assertThat(scene.cluster().ledger().account("ml").inUse()).isEqualTo(8);
  }
}
