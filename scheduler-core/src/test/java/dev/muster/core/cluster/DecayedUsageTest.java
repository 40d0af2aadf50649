package dev.muster.core.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class DecayedUsageTest {
  private static final Instant START = Instant.parse("2026-11-01T00:00:00Z");
  private static final Duration HALF_LIFE = Duration.ofHours(64);
  private static final long HOUR = 3_600_000;

  @Test
  void within_an_epoch_gpu_time_adds_up_exactly() {
    DecayedUsage usage =
        DecayedUsage.none(HALF_LIFE).holding(10, START).holding(4, START.plusMillis(7));
    assertThat(usage.at(START.plusMillis(10)).gpuMillis()).isEqualTo(10 * 7 + 4 * 3);
  }

  @Test
  void after_a_half_life_half_of_it_is_left() {
    DecayedUsage usage =
        DecayedUsage.none(HALF_LIFE).holding(10, START).holding(0, START.plusMillis(HOUR - 1));
    long used = usage.gpuMillis();
    long left = usage.at(START.plusMillis(64 * HOUR)).gpuMillis();
    assertThat(used).isEqualTo(10 * (HOUR - 1));
    assertThat(left).isBetween(used / 2 - 64, used / 2);
  }

  @Test
  void permanent_usage_converges_to_a_fixed_sum() {
    DecayedUsage usage = DecayedUsage.none(HALF_LIFE).holding(1, START);
    long year = usage.at(START.plus(Duration.ofDays(365))).gpuMillis();
    assertThat(usage.at(START.plus(Duration.ofDays(3650))).gpuMillis())
        .isBetween(year - HOUR, year + HOUR);
    assertThat(year).isBetween(91 * HOUR, 93 * HOUR); // 64 h / ln 2 = 92.3 h
  }

  @Test
  void skipped_epochs_give_an_equal_sum() {
    DecayedUsage start =
        DecayedUsage.none(DecayedUsage.SHORTEST_HALF_LIFE).holding(8, START.plusMillis(300));
    DecayedUsage stepped = start;
    for (int epoch = 1; epoch <= 5_000; epoch++) {
      stepped = stepped.holding(8, START.plusSeconds(epoch));
    }
    Instant end = START.plusSeconds(5_000).plusMillis(700);
    assertThat(start.at(end)).isEqualTo(stepped.at(end));
    Instant after = end.plus(Duration.ofDays(365 * 100_000L)); // 3 * 10^12 epochs
    assertThat(start.at(after).gpuMillis()).isEqualTo(stepped.at(end).gpuMillis());
  }

  @Test
  void no_usage_stays_zero() {
    assertThat(DecayedUsage.none(HALF_LIFE).at(START).gpuMillis()).isZero();
  }

  @Property(tries = 200)
  void frequency_of_reads_does_not_matter(@ForAll @IntRange(min = 0) int seed) {
    Random random = new Random(seed);
    DecayedUsage plain = DecayedUsage.none(HALF_LIFE);
    DecayedUsage watched = plain;
    Instant now = START;
    for (int change = 0; change < 20; change++) {
      now = now.plusMillis(random.nextInt(200_000_000));
      int gpus = random.nextInt(5000);
      plain = plain.holding(gpus, now);
      for (int look = random.nextInt(3); look > 0; look--) {
        watched = watched.at(now.minusMillis(random.nextInt(200_000_000)));
      }
      watched = watched.at(now).holding(gpus, now);
    }
    assertThat(watched.at(now.plusSeconds(seed))).isEqualTo(plain.at(now.plusSeconds(seed)));
  }

  @Test
  void million_gpus_for_a_century_fit() {
    DecayedUsage usage =
        DecayedUsage.none(DecayedUsage.LONGEST_HALF_LIFE).holding(1_000_000, START);
    long century = usage.at(START.plus(Duration.ofDays(36_500))).gpuMillis();
    long later = usage.at(START.plus(Duration.ofDays(73_000))).gpuMillis();
    assertThat(century).isPositive().isLessThan(later);
  }
}
