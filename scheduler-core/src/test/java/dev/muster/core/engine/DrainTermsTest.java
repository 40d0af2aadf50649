package dev.muster.core.engine;

import static dev.muster.core.engine.BackfillScenes.hold;
import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.kit.Scene;
import dev.muster.core.node.Hold;
import dev.muster.core.state.StartForecast;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/// A place drains only if this is expected to take no longer than the gang has paid by waiting.
class DrainTermsTest extends PlannedStartScenes {
  private static final Duration LONG = Duration.ofHours(2);

  /// The end of `old` is not near, so the other three GPUs would be idle for long.
  private static Scene besideAnOldGang() {
    return Scene.of("b/r: n1[....]")
        .arrives(gang("old").of(1, 1))
        .after(LONG)
        .arrives(gang("big").of(1, 4))
        .after(AGED)
        .arrives(gang("small").of(1, 1));
  }

  @Test
  void no_place_drains_beside_a_gang_that_ran_longer_than_the_wait() {
    Scene scene = besideAnOldGang();
    assertThat(hold(scene, "big")).isEmpty();
    assertThat(scene.nodesOf("small")).containsExactly("n1");
  }

  @Test
  void place_drains_when_its_old_gang_has_ended() {
    Scene scene = besideAnOldGang().ends("old").after(StartForecast.RECKONED);
    assertThat(hold(scene, "big").map(Hold::kind)).contains(Hold.Kind.DRAINING);
    assertThat(scene.ends("small").nodesOf("big")).containsExactly("n1");
  }

  /// What drains goes on to drain: the wait has been paid for it.
  @Test
  void drain_goes_on_while_the_gang_there_runs_on() {
    Scene scene = Scene.of("b/r: n1[....]").arrives(gang("a").of(1, 1));
    scene.arrives(gang("big").of(1, 4)).after(AGED.plus(LONG)).arrives(gang("small").of(1, 1));
    assertThat(hold(scene, "big").map(Hold::kind)).contains(Hold.Kind.DRAINING);
    assertThat(scene.nodesOf("small")).isEmpty();
  }

  /// Gang `b` has an unknown end, so no start can be planned. Gang `a` has run for 2 h.
  private static Scene besideAGangOfKnownEnd(Duration end) {
    return Scene.of("b/r: n1[....] n2[....]")
        .arrives(gang("a").of(1, 3).running(end))
        .after(LONG)
        .arrives(gang("b").of(1, 3))
        .arrives(gang("big").of(2, 4))
        .after(AGED);
  }

  @Test
  void place_drains_beside_an_old_gang_with_a_near_end() {
    Scene scene = besideAGangOfKnownEnd(LONG.plusMinutes(50));
    assertThat(hold(scene, "big").map(Hold::kind)).contains(Hold.Kind.DRAINING);
  }

  @Test
  void no_place_drains_beside_an_old_gang_with_a_far_end() {
    assertThat(hold(besideAGangOfKnownEnd(LONG.multipliedBy(5)), "big")).isEmpty();
  }

  /// Else an owner could keep large gangs waiting by stating too much.
  @Test
  void overstated_run_time_of_a_young_gang_delays_no_drain() {
    Scene scene =
        Scene.of("b/r: n1[....] n2[....]")
            .arrives(gang("a").of(1, 3).running(Duration.ofDays(30)))
            .arrives(gang("b").of(1, 3))
            .arrives(gang("big").of(2, 4))
            .after(AGED);
    assertThat(hold(scene, "big").map(Hold::kind)).contains(Hold.Kind.DRAINING);
  }
}
