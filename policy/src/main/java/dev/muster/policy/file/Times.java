package dev.muster.policy.file;

import dev.muster.policy.yaml.ShownValue;
import java.time.DateTimeException;
import java.time.Instant;

/// Parses times as admins write them: in UTC, `2026-12-24T18:00:00Z`.
public final class Times {
  private static final Instant FIRST = Instant.parse("1970-01-01T00:00:00Z");
  private static final Instant LAST = Instant.parse("2200-01-01T00:00:00Z");

  private Times() {}

  /// Parses `text`.
  ///
  /// @throws IllegalArgumentException naming the text and the remedy, if it is not a time between
  ///   1970 and 2200
  public static Instant parse(String text) {
    try {
      Instant time = Instant.parse(text);
      if (time.isBefore(FIRST) || time.isAfter(LAST)) {
        throw new IllegalArgumentException(
            "\"%s\" is not between 1970 and 2200.".formatted(ShownValue.text(text)));
      }
      return time;
    } catch (DateTimeException _) {
      throw new IllegalArgumentException(
          "\"%s\" is not a time in UTC. Write it like 2026-12-24T18:00:00Z."
              .formatted(ShownValue.text(text)));
    }
  }
}
