package dev.muster.simulator.experiment;

import dev.muster.core.engine.Policies;
import dev.muster.simulator.baseline.NodeChoice;
import dev.muster.simulator.baseline.Semantics;
import dev.muster.simulator.run.Budgets;
import dev.muster.simulator.run.Losses;
import dev.muster.simulator.run.Outages;
import dev.muster.simulator.run.Pace;
import java.time.Duration;

/// What is assumed of the world.
///
/// @param pace how fast jobs run where
/// @param losses what a job loses that is stopped
/// @param outages when nodes are not there
/// @param latency how long the control plane takes from a decision until the pods run; of the
///   production brain only
/// @param semantics what else the results of the classic policies hang on
/// @param arrivals by how much more often jobs come than in the trace: 2 halves all times of
///   submission; greater than 0
/// @param policies the configuration of the production brain
/// @param budgets what may be used; nobody is held back by it
public record Assumptions(
    Pace pace,
    Losses losses,
    Outages outages,
    Duration latency,
    Semantics semantics,
    double arrivals,
    Policies policies,
    Budgets budgets) {
  /// With the production brain as it is without configuration, and without budgets.
  public Assumptions(
      Pace pace,
      Losses losses,
      Outages outages,
      Duration latency,
      Semantics semantics,
      double arrivals) {
    this(pace, losses, outages, latency, semantics, arrivals, Policies.DEFAULT, Budgets.NONE);
  }

  /// Everything as the trace has it, nothing fails, nothing costs.
  public static final Assumptions NONE =
      new Assumptions(
          Pace.FULL,
          Losses.NONE,
          Outages.NONE,
          Duration.ZERO,
          Semantics.of(NodeChoice.CONSOLIDATED),
          1);

  /// The same with other budgets.
  public Assumptions with(Budgets other) {
    return new Assumptions(pace, losses, outages, latency, semantics, arrivals, policies, other);
  }

  /// The same with other outages.
  public Assumptions with(Outages other) {
    return new Assumptions(pace, losses, other, latency, semantics, arrivals, policies, budgets);
  }

  /// The same with jobs that come so many times as often as in the trace.
  public Assumptions hastened(double times) {
    return new Assumptions(pace, losses, outages, latency, semantics, times, policies, budgets);
  }

  public Assumptions {
    if (!(arrivals >= 0.001 && arrivals <= 1000)) {
      throw new IllegalArgumentException(
          "Arrival factor %s: must be 0.001 to 1000.".formatted(arrivals));
    }
  }
}
