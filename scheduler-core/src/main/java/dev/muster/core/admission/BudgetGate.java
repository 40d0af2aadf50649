package dev.muster.core.admission;

import dev.muster.core.budget.SpentBudget;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import java.util.Comparator;
import java.util.Optional;

/// The gate for budgets: while a budget is used up, its gangs do not start.
///
/// A gang that starts or runs goes on. It gets lost members back, up to its minimum, but does not
/// grow. Gangs without GPUs use no budget.
public final class BudgetGate {
  private BudgetGate() {}

  /// Returns the reason why the gang must not be tried now; empty if it may.
  public static Optional<Veto> veto(Cluster cluster, Gang gang) {
    Optional<SpentBudget> budget = spent(cluster, gang);
    if (budget.isEmpty() || goesOn(cluster, gang) || !asksForGpus(cluster, gang)) {
      return Optional.empty();
    }
    return budget.map(Veto.BudgetSpent::new);
  }

  /// Returns the budget of the gang that is used up, of several the one whose period ends last.
  public static Optional<SpentBudget> spent(Cluster cluster, Gang gang) {
    Optional<GangSpec> spec = gang.spec();
    return cluster.spent().isEmpty() || spec.isEmpty()
        ? Optional.empty()
        : cluster.spent().stream()
            .filter(budget -> budget.owner().covers(spec.get(), gang.queue()))
            .max(Comparator.comparing(SpentBudget::until));
  }

  private static boolean goesOn(Cluster cluster, Gang gang) {
    boolean began = gang.boundCount() > 0 || cluster.reservations().contains(gang.id());
    return began && cluster.lacking(gang) > 0;
  }

  private static boolean asksForGpus(Cluster cluster, Gang gang) {
    for (Member member : cluster.unpromised(gang)) {
      if (member.request().gpus() > 0) {
        return true;
      }
    }
    return false;
  }
}
