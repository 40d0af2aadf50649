/// Conditions and costs in policy files: CEL expressions over two gangs and the time.
@NullMarked
package dev.muster.policy.preemption.expression;

import org.jspecify.annotations.NullMarked;
