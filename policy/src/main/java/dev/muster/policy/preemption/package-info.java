/// Preemption policies that admins write: rules, protections, selectors and costs, compiled from
/// files.
///
/// `docs/policy.md` describes the same for admins.
@NullMarked
package dev.muster.policy.preemption;

import org.jspecify.annotations.NullMarked;
