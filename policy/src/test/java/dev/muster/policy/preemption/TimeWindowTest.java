package dev.muster.policy.preemption;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Time windows work on days on which clocks are changed: in Berlin, both times at 01:00 UTC.
class TimeWindowTest {
  private static final Instant SPRING = Instant.parse("2026-03-29T01:00:00Z");

  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          # from, to, the first moment, the end
          02:30, 03:15, 2026-03-29T01:00:00Z, 2026-03-29T01:15:00Z
          22:00, 02:30, 2026-03-28T21:00:00Z, 2026-03-29T01:00:00Z
          01:00, 03:00, 2026-03-29T00:00:00Z, 2026-03-29T01:00:00Z
          02:30, 03:15, 2026-10-25T00:30:00Z, 2026-10-25T02:15:00Z
          22:00, 02:30, 2026-10-24T20:00:00Z, 2026-10-25T01:30:00Z
          02:00, 02:30, 2026-10-25T00:00:00Z, 2026-10-25T01:30:00Z
          01:00, 02:00, 2026-10-24T23:00:00Z, 2026-10-25T00:00:00Z
          02:00, 03:00, 2026-10-25T00:00:00Z, 2026-10-25T02:00:00Z
          """)
  void window_is_open_while_clocks_show_its_times(
      String from, String to, Instant first, Instant end) {
    TimeWindow window = nightly(from, to);

    assertThat(window.isOpen(first.minusSeconds(1))).isFalse();
    for (Instant at = first; at.isBefore(end); at = at.plusSeconds(300)) {
      assertThat(window.closes(at)).as("at %s", at).isEqualTo(Optional.of(end));
    }
    assertThat(window.isOpen(end)).isFalse();
  }

  @Test
  void window_skipped_by_the_clocks_is_not_open() {
    TimeWindow window = nightly("02:15", "02:45");

    for (int minute = -120; minute < 120; minute++) {
      assertThat(window.isOpen(SPRING.plusSeconds(60L * minute))).isFalse();
    }
  }

  @Test
  void window_that_ends_when_it_begins_stays_open() {
    TimeWindow window = nightly("02:30", "02:30");

    assertThat(window.isOpen(SPRING)).isTrue();
    assertThat(window.closes(SPRING)).isEmpty();
    assertThat(window.closes(Instant.parse("2026-10-25T00:45:00Z"))).isEmpty();
  }

  private static TimeWindow nightly(String from, String to) {
    List<String> days = List.of("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun");
    return new TimeWindow(days, from, to, "Europe/Berlin");
  }
}
