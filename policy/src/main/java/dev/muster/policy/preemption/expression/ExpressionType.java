package dev.muster.policy.preemption.expression;

import dev.cel.common.types.CelType;
import dev.cel.common.types.SimpleType;

/// A purpose of expressions: it sets the type of the result and the available variables.
public enum ExpressionType {
  /// A condition on a preemptor and a victim.
  CONDITION(SimpleType.BOOL, true, "true or false", "Compare it, as in victim.gpus > 0."),
  /// The cost of preempting a victim.
  AMOUNT(SimpleType.INT, true, "a whole number", "Convert it, as in int(x), or x ? 1 : 0."),
  /// The time that a preemptor waits before it may preempt.
  DELAY(SimpleType.DURATION, false, "a duration", "Write it like duration('30m').");

  private final CelType result;
  private final boolean ofPairs;
  private final String spoken;
  private final String remedy;

  ExpressionType(CelType result, boolean ofPairs, String spoken, String remedy) {
    this.result = result;
    this.ofPairs = ofPairs;
    this.spoken = spoken;
    this.remedy = remedy;
  }

  CelType result() {
    return result;
  }

  /// True if `victim` and `now` are known beside `preemptor`.
  boolean ofPairs() {
    return ofPairs;
  }

  /// Returns how to change an expression of another type.
  String remedy() {
    return remedy;
  }

  /// Returns the type of the result in words.
  String spoken() {
    return spoken;
  }
}
