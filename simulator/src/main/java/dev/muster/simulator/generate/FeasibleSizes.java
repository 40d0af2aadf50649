package dev.muster.simulator.generate;

import dev.muster.core.decision.ReasonText;
import dev.muster.core.fit.Veto;
import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.run.engine.EmptyFleet;
import java.util.Optional;

/// The job sizes that fit on an empty fleet.
///
/// Other sizes would never start, so the trace would use less than its load.
///
/// @param fleet the empty fleet
/// @param perWorker most GPUs per worker
public record FeasibleSizes(EmptyFleet fleet, int perWorker) {
  /// Returns the sizes that fit on this fleet.
  public static FeasibleSizes of(Fleet fleet, int perWorker) {
    return new FeasibleSizes(EmptyFleet.of(fleet), perWorker);
  }

  /// Returns the given sizes that fit.
  ///
  /// @throws IllegalArgumentException if none fits
  public WeightedChoice among(WeightedChoice sizes) {
    return sizes
        .filter(size -> refuses(size).isEmpty())
        .orElseThrow(() -> wrong(sizes.values().getFirst()));
  }

  /// Checks that all given sizes fit.
  ///
  /// @throws IllegalArgumentException if one does not fit
  public void check(WeightedChoice sizes) {
    for (String size : sizes.values()) {
      if (refuses(size).isPresent()) {
        throw wrong(size);
      }
    }
  }

  private Optional<Veto> refuses(String size) {
    return fleet.refuses(SyntheticTrace.sample(Integer.parseInt(size), perWorker));
  }

  private IllegalArgumentException wrong(String size) {
    return new IllegalArgumentException(
        "Size %s (--sizes), in workers of at most %d GPUs (--gpus-per-worker), does not fit the empty fleet (--cluster): %s"
            .formatted(size, perWorker, refuses(size).map(ReasonText::sentence).orElse("")));
  }
}
