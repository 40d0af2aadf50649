package dev.muster.core.kit;

import dev.muster.core.victims.CostTerm;
import dev.muster.core.victims.GangProfile;
import dev.muster.core.victims.PolicyVerdict;
import dev.muster.core.victims.PreemptionLimits;
import dev.muster.core.victims.PreemptionPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The most permissive policy. Every eligible gang may be preempted at once, and again a second
/// later.
public record AnyVictimPolicy() implements PreemptionPolicy {
  @Override
  public Mode mode() {
    return Mode.ENFORCE;
  }

  @Override
  public String revision() {
    return "";
  }

  @Override
  public List<CostTerm> terms() {
    return List.of(new CostTerm("fewestGangs", CostTerm.Fold.SUM));
  }

  @Override
  public PreemptionLimits limits() {
    return new PreemptionLimits(99, 99, 99, Duration.ofSeconds(1));
  }

  @Override
  public Optional<Duration> delay(GangProfile preemptor) {
    return Optional.of(Duration.ZERO);
  }

  @Override
  public PolicyVerdict verdict(GangProfile preemptor, GangProfile victim, Instant now) {
    return new PolicyVerdict.Allowed("anybody", List.of(1L), Duration.ZERO, Optional.empty());
  }
}
