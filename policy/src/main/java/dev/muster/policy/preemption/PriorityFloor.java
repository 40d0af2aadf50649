package dev.muster.policy.preemption;

import dev.muster.core.preempt.GangProfiles;
import dev.muster.core.victims.GangProfile;
import dev.muster.core.victims.PolicyVerdict;
import dev.muster.core.victims.PreemptionPolicy;
import java.time.Instant;
import java.util.Optional;

/// The rule of the engine above every policy, as far as the two gangs alone show it.
///
/// No gang is preempted for one of equal or lower priority, unless a queue within its guarantee
/// gets back what another queue borrows.
public final class PriorityFloor {
  /// Its name in explanations.
  public static final String NAME = "priority-floor";

  private PriorityFloor() {}

  /// Returns the verdict of the policy, or the refusal of this rule if the policy allows too much.
  public static PolicyVerdict verdict(
      PreemptionPolicy policy, GangProfile preemptor, GangProfile victim, Instant now) {
    PolicyVerdict verdict = policy.verdict(preemptor, victim, now);
    return verdict instanceof PolicyVerdict.Allowed
            && !GangProfiles.hasHigherClaim(preemptor, victim)
        ? new PolicyVerdict.Protected(
            NAME,
            "Under any policy, priority %d takes nothing from priority %d, unless its queue gets back what the other borrows."
                .formatted(preemptor.priority(), victim.priority()),
            Optional.empty())
        : verdict;
  }
}
