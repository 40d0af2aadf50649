package dev.muster.simulator.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// The progress of a job follows its changing speed.
final class JobProgressTest {
  /// Alone for 400 ms, then at half the speed.
  private static JobProgress slowed() {
    JobProgress effort = new JobProgress(1000);
    effort.begin(0, 0, 1);
    effort.change(400, 0.5);
    return effort;
  }

  @Test
  void each_speed_counts_for_its_time() {
    assertThat(slowed().left(600)).isEqualTo(500);
    assertThat(slowed().end()).isEqualTo(1600);
  }

  @Test
  void equal_speed_is_no_change() {
    JobProgress effort = new JobProgress(1000);
    effort.begin(0, 0, 1);
    assertThat(effort.change(400, 1)).isFalse();
  }

  @Test
  void restart_in_progress_continues() {
    JobProgress effort = new JobProgress(1000);
    effort.begin(0, 0, 1);
    effort.stop(100, PreemptionCost.NONE);
    effort.begin(200, 50, 1);
    effort.change(220, 2);
    assertThat(effort.end()).isEqualTo(250 + 450);
  }

  @Test
  void nothing_kept_is_lost() {
    assertThat(slowed().stop(600, PreemptionCost.NONE)).isZero();
  }

  @Test
  void lost_work_is_the_share_done_again() {
    PreemptionCost preemptionCost =
        PreemptionCost.of(Optional.of(Duration.ofMillis(300)), Duration.ZERO);
    JobProgress effort = slowed();
    assertThat(effort.stop(600, preemptionCost)).isEqualTo(600 * 200 / 500);
    assertThat(effort.left(600)).isEqualTo(700);
  }
}
