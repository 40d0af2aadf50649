package dev.muster.server.kube.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class StalledWatchDetectorTest {
  private static final Instant NOW = Instant.parse("2026-11-01T10:00:00Z");
  private static final Instant LATE = NOW.plus(StalledWatchDetector.PATIENCE);

  private final StalledWatchDetector stalledWatch = new StalledWatchDetector();

  @Test
  void watch_with_events_is_alive() {
    for (int second = 0; second < 1_000; second++) {
      assertThat(stalledWatch.isTooLong("" + second / 9, NOW.plusSeconds(second))).isFalse();
    }
  }

  @Test
  void silence_is_too_long_after_the_patience() {
    stalledWatch.isTooLong("7", NOW);

    assertThat(stalledWatch.isTooLong("7", LATE.minusMillis(1))).isFalse();
    assertThat(stalledWatch.isTooLong("7", LATE)).isTrue();
  }

  @Test
  void silence_is_too_long_until_explained() {
    stalledWatch.isTooLong("7", NOW);

    assertThat(stalledWatch.isTooLong("7", LATE.plusSeconds(5))).isTrue();
    stalledWatch.isExplained(LATE.plusSeconds(5));
    assertThat(stalledWatch.isTooLong("7", LATE.plusSeconds(10))).isFalse();
    assertThat(stalledWatch.isTooLong("7", LATE.plusSeconds(5).plus(StalledWatchDetector.PATIENCE)))
        .isTrue();
  }
}
