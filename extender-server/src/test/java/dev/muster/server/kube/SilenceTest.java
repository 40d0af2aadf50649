package dev.muster.server.kube;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class SilenceTest {
  private static final Instant NOW = Instant.parse("2026-11-01T10:00:00Z");

  private final Silence silence = new Silence();

  private Instant at = NOW;

  /// When, counted from now, it is first too long, looked at every second.
  private Duration tooLongAfter(String version) {
    Instant start = at;
    while (!silence.isTooLong(version, at)) {
      at = at.plusSeconds(1);
      assertThat(at).isBefore(start.plus(Duration.ofHours(2)));
    }
    return Duration.between(start, at);
  }

  @Test
  void aWatchThatTellsOfSomethingIsAlive() {
    for (int second = 0; second < 1_000; second++) {
      assertThat(silence.isTooLong("" + second / 90, NOW.plusSeconds(second))).isFalse();
    }
  }

  @Test
  void isTooLongAfterItsPatience() {
    assertThat(tooLongAfter("7")).isEqualTo(Silence.PATIENCE);
  }

  @Test
  void isLongerEachTimeThatItWasForNothing() {
    tooLongAfter("7");

    assertThat(tooLongAfter("8"))
        .as("8 is of the new list")
        .isEqualTo(Silence.PATIENCE.multipliedBy(2));
    assertThat(tooLongAfter("9")).isEqualTo(Silence.PATIENCE.multipliedBy(4));
  }

  @Test
  void isNoLongerThanTenMinutes() {
    for (int time = 0; time < 10; time++) {
      tooLongAfter("" + time);
    }

    assertThat(tooLongAfter("again")).isEqualTo(Silence.MOST);
  }

  @Test
  void isShortAgainOnceTheWatchWasAlive() {
    tooLongAfter("7");
    silence.isTooLong("8", at);
    silence.isTooLong("9", at);

    assertThat(tooLongAfter("9")).isEqualTo(Silence.PATIENCE);
  }
}
