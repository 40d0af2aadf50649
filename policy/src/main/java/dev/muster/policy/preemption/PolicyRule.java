package dev.muster.policy.preemption;

import dev.muster.policy.preemption.expression.Expression;
import dev.muster.policy.preemption.expression.Expression.Unanswered;
import dev.muster.policy.preemption.expression.GangPair;
import java.util.Optional;

/// A rule with its condition compiled.
///
/// @param fields the fields of the file
/// @param when its condition
public record PolicyRule(PolicyFields.Rule fields, Optional<Expression> when) {
  /// True if the rule matches this pair.
  public boolean fits(GangPair pair) throws Unanswered {
    var preemptor = pair.preemptor();
    var victim = pair.victim();
    return fields.from().fits(preemptor)
        && fields.to().fits(victim)
        && agrees(fields.sameQueue(), preemptor.queue(), victim.queue())
        && agrees(fields.sameNamespace(), preemptor.gang().namespace(), victim.gang().namespace())
        && (when.isEmpty() || when.get().holds(pair.variables()));
  }

  /// Returns the first part of the rule that does not match the pair; empty if the rule matches.
  public Optional<String> misfit(GangPair pair) throws Unanswered {
    var preemptor = pair.preemptor();
    var victim = pair.victim();
    Optional<String> selected =
        fields
            .from()
            .misfit(preemptor)
            .map(part -> "from." + part)
            .or(() -> fields.to().misfit(victim).map(part -> "to." + part))
            .or(() -> same("sameQueue", fields.sameQueue(), preemptor.queue(), victim.queue()))
            .or(() ->
                same(
                    "sameNamespace",
                    fields.sameNamespace(),
                    preemptor.gang().namespace(),
                    victim.gang().namespace()));
    return selected.isEmpty() && when.isPresent() && !when.get().holds(pair.variables())
        ? Optional.of("when: %s is false".formatted(when.get().text()))
        : selected;
  }

  private static Optional<String> same(
      String field, Optional<Boolean> same, String one, String other) {
    return agrees(same, one, other)
        ? Optional.empty()
        : Optional.of(
            one.equals(other)
                ? "%s: both are in %s".formatted(field, one.isEmpty() ? "none" : one)
                : "%s: %s is not %s".formatted(field, one, other.isEmpty() ? "none" : other));
  }

  private static boolean agrees(Optional<Boolean> same, String one, String other) {
    return same.isEmpty() || same.get() == one.equals(other);
  }
}
