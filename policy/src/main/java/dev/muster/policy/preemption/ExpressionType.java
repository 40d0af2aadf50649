package dev.muster.policy.preemption;

import dev.cel.common.types.CelType;
import dev.cel.common.types.SimpleType;

/// What an expression is for: what it must result in, and what it may speak of.
enum ExpressionType {
  /// Whether something holds for a preemptor and a victim.
  CONDITION(SimpleType.BOOL, true, "true or false"),
  /// What stopping a victim costs.
  AMOUNT(SimpleType.INT, true, "a whole number"),
  /// How long a preemptor waits first.
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

  /// Whether `victim` and `now` are known beside `preemptor`.
  boolean ofPairs() {
    return ofPairs;
  }

  /// The result in words.
  String spoken() {
    return spoken;
  }
}
