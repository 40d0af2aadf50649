package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.kit.Scene;
import dev.muster.core.node.Node;
import dev.muster.core.state.Effect;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// A preemption whose victims do not end is given up.
class OverdueVictimTest extends PreemptionScenes {
  private static final Duration GRACE = Duration.ofSeconds(30);

  @Test
  void another_gang_is_preempted_a_minute_after_the_grace_of_a_victim_that_does_not_end() {
    Scene scene = leaving().after(GRACE.plusSeconds(62));
    assertThat(victims(scene)).containsExactly("low", "low2");
  }

  @Test
  void pod_that_does_not_end_on_another_node_is_not_waited_for() {
    Scene scene = Scene.of("b/r: n1[....] n2[....]", BY_PRIORITY).arrives(gang("low").of(2, 4));
    scene.arrives(gang("low2").of(1, 4).minCount(1)).silent();
    scene.arrives(gang("hi").of(1, 4).priority(10)).after(SECOND);
    evict(scene, "low");
    String needed =
        scene
            .cluster()
            .holds()
            .get(gang("hi").id())
            .orElseThrow()
            .shares()
            .keys()
            .getFirst()
            .name();
    String other = needed.equals("n1") ? "n2" : "n1";
    Instant due = scene.now().plus(GRACE);
    for (Member pod : scene.gang("low").members().values()) {
      scene.becomes(pod, new MemberState.Leaving(pod.node(), Optional.of(due)));
    }
    scene.then(
        new Event.NodeSeen(
            scene.now(), scene.state(other).node().withFaults(List.of(Node.NOT_READY))));
    scene.after(Duration.ofSeconds(5));
    assertThat(scene.cluster().holds().get(gang("hi").id()).orElseThrow().shares().keys())
        .containsExactly(new NodeId(needed));
  }

  @Test
  void victim_is_waited_for_within_its_grace() {
    Scene scene = leaving().after(GRACE.plusSeconds(50));
    assertThat(victims(scene)).containsExactly("low");
  }

  @Test
  void another_gang_is_preempted_at_once_when_the_node_of_the_victim_is_not_ready() {
    Scene scene = leaving();
    scene.then(
        new Event.NodeSeen(
            scene.now(), scene.state("n1").node().withFaults(List.of(Node.NOT_READY))));
    assertThat(victims(scene.after(Duration.ofSeconds(2)))).containsExactly("low", "low2");
  }

  @Test
  void event_names_the_pods_that_do_not_end() {
    Scene scene = leaving().after(GRACE.plusSeconds(62));
    assertThat(scene.asked())
        .filteredOn(Effect.Report.class::isInstance)
        .singleElement()
        .isEqualTo(
            new Effect.Report(
                gang("hi").id(),
                Optional.empty(),
                "VictimsDoNotEnd",
                "1 pod was preempted for it, but does not end: ml/low-0 on n1. Other gangs are preempted instead, if there are any."));
  }

  @Test
  void gang_starts_in_place_of_the_second_victim() {
    Scene scene = leaving().after(GRACE.plusSeconds(62));
    evict(scene, "low2");
    ends(scene, "low2");
    assertThat(promised(scene)).contains("n2");
  }

  @Test
  void gang_starts_where_the_late_victim_has_ended_if_there_is_no_other() {
    Scene scene = leaving("b/r: n1[....]", List.of("low")).after(Duration.ofMinutes(30));
    assertThat(victims(scene)).containsExactly("low");
    ends(scene, "low");
    assertThat(promised(scene)).contains("n1");
  }

  @Test
  void no_gang_is_evicted_twice_for_one_preemptor() {
    Scene scene = leaving().after(GRACE.plusSeconds(62));
    evict(scene, "low2");
    begin(scene, "low2");
    scene.after(Duration.ofMinutes(30));
    assertThat(victims(scene)).containsExactly("low", "low2");
  }

  private static Scene leaving() {
    return leaving("b/r: n1[....] n2[....]", List.of("low", "low2"));
  }

  /// The first victim has begun to leave, and its pod stays.
  private static Scene leaving(String drawing, List<String> running) {
    Scene scene = Scene.of(drawing, BY_PRIORITY);
    running.forEach(low -> scene.arrives(gang(low).of(1, 4)));
    scene.silent().arrives(gang("hi").of(1, 4).priority(10)).after(SECOND);
    evict(scene, "low");
    begin(scene, "low");
    return scene;
  }

  /// Records and notifies the victim, so that its eviction is requested.
  private static void evict(Scene scene, String victim) {
    scene.then(new Event.VictimsRecorded(scene.now(), gang("hi").id()));
    scene.then(new Event.VictimTold(scene.now(), gang(victim).id()));
    scene.after(SECOND);
  }

  private static void begin(Scene scene, String victim) {
    Member pod = pod(scene, victim);
    Instant due = scene.now().plus(GRACE);
    scene.becomes(pod, new MemberState.Leaving(pod.node(), Optional.of(due)));
  }

  private static void ends(Scene scene, String victim) {
    Member pod = pod(scene, victim);
    scene.then(new Event.MemberGone(scene.now(), pod.gang(), pod.id()));
    scene.after(SECOND);
  }

  private static Member pod(Scene scene, String gang) {
    return scene.gang(gang).members().values().getFirst();
  }

  private static Optional<String> promised(Scene scene) {
    return scene.cluster().promise(pod(scene, "hi")).map(promise -> promise.node().name());
  }
}
