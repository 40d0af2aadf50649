package dev.muster.policy.preemption;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Optional;

/// Hours of the week, in a time zone.
///
/// @param days the days on which it begins: `Mon` to `Sun`
/// @param from when it begins, `08:00`
/// @param to when it ends: on the same day if later than `from`, else on the next
/// @param zone the time zone
record Window(List<String> days, String from, String to, String zone) {
  private static final List<String> NAMES =
      List.of("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun");
  private static final Duration WEEK = Duration.ofDays(7);

  /// When the window that `now` is in closes, neighbouring days taken together; empty when it is
  /// open all week. Only asked while it is [open][#isOpen].
  Optional<Instant> closes(Instant now) {
    Instant end = now;
    for (Instant next = end(end); next.isAfter(end); next = end(end)) {
      end = next;
      if (Duration.between(now, end).compareTo(WEEK) > 0) {
        return Optional.empty();
      }
    }
    return Optional.of(end);
  }

  /// Whether `now` is in the window.
  boolean isOpen(Instant now) {
    return end(now).isAfter(now);
  }

  /// The end of the stretch that `time` is in; `time` itself when it is in none.
  private Instant end(Instant time) {
    ZonedDateTime local = time.atZone(ZoneId.of(zone));
    Instant today = end(local, time);
    return today.isAfter(time) ? today : end(local.minusDays(1), time);
  }

  private Instant end(ZonedDateTime day, Instant time) {
    LocalTime opening = LocalTime.parse(from);
    LocalTime closing = LocalTime.parse(to);
    ZonedDateTime begin = day.toLocalDate().atTime(opening).atZone(day.getZone());
    ZonedDateTime end =
        day.toLocalDate()
            .plusDays(closing.isAfter(opening) ? 0 : 1)
            .atTime(closing)
            .atZone(day.getZone());
    boolean inside = !begin.toInstant().isAfter(time) && end.toInstant().isAfter(time);
    return inside && begins(day.getDayOfWeek()) ? end.toInstant() : time;
  }

  private boolean begins(DayOfWeek day) {
    return days.contains(NAMES.get(day.getValue() - 1));
  }
}
