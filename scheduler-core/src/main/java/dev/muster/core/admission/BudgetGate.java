package dev.muster.core.admission;

import dev.muster.core.budget.SpentBudget;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.MemberCounts;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.node.Assignment;
import dev.muster.core.node.Placement;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// The gate for budgets: while a budget is used up, its gangs do not start.
///
/// A gang that starts or runs goes on. It gets the GPUs of lost members back that its minimum
/// needs, but does not grow. Gangs without GPUs use no budget.
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

  /// Returns the reason why the gang must not take this place; empty if it may.
  public static Optional<Veto> veto(Cluster cluster, Gang gang, Placement placement) {
    return spent(cluster, gang)
        .filter(_ -> {
          List<Member> members = placement.assignments().stream().map(Assignment::member).toList();
          return most(cluster, gang, members) < members.size();
        })
        .map(Veto.BudgetSpent::new);
  }

  /// Returns the number of these members, in their order, that may start together.
  public static int most(Cluster cluster, Gang gang, List<Member> members) {
    if (spent(cluster, gang).isEmpty()) {
      return members.size();
    }
    long left = cluster.ledger().lost(gang.id());
    int number = 0;
    while (number < members.size() && members.get(number).request().gpus() <= left) {
      left -= members.get(number).request().gpus();
      number++;
    }
    return number;
  }

  /// True if the gang lacks members that it had, and may start some that take no more GPUs.
  private static boolean goesOn(Cluster cluster, Gang gang) {
    Optional<Reservation> held = cluster.reservations().get(gang.id());
    return gang.isShort(held)
        && MemberCounts.smallest(gang, held, cluster.lacking(gang))
            <= cluster.ledger().lost(gang.id());
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
