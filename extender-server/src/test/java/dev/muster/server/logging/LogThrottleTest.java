package dev.muster.server.logging;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Equal messages are logged at a limited rate.
class LogThrottleTest {
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private final LogThrottle throttle = new LogThrottle(Duration.ofHours(1), () -> now);

  @Test
  void equal_message_is_logged_again_after_its_interval() {
    assertThat(throttle.isNew("full")).isTrue();
    now = now.plus(Duration.ofMinutes(59));
    assertThat(throttle.isNew("full")).isFalse();
    now = now.plus(Duration.ofMinutes(2));
    assertThat(throttle.isNew("full")).isTrue();
  }

  @Test
  void alternating_messages_are_logged_once_each() {
    long told =
        IntStream.range(0, 1_000)
            .filter(turn -> throttle.isNew(turn % 3 == 0 ? "429" : turn % 3 == 1 ? "500" : "503"))
            .count();
    assertThat(told).isEqualTo(3);
  }

  @Test
  void oldest_of_many_different_messages_are_forgotten() {
    IntStream.range(0, 1_000).forEach(each -> throttle.isNew("pod " + each));
    assertThat(throttle.isNew("pod 999")).isFalse();
    assertThat(throttle.isNew("pod 0")).isTrue();
  }

  @Test
  void different_message_is_logged_at_once() {
    throttle.isNew("full");
    assertThat(throttle.isNew("empty")).isTrue();
  }
}
