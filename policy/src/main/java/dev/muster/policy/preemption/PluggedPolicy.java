package dev.muster.policy.preemption;

import dev.muster.core.preemption.Limits;
import dev.muster.core.preemption.PreemptionPolicy;
import dev.muster.core.preemption.Ruling;
import dev.muster.core.preemption.Subject;
import dev.muster.core.preemption.Term;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// A plug-in's policy under the mode, limits and revision of the file that chose it.
///
/// @param name the plug-in's
/// @param file what the file says
/// @param inner what the plug-in says
record PluggedPolicy(String name, FilePolicy file, PreemptionPolicy inner)
    implements PreemptionPolicy {
  @Override
  public Mode mode() {
    return file.mode();
  }

  @Override
  public String revision() {
    return file.revision();
  }

  @Override
  public List<Term> terms() {
    return inner.terms();
  }

  @Override
  public Limits limits() {
    return file.limits();
  }

  @Override
  public Optional<Duration> delay(Subject preemptor) {
    try {
      return inner.delay(preemptor);
    } catch (RuntimeException failed) {
      file.report(new ExpressionFailure(name, "", failed.toString()));
      return Optional.empty();
    }
  }

  @Override
  public Ruling ruling(Subject preemptor, Subject victim, Instant now) {
    try {
      return checked(inner.ruling(preemptor, victim, now));
    } catch (RuntimeException failed) {
      file.report(new ExpressionFailure(name, "", failed.toString()));
      String because = "The plug-in failed, which spares the victim: %s.".formatted(failed);
      return new Ruling.Protected(name, because, Optional.empty());
    }
  }

  private Ruling checked(Ruling ruling) {
    if (ruling instanceof Ruling.Allowed allowed
        && (allowed.price().size() != terms().size()
            || allowed.price().stream().anyMatch(amount -> amount < 0))) {
      throw new IllegalStateException(
          "its price %s does not fit its terms %s".formatted(allowed.price(), terms()));
    }
    return ruling;
  }
}
