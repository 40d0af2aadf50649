package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.backfill.BackfillSettings;
import dev.muster.core.cluster.Event;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.node.Hold;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/// A drained place is given up when its gang could not start there any more.
class ChangedDemandTest extends BackfillScenes {
  private static final Duration AGED = BackfillSettings.DEFAULT.drainAfter().plusSeconds(2);
  private static final Duration REVIEWED = Duration.ofMinutes(6);

  private final GangDraft big = gang("big").of(2, 4);

  /// All nodes are in use, and a place for two members of 4 is drained on n1 and n2.
  private Scene drained() {
    Scene scene =
        Scene.of("b/r1: n1[....] n2[....]\nb/r2: n3:A100[....] n4:A100[....] n5:A100[....]")
            .arrives(gang("x3").of(1, 4).on(A100))
            .arrives(gang("x4").of(1, 4).on(A100))
            .arrives(gang("x5").of(1, 4).on(A100))
            .after(SECOND)
            .arrives(gang("y").of(2, 3).onePerNode())
            .arrives(big)
            .after(AGED);
    assertThat(kind(scene)).isEqualTo(Hold.Kind.DRAINING);
    assertThat(hold(scene, "big").orElseThrow().shares().keys())
        .extracting("name")
        .containsExactly("n1", "n2");
    return scene;
  }

  private static Hold.Kind kind(Scene scene) {
    return hold(scene, "big").orElseThrow().kind();
  }

  private static void changes(Scene scene, GangDraft to) {
    scene.then(new Event.GangSeen(scene.now(), to.spec()));
  }

  @Test
  void place_is_kept_while_the_demand_stays() {
    Scene scene = drained();
    Hold before = hold(scene, "big").orElseThrow();
    assertThat(hold(scene.after(Duration.ofMinutes(20)), "big").orElseThrow().shares())
        .isEqualTo(before.shares());
  }

  @Test
  void place_of_other_gpu_models_is_given_up() {
    Scene scene = drained();
    changes(scene, gang("big").of(2, 4).on(A100));
    assertThat(hold(scene.after(REVIEWED), "big")).isEmpty();
  }

  @Test
  void place_with_too_few_gpus_is_given_up() {
    Scene scene = drained();
    scene.then(new Event.MemberSeen(scene.now(), gang("big").of(3, 4).member(2, "")));
    changes(scene, gang("big").of(3, 4));
    assertThat(hold(scene.after(REVIEWED), "big")).isEmpty();
  }

  @Test
  void place_outside_one_domain_is_given_up() {
    Scene scene =
        Scene.of("b/r1: n1[....]\nb/r2: n2[....]\nb/r3: n3[....] n4[....]")
            .arrives(gang("x").of(2, 4).within("rack"))
            .after(SECOND)
            .arrives(gang("y").of(2, 3).onePerNode())
            .arrives(big)
            .after(AGED);
    assertThat(kind(scene)).isEqualTo(Hold.Kind.DRAINING);
    changes(scene, gang("big").of(2, 4).within("rack"));
    assertThat(hold(scene.after(REVIEWED), "big")).isEmpty();
  }

  /// So its next place is drained no sooner than that of any other gang.
  @Test
  void wait_of_the_gang_begins_again() {
    Scene scene = drained();
    Instant changed = scene.now();
    changes(scene, gang("big").of(2, 4).on(A100));
    assertThat(scene.after(REVIEWED).state().startForecasts().get(big.id()).orElseThrow().since())
        .isAfter(changed);
  }
}
