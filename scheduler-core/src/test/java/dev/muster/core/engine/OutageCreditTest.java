package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.decision.Decision;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Resources;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.kit.SceneEvents;
import dev.muster.core.node.Hold;
import dev.muster.core.state.Effect;
import dev.muster.core.state.Policies;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Deadlines are extended by the time in which Muster could not act. Examples are a clock set
/// ahead, a suspended machine and an unreachable cluster.
class OutageCreditTest {
  private static final Duration HOURS = Duration.ofHours(3);

  /// The time, once the clock was set ahead.
  private Instant now = Scene.START;

  private Scene setAhead(Scene scene) {
    now = scene.now().plus(HOURS);
    return scene.then(new Event.Tick(now, Optional.of(HOURS)));
  }

  private Scene thenAfter(Scene scene, Duration time) {
    for (long second = 0; second < time.toSeconds(); second++) {
      now = now.plusSeconds(1);
      scene.then(new Event.Tick(now));
    }
    return scene;
  }

  private static List<Decision> releases(Scene scene) {
    return scene.decisions().stream().filter(Decision.Release.class::isInstance).toList();
  }

  private static List<Effect> asked(Scene scene, Class<? extends Effect> kind) {
    return scene.asked().stream().filter(kind::isInstance).toList();
  }

  @Test
  void starting_gang_keeps_the_rest_of_its_time() {
    Scene scene = Scene.of("b/r: n1[....]").silent().arrives(gang("a").of(2, 2));
    setAhead(scene.after(Duration.ofSeconds(60)));
    thenAfter(scene, Duration.ofSeconds(59));
    assertThat(releases(scene)).isEmpty();
    thenAfter(scene, Duration.ofSeconds(1));
    assertThat(releases(scene)).hasSize(1);
  }

  @Test
  void gang_that_began_to_start_later_gets_no_extra_time() {
    Scene scene = Scene.of("b/r: n1[....]").silent();
    now = scene.now().plus(HOURS);
    GangDraft gang = gang("a").of(1, 2);
    scene.then(new Event.GangSeen(now, gang.spec()));
    scene.then(new Event.MemberSeen(now, gang.member(0, "")));
    scene.then(new Event.Tick(now, Optional.of(HOURS)));
    thenAfter(scene, Duration.ofMinutes(2));
    assertThat(releases(scene)).hasSize(1);
  }

  /// A gang runs and lost a member; its place is kept for another, and then taken by a stranger.
  private static Scene lacksOne() {
    GangDraft gang = gang("a").of(2, 4);
    Scene scene = Scene.of("b/r: n1[....] n2[....]").arrives(gang);
    return scene.then(new Event.MemberGone(scene.now(), gang.id(), gang.member(1, "").id()));
  }

  @Test
  void capacity_of_a_lost_member_is_held_for_the_rest_of_its_time() {
    Scene scene = setAhead(lacksOne().after(Duration.ofMinutes(4)));
    assertThat(scene.cluster().holds().values()).extracting(Hold::kind).contains(Hold.Kind.HOLE);
    thenAfter(scene, Policies.REPAIR.minusMinutes(4));
    assertThat(scene.cluster().holds().values()).isEmpty();
  }

  @Test
  void gang_without_a_member_keeps_the_rest_of_its_repair_time() {
    Scene scene = lacksOne();
    Resources four = Resources.of("nvidia.com/gpu", 4);
    scene.then(
        new Event.UnmanagedPodSeen(
            scene.now(), Scene.unmanagedPod("n2"), new NodeId("n2"), four, 4));
    scene.then(new Event.MemberSeen(scene.now(), gang("a").of(2, 4).member(1, "again")));
    setAhead(scene.after(Duration.ofMinutes(4)));
    assertThat(releases(scene)).isEmpty();
    thenAfter(scene, Policies.REPAIR.minusMinutes(4));
    assertThat(releases(scene)).hasSize(1);
  }

  @Test
  void victim_gets_its_whole_notice_again_if_it_ended_in_the_outage() {
    Scene scene =
        Scene.of("b/r: n1[....]", Policies.DEFAULT.with(new SceneEvents(Duration.ofMinutes(2))))
            .arrives(gang("low").of(2, 2))
            .arrives(gang("high").of(2, 2).priority(10));
    setAhead(scene.after(Duration.ofMinutes(1)));
    assertThat(asked(scene, Effect.TellVictim.class)).hasSize(2);
    thenAfter(scene, Duration.ofSeconds(119));
    assertThat(asked(scene, Effect.Evict.class)).isEmpty();
    thenAfter(scene, Duration.ofSeconds(2));
    assertThat(asked(scene, Effect.Evict.class)).hasSize(2);
  }

  @Test
  void late_event_evicts_no_victim_either() {
    Scene scene =
        Scene.of("b/r: n1[....]", Policies.DEFAULT.with(new SceneEvents(Duration.ofMinutes(2))))
            .arrives(gang("low").of(2, 2))
            .arrives(gang("high").of(2, 2).priority(10))
            .after(Duration.ofMinutes(1));
    Instant later = scene.now().plus(HOURS);
    scene.then(new Event.MemberSeen(later, scene.gang("low").members().values().getFirst()));
    assertThat(asked(scene, Effect.Evict.class)).isEmpty();
  }
}
