package dev.muster.policy.preemption.explain;

import dev.muster.core.victims.CostTerm;
import dev.muster.core.victims.PolicyVerdict;
import dev.muster.policy.file.Durations;
import dev.muster.policy.preemption.VictimOrder;
import java.util.List;

/// Words a ruling.
public final class VerdictText {
  private VerdictText() {}

  /// Returns the ruling without price.
  ///
  /// Example: `rule just-started spares it until 2026-11-02T12:20:00Z: It has run for 10m.`
  public static String of(PolicyVerdict verdict) {
    return switch (verdict) {
      case PolicyVerdict.Allowed allowed ->
          "rule %s allows its preemption".formatted(allowed.rule());
      case PolicyVerdict.Protected(String rule, String because, var until) ->
          "%s spares it%s: %s"
              .formatted(rule, until.map(end -> " until " + end).orElse(""), because);
    };
  }

  /// Returns the ruling with price, notice, grace, and a mark if it overrides disruption budgets.
  static String of(PolicyVerdict verdict, List<CostTerm> terms) {
    return verdict instanceof PolicyVerdict.Allowed allowed
        ? of(verdict) + details(allowed, terms)
        : of(verdict);
  }

  private static String details(PolicyVerdict.Allowed allowed, List<CostTerm> terms) {
    String price = VictimOrder.shown(terms, allowed.price());
    String notice =
        allowed.notice().isZero() ? "" : ", notice " + Durations.print(allowed.notice());
    String grace = allowed.grace().map(time -> ", grace " + Durations.print(time)).orElse("");
    String budgets = allowed.overBudgets() ? ", over disruption budgets" : "";
    return " at %s%s%s%s".formatted(price, notice, grace, budgets);
  }
}
