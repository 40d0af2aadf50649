package dev.muster.server.kube.dra.cel;

import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.math.RoundingMode;

/// A Kubernetes quantity in expressions: `40Gi` and `40960Mi` are equal.
///
/// As in Kubernetes, the value is limited to 2^63 - 1 and to nine decimals. The limit also keeps
/// input such as `1e999999999` from being expanded to a billion digits.
///
/// @param value amount in its unit, without trailing zeros
public record Amount(BigDecimal value) implements Comparable<Amount> {
  private static final BigDecimal MOST = BigDecimal.valueOf(Long.MAX_VALUE);
  private static final int DECIMALS = 9;
  private static final BigDecimal LEAST = BigDecimal.ONE.scaleByPowerOfTen(-DECIMALS);

  public Amount {
    value = bounded(value).stripTrailingZeros();
  }

  private static BigDecimal bounded(BigDecimal value) {
    BigDecimal size = value.abs();
    if (size.compareTo(MOST) > 0) {
      return MOST.multiply(BigDecimal.valueOf(value.signum()));
    }
    return value.signum() != 0 && size.compareTo(LEAST) < 0
        ? LEAST.multiply(BigDecimal.valueOf(value.signum()))
        : value.setScale(Math.min(value.scale(), DECIMALS), RoundingMode.UP);
  }

  /// Converts a quantity of the client library.
  public static Amount of(Quantity quantity) {
    return new Amount(quantity.getNumericalAmount());
  }

  /// Parses a quantity.
  ///
  /// @throws IllegalArgumentException if the text is no quantity
  public static Amount of(String text) {
    return of(Quantity.parse(text));
  }

  static boolean isOne(String text) {
    try {
      of(text);
      return true;
    } catch (IllegalArgumentException _) {
      return false;
    }
  }

  static Amount of(long number) {
    return new Amount(BigDecimal.valueOf(number));
  }

  Amount plus(Amount other) {
    return new Amount(value.add(other.value));
  }

  Amount minus(Amount other) {
    return new Amount(value.subtract(other.value));
  }

  boolean isInteger() {
    return value.scale() <= 0 && value.precision() - value.scale() < 19;
  }

  @Override
  public int compareTo(Amount other) {
    return value.compareTo(other.value);
  }
}
