package dev.muster.policy.preemption.expression;

/// An expression without a value for a pair of gangs.
///
/// The victim was spared, or the preemptor kept waiting.
///
/// @param rule the rule or protection, or `cost` or `delay`
/// @param expression its text
/// @param reason the reason, a sentence without a full stop
public record ExpressionFailure(String rule, String expression, String reason) {}
