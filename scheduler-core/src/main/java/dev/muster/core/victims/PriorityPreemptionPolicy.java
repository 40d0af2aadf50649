package dev.muster.core.victims;

import dev.muster.core.victims.CostTerm.Fold;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The simplest policy: any gang of lower priority may be stopped, without delay.
///
/// Victims of the lowest priority come first, then as few gangs as possible, then the least lost
/// work.
///
/// @param mode use of the decisions
public record PriorityPreemptionPolicy(Mode mode) implements PreemptionPolicy {
  private static final List<CostTerm> TERMS =
      List.of(
          new CostTerm("lowestPriority", Fold.MAX),
          new CostTerm("fewestGangs", Fold.SUM),
          new CostTerm("leastLostWork", Fold.SUM));

  @Override
  public String revision() {
    return "";
  }

  @Override
  public List<CostTerm> terms() {
    return TERMS;
  }

  @Override
  public PreemptionLimits limits() {
    return PreemptionLimits.NONE;
  }

  @Override
  public Optional<Duration> delay(GangProfile preemptor) {
    return Optional.of(Duration.ZERO);
  }

  @Override
  public PolicyVerdict verdict(GangProfile preemptor, GangProfile victim, Instant now) {
    if (victim.priority() >= preemptor.priority()) {
      String because =
          "Its priority %d is not below %d.".formatted(victim.priority(), preemptor.priority());
      return new PolicyVerdict.Protected("priority", because, Optional.empty());
    }
    long importance = (long) victim.priority() - Integer.MIN_VALUE;
    return new PolicyVerdict.Allowed(
        "priority", List.of(importance, 1L, victim.lostWork()), Duration.ZERO, Optional.empty());
  }
}
