package dev.muster.core.kit;

import dev.muster.core.victims.Limits;
import dev.muster.core.victims.PreemptionPolicy;
import dev.muster.core.victims.Ruling;
import dev.muster.core.victims.Subject;
import dev.muster.core.victims.Term;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The most permissive policy: whoever the engine lets may be stopped, at once, and again a second
/// later.
public record Anybody() implements PreemptionPolicy {
  @Override
  public Mode mode() {
    return Mode.ENFORCE;
  }

  @Override
  public String revision() {
    return "";
  }

  @Override
  public List<Term> terms() {
    return List.of(new Term("fewestGangs", Term.Fold.SUM));
  }

  @Override
  public Limits limits() {
    return new Limits(99, 99, 99, Duration.ofSeconds(1));
  }

  @Override
  public Optional<Duration> delay(Subject preemptor) {
    return Optional.of(Duration.ZERO);
  }

  @Override
  public Ruling ruling(Subject preemptor, Subject victim, Instant now) {
    return new Ruling.Allowed("anybody", List.of(1L), Duration.ZERO, Optional.empty());
  }
}
