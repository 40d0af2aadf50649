package dev.muster.policy.preemption.expression;

import dev.muster.core.victims.GangProfile;
import java.time.Duration;
import java.util.Optional;

/// Computes the progress of a run.
public final class RunProgress {
  private static final long ALL = 100;

  private RunProgress() {}

  /// Returns the done part of a gang's run, in whole percent from 0 to 100.
  ///
  /// Empty if the end of the run is unknown.
  public static Optional<Long> percent(GangProfile profile) {
    return profile.remaining().map(left -> percent(profile.ran(), left));
  }

  private static long percent(Duration ran, Duration left) {
    long done = Math.max(0, ran.toSeconds());
    long whole = done + Math.max(0, left.toSeconds());
    return whole <= 0 ? ALL : Math.multiplyHigh(done, ALL) != 0 ? ALL : done * ALL / whole;
  }
}
