package dev.muster.server.kube.cel;

import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;

/// A Kubernetes quantity as expressions see it: `40Gi` and `40960Mi` are equal.
///
/// @param value in its unit, without trailing zeros
public record Amount(BigDecimal value) implements Comparable<Amount> {
  public Amount {
    value = value.stripTrailingZeros();
  }

  /// The amount of a quantity.
  public static Amount of(Quantity quantity) {
    return new Amount(quantity.getNumericalAmount());
  }

  /// The amount that is written like this.
  ///
  /// @throws IllegalArgumentException if it is no quantity
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
