package dev.muster.simulator.report;

import dev.muster.simulator.fleet.NodeTerms;
import dev.muster.simulator.run.record.Rental;
import dev.muster.simulator.run.record.RunResult;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// The price of the nodes of a run: own nodes for its whole duration, cloud nodes while rented.
///
/// @param first time of the first submission, in milliseconds
record NodeCosts(RunResult run, long first) {
  double total() {
    return owned() + rented();
  }

  private double owned() {
    double perHour =
        run.fleet().nodes().stream()
            .map(node -> run.fleet().terms(node.id()))
            .filter(terms -> !terms.isOnDemand())
            .mapToDouble(NodeTerms::pricePerHour)
            .sum();
    return perHour * (run.endMillis() - first) / JobGroup.HOUR_MILLIS;
  }

  private double rented() {
    return run.rentals().stream()
        .mapToDouble(rental ->
            hours(rental)
                * run.fleet().terms(run.fleet().nodes().get(rental.node()).id()).pricePerHour())
        .sum();
  }

  private static double hours(Rental rental) {
    return (rental.leftMillis() - rental.askedMillis()) / JobGroup.HOUR_MILLIS;
  }

  Summary.Cloud cloud() {
    List<long[]> changes = new ArrayList<>();
    for (Rental rental : run.rentals()) {
      changes.add(new long[] {rental.askedMillis(), 1});
      changes.add(new long[] {rental.leftMillis(), -1});
    }
    changes.sort(
        Comparator.<long[]>comparingLong(change -> change[0]).thenComparingLong(c -> c[1]));
    long now = 0;
    long most = 0;
    for (long[] change : changes) {
      now += change[1];
      most = Math.max(most, now);
    }
    double hours = run.rentals().stream().mapToDouble(NodeCosts::hours).sum();
    return new Summary.Cloud(run.rentals().size(), most, Rounding.of(hours), Rounding.of(rented()));
  }
}
