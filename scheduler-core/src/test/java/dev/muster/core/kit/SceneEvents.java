package dev.muster.core.kit;

import dev.muster.core.victims.CostTerm;
import dev.muster.core.victims.GangProfile;
import dev.muster.core.victims.PolicyVerdict;
import dev.muster.core.victims.PreemptionLimits;
import dev.muster.core.victims.PreemptionPolicy;
import dev.muster.core.victims.PriorityPreemptionPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Preemption by priority, with a notice period and limits.
///
/// @param rule the name of its only rule
/// @param spared the name of a gang that may not be preempted; empty for none
public record SceneEvents(
    String revision, String rule, Duration notice, PreemptionLimits limits, String spared)
    implements PreemptionPolicy {
  private static final PreemptionPolicy PLAIN = new PriorityPreemptionPolicy(Mode.ENFORCE);

  public SceneEvents(Duration notice) {
    this(notice, PreemptionLimits.NONE);
  }

  public SceneEvents(Duration notice, PreemptionLimits limits) {
    this("r1", "priority", notice, limits, "");
  }

  /// The next revision, with its rule by this name.
  public SceneEvents revised(String name) {
    return new SceneEvents("r2", name, notice, limits, spared);
  }

  /// Returns this policy with one spared gang.
  public SceneEvents sparing(String gang) {
    return new SceneEvents(revision, rule, notice, limits, gang);
  }

  @Override
  public Mode mode() {
    return Mode.ENFORCE;
  }

  @Override
  public List<CostTerm> terms() {
    return PLAIN.terms();
  }

  @Override
  public Optional<Duration> delay(GangProfile preemptor) {
    return Optional.of(Duration.ZERO);
  }

  @Override
  public PolicyVerdict verdict(GangProfile preemptor, GangProfile victim, Instant now) {
    if (victim.gang().name().equals(spared)) {
      return new PolicyVerdict.Protected("exempt", "The policy spares it.", Optional.empty());
    }
    return PLAIN.verdict(preemptor, victim, now) instanceof PolicyVerdict.Allowed allowed
        ? new PolicyVerdict.Allowed(rule, allowed.price(), notice, Optional.empty())
        : PLAIN.verdict(preemptor, victim, now);
  }
}
