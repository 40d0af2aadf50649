package dev.muster.policy.preemption;

/// An expression had no value for a pair of gangs; the victim was spared, or the preemptor kept
/// waiting.
///
/// @param rule the rule or protection, or `cost` or `delay`
/// @param expression its text
/// @param reason what went wrong, a sentence without a full stop
public record ExpressionFailure(String rule, String expression, String reason) {}
