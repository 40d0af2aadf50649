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
public record QuantityValue(BigDecimal value) implements Comparable<QuantityValue> {
  private static final BigDecimal MOST = BigDecimal.valueOf(Long.MAX_VALUE);
  private static final int DECIMALS = 9;
  private static final BigDecimal LEAST = BigDecimal.ONE.scaleByPowerOfTen(-DECIMALS);

  public QuantityValue {
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
  public static QuantityValue of(Quantity quantity) {
    return new QuantityValue(quantity.getNumericalAmount());
  }

  /// Parses a quantity.
  ///
  /// @throws IllegalArgumentException if the text is no quantity
  public static QuantityValue of(String text) {
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

  static QuantityValue of(long number) {
    return new QuantityValue(BigDecimal.valueOf(number));
  }

  QuantityValue plus(QuantityValue other) {
    return new QuantityValue(value.add(other.value));
  }

  QuantityValue minus(QuantityValue other) {
    return new QuantityValue(value.subtract(other.value));
  }

  boolean isInteger() {
    return value.scale() <= 0 && value.precision() - value.scale() < 19;
  }

  @Override
  public int compareTo(QuantityValue other) {
    return value.compareTo(other.value);
  }
}
