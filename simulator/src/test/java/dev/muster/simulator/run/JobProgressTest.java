package dev.muster.simulator.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
    assertThat(slowed().left(600)).isEqualTo(500_000);
    assertThat(slowed().end()).isEqualTo(1600);
  }

  /// 1/1.04 is no binary fraction; 600 s at this speed take 624 s, not a millisecond more.
  @ParameterizedTest
  @ValueSource(doubles = {1.04, 1.06, 1.37, 1.9})
  void whole_milliseconds_end_at_whole_milliseconds(double slowdown) {
    JobProgress effort = new JobProgress(600_000);
    effort.begin(0, 0, 1 / slowdown);
    assertThat(effort.end()).isEqualTo(Math.round(600_000 * slowdown));
  }

  @Property
  void end_does_not_depend_on_looks_between(
      @ForAll @IntRange(min = 1, max = 100_000_000) int run,
      @ForAll @DoubleRange(min = 0.1, max = 10) double speed,
      @ForAll @Size(max = 20) List<@IntRange(min = 1, max = 1000) Integer> looks) {
    JobProgress effort = new JobProgress(run);
    effort.begin(0, 0, speed);
    long end = effort.end();
    long now = 0;
    for (int look : looks) {
      now = Math.min(end, now + look);
      effort.change(now, speed * 2);
      effort.change(now, speed);
    }
    assertThat(effort.end()).isBetween(end - 1, end + 1);
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
    assertThat(effort.left(600)).isEqualTo(700_000);
  }
}
