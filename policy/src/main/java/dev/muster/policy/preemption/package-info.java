/// Preemption policies that admins write in files.
///
/// The files are read strictly, checked before they take effect, tested by examples, and compiled
/// into the policy that the scheduler asks. Start at [PolicyLoader]; `docs/policy.md` describes the
/// files for admins.
@NullMarked
package dev.muster.policy.preemption;

import org.jspecify.annotations.NullMarked;
