/// Preemption policies that admins write: files that are read strictly, checked before they bite,
/// tested by examples, and compiled into what the scheduler asks.
///
/// Start at [PolicyLoader]; `docs/policy.md` is the same for admins.
@NullMarked
package dev.muster.policy.preemption;

import org.jspecify.annotations.NullMarked;
