package dev.muster.core.kit;

import dev.muster.core.victims.ByPriority;
import dev.muster.core.victims.Limits;
import dev.muster.core.victims.PreemptionPolicy;
import dev.muster.core.victims.Ruling;
import dev.muster.core.victims.Subject;
import dev.muster.core.victims.Term;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// By priority, but victims are told some time before, and within limits.
///
/// @param rule the name of its only rule
/// @param spared the name of a gang that nobody may stop; empty for none
public record Telling(String revision, String rule, Duration notice, Limits limits, String spared)
    implements PreemptionPolicy {
  private static final PreemptionPolicy PLAIN = new ByPriority(Mode.ENFORCE);

  public Telling(Duration notice) {
    this(notice, Limits.NONE);
  }

  public Telling(Duration notice, Limits limits) {
    this("r1", "priority", notice, limits, "");
  }

  /// The next revision, with its rule by this name.
  public Telling revised(String name) {
    return new Telling("r2", name, notice, limits, spared);
  }

  /// The same, but this gang is spared.
  public Telling sparing(String gang) {
    return new Telling(revision, rule, notice, limits, gang);
  }

  @Override
  public Mode mode() {
    return Mode.ENFORCE;
  }

  @Override
  public List<Term> terms() {
    return PLAIN.terms();
  }

  @Override
  public Optional<Duration> delay(Subject preemptor) {
    return Optional.of(Duration.ZERO);
  }

  @Override
  public Ruling ruling(Subject preemptor, Subject victim, Instant now) {
    if (victim.gang().name().equals(spared)) {
      return new Ruling.Protected("exempt", "The policy spares it.", Optional.empty());
    }
    return PLAIN.ruling(preemptor, victim, now) instanceof Ruling.Allowed allowed
        ? new Ruling.Allowed(rule, allowed.price(), notice, Optional.empty())
        : PLAIN.ruling(preemptor, victim, now);
  }
}
