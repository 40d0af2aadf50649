package dev.muster.policy.preemption;

import dev.muster.core.victims.CostTerm;
import dev.muster.core.victims.GangProfile;
import dev.muster.core.victims.PolicyVerdict;
import dev.muster.core.victims.PolicyVerdict.Protected;
import dev.muster.core.victims.PreemptionLimits;
import dev.muster.core.victims.PreemptionPolicy;
import dev.muster.policy.preemption.expression.Expression;
import dev.muster.policy.preemption.expression.Expression.Unanswered;
import dev.muster.policy.preemption.expression.ExpressionFailure;
import dev.muster.policy.preemption.expression.ExpressionGang;
import dev.muster.policy.preemption.expression.GangPair;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/// A policy defined by files.
///
/// The first matching rule decides; without one the victim is spared. A protection can still refuse
/// a victim that a rule allows. Of several protections, the one that lasts longest is reported. An
/// expression that fails spares the victim.
public final class FilePolicy implements PreemptionPolicy {
  /// The name of the decision when no rule matches.
  static final String NO_RULE = "no-rule";

  private final PolicyFields fields;
  private final String revision;
  private final Parts parts;
  private final Consumer<ExpressionFailure> failures;

  /// The compiled parts of the policy.
  public record Parts(
      List<PolicyRule> rules,
      List<Protection> protections,
      VictimCosts price,
      Optional<Expression> delayExpression,
      Duration delay) {}

  public FilePolicy(
      PolicyFields fields, String revision, Parts parts, Consumer<ExpressionFailure> failures) {
    this.fields = fields;
    this.revision = revision;
    this.parts = parts;
    this.failures = failures;
  }

  /// Returns the file policy behind a policy, which may have chosen a plug-in.
  ///
  /// Empty for a policy that does not come from a file.
  public static Optional<FilePolicy> behind(PreemptionPolicy policy) {
    return switch (policy) {
      case FilePolicy file -> Optional.of(file);
      case PluggedPolicy plugged -> Optional.of(plugged.file());
      default -> Optional.empty();
    };
  }

  /// Returns the names of the rules of a policy, in their order. Empty for a policy that does not
  /// come from a file.
  public static List<String> ruleNames(PreemptionPolicy policy) {
    return behind(policy).stream()
        .flatMap(file -> file.parts().rules().stream())
        .map(rule -> rule.fields().name())
        .toList();
  }

  public Parts parts() {
    return parts;
  }

  public PolicyFields fields() {
    return fields;
  }

  void report(ExpressionFailure failure) {
    failures.accept(failure);
  }

  @Override
  public Mode mode() {
    return fields.mode();
  }

  @Override
  public String revision() {
    return revision;
  }

  @Override
  public List<CostTerm> terms() {
    return parts.price().terms();
  }

  @Override
  public PreemptionLimits limits() {
    var limits = fields.limits();
    return new PreemptionLimits(
        limits.maxVictims(),
        limits.maxVictimGpus().orElse(Integer.MAX_VALUE),
        limits.evictionsPerHour(),
        limits.cooldown());
  }

  @Override
  public Optional<Duration> delay(GangProfile preemptor) {
    if (parts.delayExpression().isEmpty()) {
      return Optional.of(parts.delay());
    }
    Expression expression = parts.delayExpression().get();
    try {
      Duration delay = expression.delay(Map.of("preemptor", ExpressionGang.of(preemptor)));
      return Optional.of(delay.isNegative() ? Duration.ZERO : delay);
    } catch (Unanswered failed) {
      report(new ExpressionFailure("delay", expression.text(), failed.reason()));
      return Optional.empty();
    }
  }

  @Override
  public PolicyVerdict verdict(GangProfile preemptor, GangProfile victim, Instant now) {
    GangPair pair = new GangPair(preemptor, victim, now);
    for (PolicyRule rule : parts.rules()) {
      try {
        if (rule.fits(pair)) {
          return verdict(rule.fields(), pair);
        }
      } catch (Unanswered failed) {
        return spared(rule.fields().name(), failed);
      }
    }
    return new Protected(NO_RULE, "No rule allows its preemption.", Optional.empty());
  }

  private PolicyVerdict verdict(PolicyFields.Rule rule, GangPair pair) {
    if (rule.action() == PolicyFields.Action.DENY) {
      return new Protected(rule.name(), "The rule spares it.", Optional.empty());
    }
    Optional<Protected> longest = Optional.empty();
    for (Protection protection : parts.protections()) {
      Optional<Protected> held = against(protection, pair);
      if (held.isPresent() && (longest.isEmpty() || outlasts(held.get(), longest.get()))) {
        longest = held;
      }
    }
    return longest.isPresent() ? longest.get() : allowed(rule, pair);
  }

  /// Returns the refusal of a protection for a pair; a protection that fails also refuses.
  public Optional<Protected> against(Protection protection, GangPair pair) {
    try {
      return protection.against(pair);
    } catch (Unanswered failed) {
      return Optional.of(spared(protection.name(), failed));
    }
  }

  private static boolean outlasts(Protected one, Protected other) {
    if (one.until().isEmpty() || other.until().isEmpty()) {
      return one.until().isEmpty() && other.until().isPresent();
    }
    return one.until().get().isAfter(other.until().get());
  }

  private PolicyVerdict allowed(PolicyFields.Rule rule, GangPair pair) {
    try {
      return new PolicyVerdict.Allowed(
          rule.name(),
          parts.price().of(pair),
          rule.notice().orElse(fields.notice()),
          rule.grace().or(fields::grace),
          rule.disruptionBudgets() == PolicyFields.Budgets.OVERRIDE);
    } catch (Unanswered failed) {
      return spared(VictimOrder.COST.term().name(), failed);
    }
  }

  private Protected spared(String rule, Unanswered failed) {
    report(new ExpressionFailure(rule, failed.expression(), failed.reason()));
    String because =
        "Its expression failed, which spares the victim: %s.".formatted(failed.reason());
    return new Protected(rule, because, Optional.empty());
  }
}
