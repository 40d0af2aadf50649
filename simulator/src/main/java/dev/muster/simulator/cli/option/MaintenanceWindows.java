package dev.muster.simulator.cli.option;

import dev.muster.policy.file.Durations;
import dev.muster.simulator.run.OutageSchedule.Window;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Parses maintenance windows.
final class MaintenanceWindows {
  private static final Pattern FORM = Pattern.compile("([^@]+)@([^+]+)\\+(.+)");

  private MaintenanceWindows() {}

  /// Parses a window of the form `node-00003@2h+30m`.
  static Window of(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "--maintenance \"%s\": not of the form NODE@FROM+LENGTH, such as node-00003@2h+30m."
              .formatted(text));
    }
    return new Window(
        matcher.group(1), duration(text, matcher.group(2)), duration(text, matcher.group(3)));
  }

  private static Duration duration(String text, String part) {
    try {
      return Durations.parse(part);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "--maintenance \"%s\": %s".formatted(text, e.getMessage()), e);
    }
  }
}
