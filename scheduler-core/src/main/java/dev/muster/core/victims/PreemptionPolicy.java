package dev.muster.core.victims;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The rules on preemption: which gang may be stopped for which other gang, and at what cost. The
/// engine finds the plan. The policy only judges pairs of gangs.
///
/// Even if a policy allows it, the engine never stops a gang of equal or higher priority. The only
/// exception is a victim whose queue uses more than its guarantee, for a preemptor with which its
/// own queue uses no more than its guarantee. A queue within its guarantee gives back nothing to
/// other queues. So no chain of preemptions returns to its start (docs/preemption.md).
///
/// Policies are pure: equal arguments give equal answers during the life of the policy.
public interface PreemptionPolicy {
  /// The use of preemption decisions.
  enum Mode {
    /// Decisions are carried out.
    ENFORCE,
    /// Decisions are made and recorded, but no gang is stopped.
    SHADOW,
    /// No decisions are made.
    OFF
  }

  /// The policy that never stops a gang.
  PreemptionPolicy OFF = new PriorityPreemptionPolicy(Mode.OFF);

  /// Returns whether decisions are carried out, only recorded, or not made.
  Mode mode();

  /// Returns the identity of this policy: a hash of its text, or empty if it has no text. Every
  /// decision carries it.
  String revision();

  /// Returns the criteria by which victims are compared, the most important first.
  List<CostTerm> terms();

  /// Returns the limits on preemption.
  PreemptionLimits limits();

  /// Returns the time that the gang must wait before it may preempt; empty if it never may.
  Optional<Duration> delay(GangProfile preemptor);

  /// Decides if one gang may be stopped for another, and at what cost.
  ///
  /// @param now the time of the decision
  PolicyVerdict verdict(GangProfile preemptor, GangProfile victim, Instant now);
}
