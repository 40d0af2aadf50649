package com.example.deadlines;

import dev.muster.core.victims.CostTerm;
import dev.muster.core.victims.GangProfile;
import dev.muster.core.victims.PolicyVerdict;
import dev.muster.core.victims.PreemptionLimits;
import dev.muster.core.victims.PreemptionPolicy;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A policy that adds a protection before deadlines to the policy of the file.
///
/// A gang with the label `example.com/deadline: 2026-12-24` is spared from `margin` before the end
/// of that day (UTC) until the day is over. Of the others, gangs with the farthest deadline are
/// preempted first.
///
/// @param file the policy of the rest of the file
/// @param margin time before its deadline during which a gang is spared
record DeadlinePolicy(PreemptionPolicy file, Duration margin) implements PreemptionPolicy {
  private static final String LABEL = "example.com/deadline";
  private static final CostTerm FARTHEST_DEADLINE = new CostTerm("farthestDeadline", CostTerm.Fold.MAX);
  private static final long YEAR = Duration.ofDays(365).toSeconds();

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
  public List<CostTerm> terms() {
    List<CostTerm> terms = new ArrayList<>(file.terms());
    terms.add(FARTHEST_DEADLINE);
    return terms;
  }

  @Override
  public Optional<Duration> delay(GangProfile preemptor) {
    return file.delay(preemptor);
  }

  @Override
  public PolicyVerdict verdict(GangProfile preemptor, GangProfile victim, Instant now) {
    return switch (file.verdict(preemptor, victim, now)) {
      case PolicyVerdict.Protected spared -> spared;
      case PolicyVerdict.Allowed allowed -> withDeadline(allowed, left(victim, now), now);
    };
  }

  /// Returns the time until the end of the day of the deadline; empty without one, or if it is
  /// past.
  private static Optional<Duration> left(GangProfile victim, Instant now) {
    return Optional.ofNullable(victim.labels().get(LABEL))
        .map(day -> LocalDate.parse(day).plusDays(1).atStartOfDay(ZoneOffset.UTC).toInstant())
        .map(end -> Duration.between(now, end))
        .filter(Duration::isPositive);
  }

  private PolicyVerdict withDeadline(PolicyVerdict.Allowed allowed, Optional<Duration> left, Instant now) {
    if (left.isPresent() && left.get().compareTo(margin) <= 0) {
      return new PolicyVerdict.Protected(
          "deadline", "Its deadline is near.", Optional.of(now.plus(left.get())));
    }
    List<Long> price = new ArrayList<>(allowed.price());
    price.add(left.map(time -> Math.max(0, YEAR - time.toSeconds())).orElse(0L));
    return new PolicyVerdict.Allowed(
        allowed.rule(), price, allowed.notice(), allowed.grace(), allowed.overBudgets());
  }
}
