package dev.muster.simulator.cli.option;

import dev.muster.policy.file.Durations;
import dev.muster.simulator.file.PlainNumber;
import dev.muster.simulator.run.OutageSchedule;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// How often nodes fail: `never`, a mean time of each node as `30d`, or `1/1000gpu-days`.
///
/// @param text the normalised text
/// @param between the mean time between failures; absent for `never`
/// @param perGpu true if that time is of a GPU
public record NodeFailures(String text, Optional<Duration> between, boolean perGpu) {
  private static final Pattern RATE = Pattern.compile("([0-9.]+)/([0-9.]+)(gpu|node)-days");

  /// Nodes never fail.
  public static final NodeFailures NEVER = new NodeFailures("never", Optional.empty(), false);

  /// Parses how often nodes fail.
  ///
  /// @param option name of the option, for error messages
  /// @throws IllegalArgumentException if it has another form
  public static NodeFailures of(String option, String text) {
    if (text.equals(NEVER.text)) {
      return NEVER;
    }
    Matcher rate = RATE.matcher(text);
    try {
      if (rate.matches()) {
        double days = positive(rate.group(2)) / positive(rate.group(1));
        double millis = days * Duration.ofDays(1).toMillis();
        return new NodeFailures(
            text,
            Optional.of(Duration.ofMillis((long) Math.min(millis, 1e15))),
            rate.group(3).equals("gpu"));
      }
      Duration between = Durations.parse(text);
      return new NodeFailures(Durations.print(between), Optional.of(between), false);
    } catch (IllegalArgumentException refused) {
      throw new IllegalArgumentException(
          "%s: %s A rate is written like 1/1000gpu-days. Without failures it is never."
              .formatted(option, refused.getMessage()),
          refused);
    }
  }

  private static double positive(String number) {
    double value = PlainNumber.decimal(number);
    if (!(value > 0)) {
      throw new IllegalArgumentException("\"%s\" is not a number above 0.".formatted(number));
    }
    return value;
  }

  /// Returns the outages with these failures.
  public OutageSchedule in(OutageSchedule outages) {
    return outages.failing(between, perGpu);
  }
}
