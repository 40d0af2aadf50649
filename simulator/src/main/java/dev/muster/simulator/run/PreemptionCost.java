package dev.muster.simulator.run;

import dev.muster.policy.file.Durations;
import java.time.Duration;
import java.util.Optional;

/// What a job loses that is stopped before its end.
///
/// @param checkpoint how much work, in run time at full speed, lies between two checkpoints: what
///   was done since the last one is done again; absent: all that was done is kept
/// @param restart how long it takes before it gets on once it has its GPUs again
public record PreemptionCost(Optional<Duration> checkpoint, Duration restart) {
  /// Nothing.
  public static final PreemptionCost NONE = new PreemptionCost(Optional.empty(), Duration.ZERO);

  public PreemptionCost {
    if (restart.isNegative() || checkpoint.filter(c -> !c.isPositive()).isPresent()) {
      throw new IllegalArgumentException(
          "Checkpoints are %s apart and a restart takes %s; neither can be negative, and checkpoints must be some time apart."
              .formatted(checkpoint.map(Durations::print).orElse("not"), Durations.print(restart)));
    }
  }

  /// A restart that takes so long, and nothing else.
  public static PreemptionCost ofRestart(Duration time) {
    return new PreemptionCost(Optional.empty(), time);
  }

  /// Of so much work done, in milliseconds, what is kept.
  long kept(long done) {
    return checkpoint.isPresent() ? done - done % checkpoint.get().toMillis() : done;
  }
}
