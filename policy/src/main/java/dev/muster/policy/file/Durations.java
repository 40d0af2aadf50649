package dev.muster.policy.file;

import dev.muster.policy.yaml.ShownValue;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Parses and prints durations as admins write them: `30m`, `1h30m`.
///
/// A duration is whole numbers with the units `d`, `h`, `m`, `s` and `ms`, each at most once and
/// largest first. A day is 24 hours. Negative durations cannot be written. The longest is
/// [#LONGEST], so that every parsed duration can be counted in nanoseconds in a `long`.
public final class Durations {

  /// The longest duration that can be written: 106751 days, about 292 years.
  public static final Duration LONGEST = Duration.ofDays(106_751);

  /// The remedy for text that is not a duration.
  public static final String REMEDY = "Write it like 30m, 1h30m or 45s.";

  private static final int MOST_DIGITS = 18;
  private static final Pattern TEXT =
      Pattern.compile("(?:(\\d+)d)?(?:(\\d+)h)?(?:(\\d+)m)?(?:(\\d+)s)?(?:(\\d+)ms)?");
  private static final long[] UNIT_MILLIS = {86_400_000, 3_600_000, 60_000, 1_000, 1};
  private static final String[] UNITS = {"d", "h", "m", "s", "ms"};

  private Durations() {}

  /// Parses `text`.
  ///
  /// @throws IllegalArgumentException naming the text and the remedy, if it is not a duration or
  ///   longer than [#LONGEST]
  public static Duration parse(String text) {
    Matcher matcher = TEXT.matcher(text);
    if (text.isEmpty() || !matcher.matches()) {
      throw new IllegalArgumentException(
          "\"" + ShownValue.text(text) + "\" is not a duration. " + REMEDY);
    }
    long millis = 0;
    try {
      for (int unit = 0; unit < UNITS.length; unit++) {
        millis = Math.addExact(millis, millisOf(matcher.group(unit + 1), unit));
      }
    } catch (ArithmeticException tooLong) {
      millis = Long.MAX_VALUE;
    }
    if (millis > LONGEST.toMillis()) {
      throw new IllegalArgumentException(
          "\""
              + ShownValue.text(text)
              + "\" is too long a duration: at most "
              + print(LONGEST)
              + ".");
    }
    return Duration.ofMillis(millis);
  }

  /// Parses `text` as [#parse] does, but refuses zero.
  ///
  /// @throws IllegalArgumentException also for `0s`
  public static Duration parsePositive(String text) {
    Duration duration = parse(text);
    if (duration.isZero()) {
      throw new IllegalArgumentException(
          "\"" + ShownValue.text(text) + "\" must be longer than zero. " + REMEDY);
    }
    return duration;
  }

  private static long millisOf(@Nullable String digits, int unit) {
    if (digits == null) {
      return 0;
    }
    if (digits.length() > MOST_DIGITS) {
      throw new ArithmeticException();
    }
    return Math.multiplyExact(Long.parseLong(digits), UNIT_MILLIS[unit]);
  }

  /// Returns the shortest text that [#parse] reads back: `1h30m`, `0s`.
  ///
  /// Anything below a millisecond is cut off. A negative duration gets a leading minus, which
  /// cannot be read back.
  public static String print(Duration duration) {
    if (duration.isNegative()) {
      return "-" + print(duration.negated());
    }
    long rest = duration.toMillis();
    StringBuilder text = new StringBuilder();
    for (int unit = 0; unit < UNITS.length; unit++) {
      long count = rest / UNIT_MILLIS[unit];
      rest %= UNIT_MILLIS[unit];
      if (count > 0) {
        text.append(count).append(UNITS[unit]);
      }
    }
    return text.isEmpty() ? "0s" : text.toString();
  }
}
