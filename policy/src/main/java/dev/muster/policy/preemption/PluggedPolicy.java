package dev.muster.policy.preemption;

import dev.muster.core.victims.CostTerm;
import dev.muster.core.victims.GangProfile;
import dev.muster.core.victims.PolicyVerdict;
import dev.muster.core.victims.PreemptionLimits;
import dev.muster.core.victims.PreemptionPolicy;
import dev.muster.policy.file.Durations;
import dev.muster.policy.file.FailureText;
import dev.muster.policy.preemption.expression.ExpressionFailure;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/// A plug-in's policy under the mode, limits and revision of the file that chose it.
///
/// @param name name of the plug-in
/// @param file the policy of the file
/// @param inner the policy of the plug-in; an exception or a missing answer spares the victim
/// @param terms the terms of its prices, requested once
record PluggedPolicy(String name, FilePolicy file, PreemptionPolicy inner, List<CostTerm> terms)
    implements PreemptionPolicy {
  PluggedPolicy {
    terms = List.copyOf(terms);
  }

  @Override
  public Mode mode() {
    return file.mode();
  }

  @Override
  public String revision() {
    return file.revision();
  }

  @Override
  public PreemptionLimits limits() {
    return file.limits();
  }

  @Override
  public Optional<Duration> delay(GangProfile preemptor) {
    try {
      return Objects.requireNonNull(inner.delay(preemptor), "its delay is null");
    } catch (RuntimeException | Error failed) { // no failure of a plug-in may end the engine
      file.report(new ExpressionFailure(name, "", FailureText.of(failed)));
      return Optional.empty();
    }
  }

  @Override
  public PolicyVerdict verdict(GangProfile preemptor, GangProfile victim, Instant now) {
    try {
      return checked(Objects.requireNonNull(inner.verdict(preemptor, victim, now), "no ruling"));
    } catch (RuntimeException | Error failed) {
      file.report(new ExpressionFailure(name, "", FailureText.of(failed)));
      String because =
          "The plug-in failed, which spares the victim: %s.".formatted(FailureText.of(failed));
      return new PolicyVerdict.Protected(name, because, Optional.empty());
    }
  }

  private PolicyVerdict checked(PolicyVerdict verdict) {
    if (verdict instanceof PolicyVerdict.Allowed allowed) {
      if (allowed.price().size() != terms.size()
          || allowed.price().stream().anyMatch(amount -> amount < 0)) {
        throw new IllegalStateException(
            "its price %s does not match its terms %s".formatted(allowed.price(), terms));
      }
      Stream.concat(Stream.of(allowed.notice()), allowed.grace().stream())
          .filter(time -> time.isNegative() || time.compareTo(Durations.LONGEST) > 0)
          .forEach(PluggedPolicy::refuse);
    }
    return verdict;
  }

  private static void refuse(Duration time) {
    throw new IllegalStateException("its notice or grace is out of range: %s".formatted(time));
  }
}
