package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.decision.Decision;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.NodeSelection;
import dev.muster.core.gang.Requirement;
import dev.muster.core.gang.Resources;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.kit.SceneEvents;
import dev.muster.core.state.Effect;
import dev.muster.core.state.Policies;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/// A gang that lacks members preempts others and becomes a victim itself.
class StoppedPreemptorTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Policies TWO_MINUTES =
      Policies.DEFAULT.with(new SceneEvents(Duration.ofMinutes(2)));
  private static final GangDraft MID = gang("mid").of(2, 4).priority(5);

  /// "mid" runs on n1 and n2, "low" on n3.
  private static Scene bothRun() {
    return Scene.of("b/r1: n1[....]\nb/r2: n2[....]\nb/r3: n3[....]", TWO_MINUTES)
        .arrives(MID)
        .arrives(gang("low").of(1, 4));
  }

  /// The second member of "mid" is replaced, and somebody else has its GPUs.
  private static Scene midLacksOne(Scene scene) {
    scene.then(new Event.MemberGone(scene.now(), MID.id(), MID.member(1, "").id()));
    scene.then(
        new Event.UnmanagedPodSeen(
            scene.now(),
            Scene.unmanagedPod("n2"),
            new NodeId("n2"),
            Resources.of("nvidia.com/gpu", 4),
            4));
    return scene.then(new Event.MemberSeen(scene.now(), MID.member(1, "again")));
  }

  /// It can only go where the first member of "mid" is.
  private static Scene highArrives(Scene scene) {
    NodeSelection first =
        new NodeSelection(
            List.of(new Requirement("rack", Requirement.Operator.IN, List.of("r1"))),
            List.of(),
            List.of());
    return scene.arrives(gang("high").selecting(first).of(1, 4).priority(10));
  }

  private static List<String> stopped(Scene scene) {
    return scene.decisions().stream()
        .filter(Decision.Preempt.class::isInstance)
        .map(Decision.Preempt.class::cast)
        .flatMap(decision -> decision.victims().stream())
        .map(victim -> victim.gang().name())
        .toList();
  }

  @Test
  void victims_of_a_preemptor_that_is_preempted_itself_stay() {
    Scene scene = midLacksOne(bothRun()).after(SECOND);
    assertThat(scene.askedOf(Effect.TellVictim.class)).containsExactly("low");
    highArrives(scene).after(Duration.ofMinutes(3));
    assertThat(scene.askedOf(Effect.Evict.class)).containsExactly("mid");
    assertThat(scene.askedOf(Effect.Reprieve.class)).containsExactly("low");
    assertThat(scene.nodesOf("high")).containsExactly("n1");
  }

  @Test
  void no_gang_is_preempted_for_a_victim() {
    Scene scene = highArrives(bothRun()).after(SECOND);
    assertThat(stopped(scene)).containsExactly("mid");
    midLacksOne(scene).after(Duration.ofSeconds(90));
    assertThat(stopped(scene)).containsExactly("mid");
  }

  @Test
  void spared_victim_may_preempt_others_again() {
    Scene scene = highArrives(midLacksOne(bothRun()).after(SECOND)).after(SECOND);
    scene.then(new Event.GangGone(scene.now(), gang("high").id()));
    scene.then(
        new Event.MemberGone(
            scene.now(), gang("high").id(), scene.gang("high").members().keys().getFirst()));
    scene.after(Duration.ofMinutes(3));
    assertThat(scene.askedOf(Effect.Evict.class)).containsExactly("low");
    assertThat(scene.nodesOf("mid")).containsExactly("n1", "n3");
  }

  @Test
  void preemptor_is_not_preempted_between_its_first_and_last_victim() {
    Scene scene =
        Scene.of("b/r1: n1[....]\nb/r2: n2[....]\nb/r3: n3[....]", TWO_MINUTES)
            .arrives(MID)
            .arrives(gang("low1").of(1, 2))
            .arrives(gang("low2").of(1, 2));
    midLacksOne(scene).after(SECOND).silent().after(Duration.ofMinutes(2));
    assertThat(scene.askedOf(Effect.Evict.class)).containsExactly("low1");
    highArrives(scene).after(SECOND);
    assertThat(stopped(scene)).containsExactly("low1", "low2");
    scene.then(
        new Event.MemberGone(
            scene.now(), gang("low1").id(), gang("low1").of(1, 2).member(0, "").id()));
    scene.after(Duration.ofMinutes(1));
    assertThat(scene.askedOf(Effect.Evict.class)).containsExactly("low1", "low2");
    assertThat(stopped(scene)).containsExactly("low1", "low2", "mid");
  }
}
