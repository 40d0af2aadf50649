package dev.muster.server.logging;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.stream.IntStream;
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
  void thoseThatTakeTurnsAreToldOnceEach() {
    long told =
        IntStream.range(0, 1_000)
            .filter(turn -> complaints.isNew(turn % 3 == 0 ? "429" : turn % 3 == 1 ? "500" : "503"))
            .count();
    assertThat(told).isEqualTo(3);
  }

  @Test
  void ofManyDifferentOnesTheOldestAreForgotten() {
    IntStream.range(0, 1_000).forEach(each -> complaints.isNew("pod " + each));
    assertThat(complaints.isNew("pod 999")).isFalse();
    assertThat(complaints.isNew("pod 0")).isTrue();
  }

  @Test
  void anotherIsToldAtOnce() {
    complaints.isNew("full");
    assertThat(complaints.isNew("empty")).isTrue();
  }
}
