package dev.muster.policy.preemption.explain;

import dev.muster.core.victims.PolicyVerdict.Protected;
import dev.muster.policy.preemption.FilePolicy;
import dev.muster.policy.preemption.PolicyFields.Action;
import dev.muster.policy.preemption.PolicyRule;
import dev.muster.policy.preemption.Protection;
import dev.muster.policy.preemption.expression.Expression.Unanswered;
import dev.muster.policy.preemption.expression.GangPair;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Explains the ruling of a file policy, rule by rule.
///
/// @param policy the policy
record PolicyTrace(FilePolicy policy) {
  /// Returns a line for each rule checked and, if one allows, for each protection.
  List<String> of(GangPair pair) {
    List<String> lines = new ArrayList<>();
    for (PolicyRule rule : policy.parts().rules()) {
      String name = rule.fields().name();
      Optional<String> misfit;
      try {
        misfit = rule.misfit(pair);
      } catch (Unanswered _) {
        lines.add("rule %s: its condition failed".formatted(name));
        return lines;
      }
      if (misfit.isEmpty()) {
        boolean allows = rule.fields().action() == Action.ALLOW;
        lines.add("rule %s: matches, %s".formatted(name, allows ? "Allow" : "Deny"));
        return allows ? withProtections(lines, pair) : lines;
      }
      lines.add("rule %s: does not match (%s)".formatted(name, misfit.get()));
    }
    return lines;
  }

  private List<String> withProtections(List<String> lines, GangPair pair) {
    for (Protection protection : policy.parts().protections()) {
      String said =
          policy.against(protection, pair).map(PolicyTrace::holds).orElse("does not hold");
      lines.add("protection %s: %s".formatted(protection.name(), said));
    }
    return lines;
  }

  private static String holds(Protected spared) {
    return "holds%s: %s"
        .formatted(spared.until().map(end -> " until " + end).orElse(""), spared.because());
  }
}
