package dev.muster.server.kube.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class SilenceTest {
  private static final Instant NOW = Instant.parse("2026-11-01T10:00:00Z");
  private static final Instant LATE = NOW.plus(Silence.PATIENCE);

  private final Silence silence = new Silence();

  @Test
  void aWatchThatTellsOfSomethingIsAlive() {
    for (int second = 0; second < 1_000; second++) {
      assertThat(silence.isTooLong("" + second / 90, NOW.plusSeconds(second))).isFalse();
    }
  }

  @Test
  void isTooLongAfterItsPatience() {
    silence.isTooLong("7", NOW);

    assertThat(silence.isTooLong("7", LATE.minusMillis(1))).isFalse();
    assertThat(silence.isTooLong("7", LATE)).isTrue();
  }

  @Test
  void isTooLongUntilItIsExplained() {
    silence.isTooLong("7", NOW);

    assertThat(silence.isTooLong("7", LATE.plusSeconds(5))).isTrue();
    silence.isExplained(LATE.plusSeconds(5));
    assertThat(silence.isTooLong("7", LATE.plusSeconds(10))).isFalse();
    assertThat(silence.isTooLong("7", LATE.plusSeconds(5).plus(Silence.PATIENCE))).isTrue();
  }
}
