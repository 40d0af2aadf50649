package dev.muster.simulator.cli;

import dev.muster.policy.file.Durations;
import dev.muster.simulator.run.Outages.Window;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Reads maintenance windows.
final class Windows {
  private static final Pattern FORM = Pattern.compile("([^@]+)@([^+]+)\\+(.+)");

  private Windows() {}

  /// The window written `node-00003@2h+30m`.
  static Window of(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "The maintenance \"%s\" is not of the form NODE@FROM+LENGTH. Maybe you meant node-00003@2h+30m."
              .formatted(text));
    }
    try {
      return new Window(
          matcher.group(1), Durations.parse(matcher.group(2)), Durations.parse(matcher.group(3)));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "The maintenance \"%s\" is not right: %s".formatted(text, e.getMessage()), e);
    }
  }
}
