package dev.muster.simulator.fleet;

import java.math.BigDecimal;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Parses amounts in Kubernetes notation: `64`, `500m`, `512Gi`.
final class ResourceAmounts {
  private static final Pattern TEXT = Pattern.compile("(\\d{1,12}(?:\\.\\d{1,3})?)([a-zA-Z]*)");
  private static final Map<String, BigDecimal> UNITS =
      Map.of(
          "", BigDecimal.ONE,
          "m", new BigDecimal("0.001"),
          "k", BigDecimal.valueOf(1000),
          "M", BigDecimal.valueOf(1_000_000),
          "G", BigDecimal.valueOf(1_000_000_000),
          "Ki", BigDecimal.valueOf(1L << 10),
          "Mi", BigDecimal.valueOf(1L << 20),
          "Gi", BigDecimal.valueOf(1L << 30),
          "Ti", BigDecimal.valueOf(1L << 40));

  private static final BigDecimal MOST = BigDecimal.valueOf(1L << 50);

  private ResourceAmounts() {}

  static void check(String text) {
    number(text);
  }

  static long milli(String text) {
    return number(text).movePointRight(3).longValue();
  }

  static long bytes(String text) {
    return number(text).longValue();
  }

  private static BigDecimal number(String text) {
    Matcher matcher = TEXT.matcher(text);
    BigDecimal unit = matcher.matches() ? UNITS.get(matcher.group(2)) : null;
    if (unit == null) {
      throw new IllegalArgumentException(
          "\"%s\" is not an amount such as 64, 500m or 512Gi.".formatted(text));
    }
    BigDecimal amount = new BigDecimal(matcher.group(1)).multiply(unit);
    if (amount.compareTo(MOST) > 0) {
      throw new IllegalArgumentException("\"%s\" is out of range.".formatted(text));
    }
    return amount;
  }
}
