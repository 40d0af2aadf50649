package dev.muster.policy.preemption.explain;

import dev.muster.core.victims.Ruling;
import dev.muster.core.victims.Term;
import dev.muster.policy.file.Durations;
import dev.muster.policy.preemption.VictimOrder;
import java.util.List;

/// Words a ruling.
public final class RulingText {
  private RulingText() {}

  /// Returns the ruling without price.
  ///
  /// Example: `rule just-started spares it until 2026-11-02T12:20:00Z: It has run for 10m.`
  public static String of(Ruling ruling) {
    return switch (ruling) {
      case Ruling.Allowed allowed -> "rule %s allows its preemption".formatted(allowed.rule());
      case Ruling.Protected(String rule, String because, var until) ->
          "%s spares it%s: %s"
              .formatted(rule, until.map(end -> " until " + end).orElse(""), because);
    };
  }

  /// Returns the ruling with price, notice, grace, and a mark if it overrides disruption budgets.
  static String of(Ruling ruling, List<Term> terms) {
    return ruling instanceof Ruling.Allowed allowed
        ? of(ruling) + details(allowed, terms)
        : of(ruling);
  }

  private static String details(Ruling.Allowed allowed, List<Term> terms) {
    String price = VictimOrder.shown(terms, allowed.price());
    String notice =
        allowed.notice().isZero() ? "" : ", notice " + Durations.print(allowed.notice());
    String grace = allowed.grace().map(time -> ", grace " + Durations.print(time)).orElse("");
    String budgets = allowed.overBudgets() ? ", over disruption budgets" : "";
    return " at %s%s%s%s".formatted(price, notice, grace, budgets);
  }
}
