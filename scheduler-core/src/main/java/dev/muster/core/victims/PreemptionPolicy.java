package dev.muster.core.victims;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Who may be stopped for whom, and what that costs. The engine finds the plan; the policy judges
/// single pairs of gangs.
///
/// Whatever a policy allows, the engine never stops a gang of equal or higher priority, unless its
/// queue uses more than it is guaranteed and the preemptor's less: no chain of preemptions can come
/// back to where it began, as long as those orders have no cycle.
///
/// Policies are pure: equal arguments give equal answers, for the life of the policy.
public interface PreemptionPolicy {
  /// What becomes of decisions.
  enum Mode {
    /// They are carried out.
    ENFORCE,
    /// They are made and recorded, and nobody is stopped.
    SHADOW,
    /// None are made.
    OFF
  }

  /// Nobody is stopped.
  PreemptionPolicy OFF = new PriorityPreemptionPolicy(Mode.OFF);

  /// What becomes of decisions.
  Mode mode();

  /// What tells this policy from others: a hash of its text; empty for one that has none. Every
  /// decision carries it.
  String revision();

  /// By what victims are chosen, the most important first.
  List<CostTerm> terms();

  /// How much preemption there may be.
  PreemptionLimits limits();

  /// How long the gang must have waited before anybody is stopped for it; empty: nobody ever is.
  Optional<Duration> delay(GangProfile preemptor);

  /// Whether one gang may be stopped for another, and at what price.
  ///
  /// @param now the time of the decision
  PolicyVerdict verdict(GangProfile preemptor, GangProfile victim, Instant now);
}
