package dev.muster.server.kube;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class SteadyClockTest {
  private static final Instant NOON = Instant.parse("2026-11-01T12:00:00Z");

  private Instant wall = NOON;
  private long nanos;
  private final SteadyClock clock = new SteadyClock(() -> wall, () -> nanos);

  private void passes(Duration time) {
    wall = wall.plus(time);
    nanos += time.toNanos();
  }

  @Test
  void clock_returns_the_time() {
    passes(Duration.ofMinutes(5));
    assertThat(clock.instant()).isEqualTo(NOON.plus(Duration.ofMinutes(5)));
  }

  @Test
  void clock_continues_when_the_time_is_set_back() {
    wall = NOON.minus(Duration.ofHours(1));
    passes(Duration.ofMinutes(5));
    assertThat(clock.instant()).isEqualTo(NOON.plus(Duration.ofMinutes(5)));
  }

  @Test
  void clock_follows_when_the_time_is_set_forward() {
    wall = NOON.plus(Duration.ofHours(1));
    assertThat(clock.instant()).isEqualTo(wall);
    passes(Duration.ofMinutes(5));
    assertThat(clock.instant()).isEqualTo(wall);
  }
}
