package dev.muster.policy.preemption.expression;

import dev.cel.common.types.CelType;
import dev.cel.common.types.SimpleType;

/// A purpose of expressions: it sets the type of the result and the available variables.
public enum ExpressionType {
  /// A condition on a preemptor and a victim.
  CONDITION(SimpleType.BOOL, true, "true or false"),
  /// The cost of preempting a victim.
  AMOUNT(SimpleType.INT, true, "a whole number"),
  /// The time that a preemptor waits before it may preempt.
  DELAY(SimpleType.DURATION, false, "a duration");

  private final CelType result;
  private final boolean ofPairs;
  private final String spoken;

  ExpressionType(CelType result, boolean ofPairs, String spoken) {
    this.result = result;
    this.ofPairs = ofPairs;
    this.spoken = spoken;
  }

  CelType result() {
    return result;
  }

  /// True if `victim` and `now` are known beside `preemptor`.
  boolean ofPairs() {
    return ofPairs;
  }

  /// Returns the type of the result in words.
  String spoken() {
    return spoken;
  }
}
