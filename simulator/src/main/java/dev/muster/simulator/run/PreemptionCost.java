package dev.muster.simulator.run;

import dev.muster.policy.file.Durations;
import java.time.Duration;
import java.util.Optional;

/// The work that a job loses when it is stopped before its end.
///
/// @param checkpoint work between two checkpoints, in run time at full speed; work since the last
///   one is repeated; absent: all work is kept
/// @param restart delay before progress once the job has its GPUs again
public record PreemptionCost(Optional<Duration> checkpoint, RestartTimes restart) {
  /// No loss.
  public static final PreemptionCost NONE = new PreemptionCost(Optional.empty(), RestartTimes.NONE);

  public PreemptionCost {
    if (checkpoint.filter(c -> !c.isPositive()).isPresent()) {
      throw new IllegalArgumentException(
          "Checkpoints are %s apart; the time between them cannot be zero."
              .formatted(Durations.print(checkpoint.get())));
    }
  }

  /// Returns the cost with one delay for all restarts.
  ///
  /// @throws IllegalArgumentException if a time is negative
  public static PreemptionCost of(Optional<Duration> checkpoint, Duration restart) {
    return new PreemptionCost(checkpoint, RestartTimes.of(restart));
  }

  /// Returns the cost of a restart with this delay and no lost work.
  public static PreemptionCost ofRestart(Duration time) {
    return of(Optional.empty(), time);
  }

  /// Returns the part of the completed work that is kept, both in microseconds.
  long kept(long done) {
    return checkpoint.isPresent()
        ? done - done % (JobProgress.MICROS * checkpoint.get().toMillis())
        : done;
  }
}
