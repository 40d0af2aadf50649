package dev.muster.simulator.run;

import dev.muster.policy.file.Durations;
import java.time.Duration;
import java.util.Optional;

/// The work that a job loses when it is stopped before its end.
///
/// @param checkpoint work between two checkpoints, in run time at full speed; work since the last
///   one is repeated; absent: all work is kept
/// @param restart delay before progress once the job has its GPUs again
public record PreemptionCost(Optional<Duration> checkpoint, Duration restart) {
  /// No loss.
  public static final PreemptionCost NONE = new PreemptionCost(Optional.empty(), Duration.ZERO);

  public PreemptionCost {
    if (restart.isNegative() || checkpoint.filter(c -> !c.isPositive()).isPresent()) {
      throw new IllegalArgumentException(
          "Checkpoints are %s apart and a restart takes %s; neither can be negative, and the time between checkpoints cannot be zero."
              .formatted(checkpoint.map(Durations::print).orElse("not"), Durations.print(restart)));
    }
  }

  /// Returns the cost of a restart with this delay and no lost work.
  public static PreemptionCost ofRestart(Duration time) {
    return new PreemptionCost(Optional.empty(), time);
  }

  /// Returns the part of the completed work that is kept, in milliseconds.
  long kept(long done) {
    return checkpoint.isPresent() ? done - done % checkpoint.get().toMillis() : done;
  }
}
