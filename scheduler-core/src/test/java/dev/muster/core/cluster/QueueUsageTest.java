package dev.muster.core.cluster;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.kit.Scene;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/// The account of an idle queue is kept while its usage counts.
class QueueUsageTest {
  private static final Duration WEEK = Cluster.HALF_LIFE;

  /// A gang of 4 GPUs has run for 10 s.
  private static Scene usedOnce() {
    return Scene.of("b/r: n1[....]")
        .arrives(gang("a").of(1, 4).queue("once"))
        .after(Duration.ofSeconds(10))
        .ends("a");
  }

  private static Scene later(Scene scene, Duration time) {
    return scene.then(new Event.Tick(Scene.START.plus(time)));
  }

  @Test
  void used_queue_is_kept_while_its_usage_counts() {
    Scene scene = later(usedOnce(), WEEK.multipliedBy(2));
    assertThat(scene.cluster().ledger().accounts().keys()).containsExactly("once");
  }

  @Test
  void queue_is_dropped_when_its_usage_counts_no_more() {
    Scene scene = later(usedOnce(), WEEK.multipliedBy(5));
    assertThat(scene.cluster().ledger().accounts().keys()).isEmpty();
  }

  @Test
  void queue_in_use_is_kept_however_small_its_usage() {
    Scene scene = Scene.of("b/r: n1[....]").arrives(gang("a").of(1, 4).queue("now"));
    later(scene, WEEK.multipliedBy(5));
    assertThat(scene.cluster().ledger().accounts().keys()).containsExactly("now");
  }
}
