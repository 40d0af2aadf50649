package dev.muster.simulator.summary;

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
  private static final double MONTH_HOURS = 730;

  double total() {
    return owned() + rented();
  }

  /// Returns the cost of a month, which does not grow with the length of the run.
  ///
  /// A fleet that is too small takes longer for the jobs, but a month has 730 hours on any fleet.
  /// Cloud nodes cost what the jobs of a month need, by the rate at which jobs come.
  double perMonth() {
    long last = run.jobs().stream().mapToLong(job -> job.job().submitMillis()).max().orElse(first);
    double hours = (last - first) / JobGroup.HOUR_MILLIS;
    double period = hours >= 1 ? hours : (run.endMillis() - first) / JobGroup.HOUR_MILLIS;
    return MONTH_HOURS * (ownedPerHour() + (period > 0 ? rented() / period : 0));
  }

  private double owned() {
    return ownedPerHour() * (run.endMillis() - first) / JobGroup.HOUR_MILLIS;
  }

  private double ownedPerHour() {
    return run.fleet().nodes().stream()
        .map(node -> run.fleet().terms(node.id()))
        .filter(terms -> !terms.isOnDemand())
        .mapToDouble(NodeTerms::pricePerHour)
        .sum();
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
