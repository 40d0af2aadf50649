package dev.muster.simulator.generate;

import dev.muster.core.decision.ReasonText;
import dev.muster.core.fit.Veto;
import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.run.EmptyFleet;
import java.util.Optional;

/// Which sizes of jobs have a place on a fleet while nobody is on it. Others would never start
/// there, and take of the load without using anything.
///
/// @param fleet the fleet, empty
/// @param perWorker how many GPUs a worker has at most
public record Sizes(EmptyFleet fleet, int perWorker) {
  /// Those of this fleet.
  public static Sizes of(Fleet fleet, int perWorker) {
    return new Sizes(EmptyFleet.of(fleet), perWorker);
  }

  /// Those of the sizes that have a place.
  ///
  /// @throws IllegalArgumentException if none has
  public Weights among(Weights sizes) {
    return sizes
        .filter(size -> refuses(size).isEmpty())
        .orElseThrow(() -> wrong(sizes.values().getFirst()));
  }

  /// Sees to it that all of them have one.
  ///
  /// @throws IllegalArgumentException if one has none
  public void check(Weights sizes) {
    for (String size : sizes.values()) {
      if (refuses(size).isPresent()) {
        throw wrong(size);
      }
    }
  }

  private Optional<Veto> refuses(String size) {
    return fleet.refuses(MadeUpTrace.sample(Integer.parseInt(size), perWorker));
  }

  private IllegalArgumentException wrong(String size) {
    return new IllegalArgumentException(
        "Size %s (--sizes), in workers of at most %d GPUs (--gpus-per-worker), does not fit the empty fleet (--cluster): %s"
            .formatted(size, perWorker, refuses(size).map(ReasonText::sentence).orElse("")));
  }
}
