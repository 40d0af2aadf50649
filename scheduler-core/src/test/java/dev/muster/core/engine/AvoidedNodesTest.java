package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Promise;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.decision.Decision;
import dev.muster.core.decision.Explanation;
import dev.muster.core.decision.ReasonText;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Effect;
import dev.muster.core.state.GangStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// A gang avoids nodes on which its members failed, for a time.
class AvoidedNodesTest {
  private static final String PORTS = "node(s) didn't have free ports for the requested pod ports";
  private static final String A_AND_B = "b/r: a[....] b[....]";
  private final GangDraft gang = gang("g").of(1, 4);
  private final Member pod = gang.member(0, "");

  // ---- Refused by kube-scheduler ----

  @Test
  void gang_moves_when_kube_scheduler_refuses_and_keeps_the_nomination() {
    Scene scene = starting(A_AND_B);
    portIsTaken(scene, "a", 30);
    assertThat(promised(scene)).contains("b");
  }

  @Test
  void third_node_is_tried_when_the_second_refuses_for_the_same_reason() {
    Scene scene = starting("b/r: a[....] b[....] c[....]");
    portIsTaken(scene, "a", 20);
    scene.becomes(pod, refused("b", Optional.of(PORTS)));
    portIsTaken(scene, "b", 30);
    assertThat(promised(scene)).contains("c");
  }

  @Test
  void refused_node_is_avoided_after_the_release() {
    Scene scene = starting("b/r: a[....] b[####]");
    portIsTaken(scene, "a", 30);
    assertThat(scene.cluster().reservations().isEmpty()).isTrue();
    scene.then(new Event.UnmanagedPodGone(scene.now(), Scene.unmanagedPod("b")));
    scene.after(Duration.ofSeconds(11));
    assertThat(promised(scene)).contains("b");
  }

  @Test
  void gang_with_one_possible_node_says_what_failed_there_and_until_when() {
    Scene scene = starting("b/r: a[....]");
    portIsTaken(scene, "a", 30);
    assertThat(scene.whyNot("g").map(ReasonText::sentence).orElseThrow())
        .startsWith(
            "It fits only with nodes that it avoids for a time (a). kube-scheduler refused a member on a: "
                + PORTS
                + ". It is tried again at 2026-11-01T00:01:");
  }

  @Test
  void gang_with_one_possible_node_tries_it_again() {
    Scene scene = starting("b/r: a[....]");
    portIsTaken(scene, "a", 30);
    scene.after(Duration.ofSeconds(62));
    assertThat(promised(scene)).contains("a");
  }

  @Test
  void node_is_avoided_longer_each_time_up_to_ten_minutes() {
    Scene scene = starting("b/r: a[....]");
    List<Duration> waits = new ArrayList<>();
    for (int time = 0; time < 6; time++) {
      portIsTaken(scene, "a", 30);
      var start = scene.now();
      for (int second = 0; second < 900 && promised(scene).isEmpty(); second++) {
        scene.after(Duration.ofSeconds(1));
      }
      waits.add(Duration.between(start, scene.now()));
    }
    assertThat(waits)
        .isSorted()
        .last()
        .satisfies(
            last -> assertThat(last).isBetween(Duration.ofMinutes(9), Duration.ofMinutes(10)));
  }

  @Test
  void pod_in_the_queue_of_a_slow_kube_scheduler_is_not_refused() {
    Scene scene = starting(A_AND_B);
    scene.becomes(pod, refused("a", Optional.empty()));
    scene.after(Duration.ofSeconds(10));
    scene.becomes(pod, new MemberState.Waiting(Optional.of(new NodeId("a")), false));
    scene.after(Duration.ofSeconds(90));
    assertThat(promised(scene)).contains("a");
  }

  @Test
  void refusal_before_kube_scheduler_knows_all_nodes_does_not_count() {
    assertThat(promised(refusedBy(1))).contains("a");
  }

  @Test
  void refusal_with_all_nodes_known_counts() {
    assertThat(promised(refusedBy(2))).contains("b");
  }

  @Test
  void starting_gang_blames_no_node_that_kube_scheduler_does_not_know() {
    Scene scene = starting(A_AND_B);
    scene.becomes(pod, refused("", Optional.of(PORTS), Optional.of(1)));
    assertThat(scene.state().publishedStatus(gang.id()).map(GangStatus::message))
        .contains("Nodes are reserved. 0 of 1 members are bound.");
  }

  @Test
  void other_gang_uses_the_avoided_node() {
    Scene scene = starting("b/r: a[....]");
    portIsTaken(scene, "a", 30);
    GangDraft other = gang("other").of(1, 4);
    scene.arrives(other);
    assertThat(scene.cluster().promise(other.member(0, "")).map(Promise::node))
        .contains(new NodeId("a"));
  }

  @Test
  void repaired_node_is_used_again_at_once() {
    Scene scene = starting("b/r: a[....]");
    portIsTaken(scene, "a", 30);
    var node = scene.state("a").node();
    scene.then(new Event.NodeGone(scene.now(), node.id()));
    scene.then(new Event.NodeSeen(scene.now(), node));
    scene.after(Duration.ofSeconds(11));
    assertThat(promised(scene)).contains("a");
  }

  @Test
  void gang_that_lacks_capacity_says_so_whatever_it_avoids() {
    Scene scene = starting("b/r: a[....] b[####]");
    portIsTaken(scene, "a", 30);
    scene.then(
        new Event.UnmanagedPodSeen(
            scene.now(), Scene.unmanagedPod("a"), new NodeId("a"), pod.request().resources(), 4));
    scene.after(Duration.ofSeconds(11)).becomes(pod, refused("", Optional.empty()));
    assertThat(scene.whyNot("g").orElseThrow()).isInstanceOf(Veto.NotEnoughFree.class);
  }

  @Test
  void deleted_gang_is_forgotten() {
    Scene scene = starting("b/r: a[....]");
    portIsTaken(scene, "a", 30);
    scene.then(new Event.MemberGone(scene.now(), gang.id(), pod.id()));
    scene.then(new Event.GangGone(scene.now(), gang.id()));
    assertThat(scene.cluster().avoidance().byGang().isEmpty()).isTrue();
  }

  // ---- Not bound in time ----

  @Test
  void gang_not_bound_in_time_tries_another_node_first() {
    Scene scene = starting(A_AND_B);
    scene.after(Duration.ofSeconds(132));
    assertThat(promised(scene)).contains("b");
  }

  @Test
  void rejection_on_a_node_that_was_not_bound_in_time_counts() {
    Scene scene = starting("b/r: a[....]").after(Duration.ofSeconds(132));
    var rejected = new MemberState.EarlyFailure(new NodeId("a"), true);
    scene.becomes(pod, new MemberState.Ended(false, Optional.of(rejected)));
    scene.then(new Event.MemberSeen(scene.now(), gang.member(0, "again")));
    assertThat(scene.cluster().avoided(gang.id()).strict().contains(new NodeId("a"))).isTrue();
  }

  @Test
  void gang_not_bound_in_time_returns_to_its_only_node() {
    Scene scene = starting("b/r: a[....]");
    scene.after(Duration.ofSeconds(132));
    assertThat(promised(scene)).contains("a");
  }

  @Test
  void release_tells_what_kube_scheduler_said() {
    Scene scene = starting("b/r: a[....]");
    scene.becomes(pod, new MemberState.Waiting(Optional.empty(), false));
    scene.becomes(pod, refused("", Optional.of("persistentvolumeclaim \"data\" not found")));
    scene.after(Duration.ofMinutes(2));
    assertThat(releases(scene))
        .anySatisfy(sentence ->
            assertThat(sentence)
                .endsWith(
                    "The gang was released and waits again. kube-scheduler refuses g-0 on a: persistentvolumeclaim \"data\" not found."));
  }

  @Test
  void starting_gang_tells_what_kube_scheduler_said() {
    Scene scene = starting("b/r: a[....]");
    scene.becomes(pod, new MemberState.Waiting(Optional.empty(), false));
    scene.becomes(pod, refused("", Optional.of("persistentvolumeclaim \"data\" not found")));
    assertThat(scene.state().publishedStatus(gang.id()).map(GangStatus::message))
        .contains(
            "Nodes are reserved. 0 of 1 members are bound. kube-scheduler refuses g-0 on a: persistentvolumeclaim \"data\" not found.");
  }

  @Test
  void node_that_failed_is_used_last_for_an_hour() {
    Scene scene = starting(A_AND_B);
    portIsTaken(scene, "a", 30);
    Map<String, String> labels = Map.of("block", "b", "rack", "r");
    scene.then(new Event.NodeSeen(scene.now(), Scene.node("c", labels, 4, "H100", false)));
    scene.after(Duration.ofMinutes(2)); // not bound on b in time
    assertThat(promised(scene)).contains("c");
  }

  // ---- Helpers ----

  /// Returns a scene in which a kube-scheduler that knows so many of two nodes refused node a
  /// often.
  private Scene refusedBy(int nodes) {
    Scene scene = starting(A_AND_B);
    for (int time = 0; time < 6; time++) {
      scene.becomes(pod, new MemberState.Waiting(Optional.of(new NodeId("a")), false));
      scene.becomes(pod, refused("a", Optional.of(PORTS), Optional.of(nodes)));
      scene.after(Duration.ofSeconds(2));
    }
    return scene;
  }

  private Scene starting(String drawing) {
    Scene scene = Scene.of(drawing).silent().arrives(gang);
    return written(scene);
  }

  private Scene written(Scene scene) {
    scene
        .cluster()
        .reservations()
        .get(gang.id())
        .filter(held -> held.written() != Reservation.Written.DONE)
        .ifPresent(held ->
            scene.then(new Event.ReservationWritten(scene.now(), gang.id(), held.edition())));
    return scene;
  }

  /// Plays a kube-scheduler that cannot use the node because of a port, and does not clear the
  /// nomination. Equal conditions are not seen again. Starts of the pod succeed.
  private void portIsTaken(Scene scene, String node, int seconds) {
    NodeId taken = new NodeId(node);
    int asked = 0;
    boolean seen = isRefused(scene);
    for (int second = 0; second < seconds; second++) {
      written(scene);
      Optional<NodeId> promised = scene.cluster().promise(pod).map(Promise::node);
      int starts =
          (int) scene.asked().stream().filter(Effect.StartMember.class::isInstance).count();
      if (starts > asked && promised.equals(Optional.of(taken))) {
        scene.then(new Event.MemberStarted(scene.now(), gang.id(), pod.id(), taken));
        if (!seen) {
          scene.becomes(pod, new MemberState.Waiting(Optional.of(taken), false));
          scene.becomes(pod, refused(node, Optional.of(PORTS)));
          seen = true;
        }
      }
      asked = starts;
      scene.after(Duration.ofSeconds(1));
    }
  }

  private boolean isRefused(Scene scene) {
    return scene.gang("g").members().get(pod.id()).orElseThrow().state()
            instanceof MemberState.Waiting(_, boolean refused, _, _)
        && refused;
  }

  private static MemberState refused(String nominated, Optional<String> message) {
    return refused(nominated, message, Optional.empty());
  }

  private static MemberState refused(
      String nominated, Optional<String> message, Optional<Integer> nodes) {
    return new MemberState.Waiting(
        Optional.of(nominated).filter(name -> !name.isEmpty()).map(NodeId::new),
        true,
        message,
        nodes);
  }

  private Optional<String> promised(Scene scene) {
    return scene.cluster().promise(pod).map(promise -> promise.node().name());
  }

  private static List<String> releases(Scene scene) {
    return scene.decisions().stream()
        .filter(Decision.Release.class::isInstance)
        .map(Decision::why)
        .map(Explanation::main)
        .flatMap(Optional::stream)
        .map(ReasonText::sentence)
        .toList();
  }
}
