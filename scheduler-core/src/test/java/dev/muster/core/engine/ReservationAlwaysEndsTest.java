package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.admission.Quota;
import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Effect;
import dev.muster.core.state.Policies;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Every reservation ends, and a gang that left keeps no state.
class ReservationAlwaysEndsTest extends ReservationScenes {
  @Test
  void gang_refused_by_its_only_node_is_released_and_retried() {
    GangDraft a = gang("a").of(1, 4);
    Scene scene = Scene.of("b/r: n1[....]").silent().arrives(a);
    refuse(scene, a.member(0, ""), "n1");
    assertThat(scene.cluster().reservations().isEmpty()).isTrue();
    scene.after(Duration.ofSeconds(61));
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
  void promise_on_a_gpu_taken_in_part_moves_to_another_node() {
    GangDraft a = gang("a").of(1, 1);
    GangDraft part = gang("part").ofParts(1, 500);
    Scene scene = Scene.of("b/r: n1[.] n2[.]").silent().arrives(a);
    assertThat(promise(scene, a.member(0, ""))).contains("n1");
    scene.becomes(part.member(0, ""), new MemberState.Bound(new NodeId("n1"), scene.now()));
    assertThat(promise(scene, a.member(0, ""))).contains("n2");
  }

  @Test
  void deleted_gang_leaves_no_state() {
    GangDraft a = gang("a").of(1, 8);
    Scene scene = Scene.of(TWO_OF_FOUR).arrives(a);
    scene.then(new Event.MemberGone(scene.now(), a.id(), a.member(0, "").id()));
    scene.then(new Event.GangGone(scene.now(), a.id()));
    assertThat(scene.state().standing().isEmpty()).isTrue();
    assertThat(scene.state().published().isEmpty()).isTrue();
  }

  /// kube-scheduler refuses the member on the node until the node is shunned.
  private static void refuse(Scene scene, Member member, String node) {
    scene.then(new Event.ReservationWritten(scene.now(), member.gang(), 1));
    for (int refusal = 0; refusal < 3; refusal++) {
      scene.becomes(member, new MemberState.Waiting(Optional.of(new NodeId(node)), true));
      scene.becomes(member, new MemberState.Waiting(Optional.empty(), true));
    }
  }

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
