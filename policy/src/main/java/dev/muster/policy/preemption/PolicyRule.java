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

  private static boolean agrees(Optional<Boolean> same, String one, String other) {
    return same.isEmpty() || same.get() == one.equals(other);
  }
}
