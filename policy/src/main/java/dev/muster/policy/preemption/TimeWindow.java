package dev.muster.policy.preemption;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.zone.ZoneOffsetTransition;
import java.util.List;
import java.util.Optional;

/// Hours of the week, in a time zone.
///
/// @param days the days on which the window begins: `Mon` to `Sun`
/// @param from the time of its begin, `08:00`
/// @param to the time of its end: on that day if later than `from`, else on the next
/// @param zone the time zone
record TimeWindow(List<String> days, String from, String to, String zone) {
  private static final List<String> NAMES =
      List.of("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun");
  private static final Duration WEEK = Duration.ofDays(7);

  /// Returns the window in words: `on Mon, Tue from 08:00 to 18:00 (UTC)`.
  String shown() {
    return "%sfrom %s to %s (%s)"
        .formatted(
            days.size() == NAMES.size() ? "" : "on " + String.join(", ", days) + " ",
            from,
            to,
            zone);
  }

  /// Returns the end of the window around `now`, with adjacent days joined.
  ///
  /// Empty if it is open all week. `now` must be in the [open][#isOpen] window.
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

  /// True if `now` is in the window.
  boolean isOpen(Instant now) {
    return end(now).isAfter(now);
  }

  /// Returns the end of the window around `time`; `time` itself if it is in none.
  private Instant end(Instant time) {
    ZonedDateTime local = time.atZone(ZoneId.of(zone));
    Instant today = end(local, time);
    return today.isAfter(time) ? today : end(local.minusDays(1), time);
  }

  private Instant end(ZonedDateTime day, Instant time) {
    LocalTime opening = LocalTime.parse(from);
    LocalTime closing = LocalTime.parse(to);
    LocalDate last = day.toLocalDate().plusDays(closing.isAfter(opening) ? 0 : 1);
    Instant begin = reached(day.toLocalDate().atTime(opening), day.getZone());
    Instant end = passed(last.atTime(closing), day.getZone());
    boolean inside = !begin.isAfter(time) && end.isAfter(time);
    return inside && begins(day.getDayOfWeek()) ? end : time;
  }

  /// Returns the first moment at which clocks show this time or a later one: they skip some in
  /// spring.
  private static Instant reached(LocalDateTime shown, ZoneId zone) {
    ZoneOffsetTransition change = zone.getRules().getTransition(shown);
    return change != null && change.isGap() ? change.getInstant() : shown.atZone(zone).toInstant();
  }

  /// Returns the moment after which clocks show no earlier time: they show some twice in autumn.
  private static Instant passed(LocalDateTime shown, ZoneId zone) {
    ZoneOffsetTransition change = zone.getRules().getTransition(shown);
    boolean twice =
        change != null && change.isOverlap() && shown.isAfter(change.getDateTimeAfter());
    return twice ? shown.atZone(zone).withLaterOffsetAtOverlap().toInstant() : reached(shown, zone);
  }

  private boolean begins(DayOfWeek day) {
    return days.contains(NAMES.get(day.getValue() - 1));
  }
}
