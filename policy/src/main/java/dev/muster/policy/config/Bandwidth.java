package dev.muster.policy.config;

import java.math.BigDecimal;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Parses bandwidths as data sheets write them: `400Gbps` in bits, `900GBps` in bytes.
final class Bandwidth {

  private static final Pattern TEXT = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,6})?)([MGT][bB]ps)");
  private static final Map<String, Long> MEGABITS =
      Map.of(
          "Mbps",
          1L,
          "Gbps",
          1_000L,
          "Tbps",
          1_000_000L,
          "MBps",
          8L,
          "GBps",
          8_000L,
          "TBps",
          8_000_000L);

  private Bandwidth() {}

  /// Returns the bandwidth in megabits per second, at least 1. A small `b` means bits, a large `B`
  /// bytes; prefixes are decimal.
  ///
  /// @throws IllegalArgumentException naming the text, if it is not a whole number of megabits
  static long megabitsPerSecond(String text) {
    Matcher matcher = TEXT.matcher(text);
    Long unit = matcher.matches() ? MEGABITS.get(matcher.group(2)) : null;
    if (unit == null) {
      throw new IllegalArgumentException(
          "\"" + text + "\" is not a bandwidth. Write it like 400Gbps (bits) or 900GBps (bytes).");
    }
    BigDecimal megabits = new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(unit));
    if (megabits.signum() == 0 || megabits.stripTrailingZeros().scale() > 0) {
      throw new IllegalArgumentException(
          "\"" + text + "\" is not a whole number of megabits per second.");
    }
    return megabits.longValueExact();
  }
}
