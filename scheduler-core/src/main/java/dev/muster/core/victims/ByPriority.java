package dev.muster.core.victims;

import dev.muster.core.victims.Term.Fold;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The plainest policy: whoever has lower priority may be stopped, at once; the least important
/// first, then as few gangs as possible, then those that lose the least work.
///
/// @param mode what becomes of decisions
public record ByPriority(Mode mode) implements PreemptionPolicy {
  private static final List<Term> TERMS =
      List.of(
          new Term("lowestPriority", Fold.MAX),
          new Term("fewestGangs", Fold.SUM),
          new Term("leastLostWork", Fold.SUM));

  @Override
  public String revision() {
    return "";
  }

  @Override
  public List<Term> terms() {
    return TERMS;
  }

  @Override
  public Limits limits() {
    return Limits.NONE;
  }

  @Override
  public Optional<Duration> delay(Subject preemptor) {
    return Optional.of(Duration.ZERO);
  }

  @Override
  public Ruling ruling(Subject preemptor, Subject victim, Instant now) {
    if (victim.priority() >= preemptor.priority()) {
      String because =
          "Its priority %d is not below %d.".formatted(victim.priority(), preemptor.priority());
      return new Ruling.Protected("priority", because, Optional.empty());
    }
    long importance = (long) victim.priority() - Integer.MIN_VALUE;
    return new Ruling.Allowed(
        "priority", List.of(importance, 1L, victim.lostWork()), Duration.ZERO, Optional.empty());
  }
}
