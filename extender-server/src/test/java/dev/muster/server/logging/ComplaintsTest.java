package dev.muster.server.logging;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** How often the same complaint is told. */
class ComplaintsTest {
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private final Complaints complaints = new Complaints(Duration.ofHours(1), () -> now);

  @Test
  void theSameIsToldAgainAfterItsTime() {
    assertThat(complaints.isNew("full")).isTrue();
    now = now.plus(Duration.ofMinutes(59));
    assertThat(complaints.isNew("full")).isFalse();
    now = now.plus(Duration.ofMinutes(2));
    assertThat(complaints.isNew("full")).isTrue();
  }

  @Test
  void anotherIsToldAtOnce() {
    complaints.isNew("full");
    assertThat(complaints.isNew("empty")).isTrue();
  }
}
