package dev.muster.simulator.experiment;

import dev.muster.core.engine.Policies;
import dev.muster.simulator.baseline.Placement;
import dev.muster.simulator.baseline.Semantics;
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
public record Models(
    Pace pace,
    Losses losses,
    Outages outages,
    Duration latency,
    Semantics semantics,
    double arrivals,
    Policies policies) {
  /// With the production brain as it is without configuration.
  public Models(
      Pace pace,
      Losses losses,
      Outages outages,
      Duration latency,
      Semantics semantics,
      double arrivals) {
    this(pace, losses, outages, latency, semantics, arrivals, Policies.DEFAULT);
  }

  /// Everything as the trace has it, nothing fails, nothing costs.
  public static final Models NONE =
      new Models(
          Pace.FULL,
          Losses.NONE,
          Outages.NONE,
          Duration.ZERO,
          Semantics.of(Placement.CONSOLIDATED),
          1);

  /// The same with another configuration of the production brain.
  public Models with(Policies other) {
    return new Models(pace, losses, outages, latency, semantics, arrivals, other);
  }

  public Models {
    if (!(arrivals > 0)) {
      throw new IllegalArgumentException(
          "The arrivals are scaled by %s; it must be greater than 0. Maybe you meant 1."
              .formatted(arrivals));
    }
  }
}
