package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Policies;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/// A gang is not released because kube-scheduler has a backlog and did not come to its pods.
class SchedulerBacklogTest {
  private static final Duration BIND = Policies.DEFAULT.bindTimeout();

  private final GangDraft draft = gang("a").of(2, 4);
  private final Scene scene = Scene.of("b/r: n1[....] n2[....]").silent().arrives(draft);

  private boolean isPromised() {
    return scene.cluster().reservations().contains(draft.id());
  }

  private void delayed(Instant asked) {
    scene.then(new Event.StartDelayed(scene.now(), draft.id(), asked));
  }

  @Test
  void bind_timeout_counts_from_the_first_question_about_the_last_member() {
    scene.after(BIND.minusSeconds(5));
    delayed(scene.now().minusSeconds(20));
    scene.after(BIND.minusSeconds(21));
    assertThat(isPromised()).isTrue();
    scene.after(Duration.ofSeconds(2));
    assertThat(isPromised()).isFalse();
  }

  @Test
  void question_soon_after_the_promise_adds_nothing_noticeable() {
    Instant promised = scene.now();
    scene.after(BIND.minusSeconds(5));
    delayed(promised.plusSeconds(1));
    scene.after(Duration.ofSeconds(7));
    assertThat(isPromised()).isFalse();
  }

  @Test
  void reservation_ends_although_kube_scheduler_never_comes() {
    for (int i = 0; i < 2 * Policies.BACKLOG * BIND.toSeconds() && isPromised(); i++) {
      scene.after(Duration.ofSeconds(1));
      delayed(scene.now());
    }
    assertThat(isPromised()).isFalse();
    assertThat(scene.now())
        .isBetween(
            Scene.START.plus(BIND.multipliedBy(Policies.BACKLOG)),
            Scene.START.plus(BIND.multipliedBy(Policies.BACKLOG)).plusSeconds(5));
  }
}
