package dev.muster.policy.preemption;

import dev.muster.core.preemption.Subject;
import java.time.Duration;
import java.util.Optional;

/// How far a run has come.
final class Progress {
  private static final long ALL = 100;

  private Progress() {}

  /// The part of its run that a gang has done, in whole percent from 0 to 100; empty when nothing
  /// is known of its end.
  static Optional<Long> percent(Subject subject) {
    return subject.remaining().map(left -> percent(subject.ran(), left));
  }

  private static long percent(Duration ran, Duration left) {
    long done = Math.max(0, ran.toSeconds());
    long whole = done + Math.max(0, left.toSeconds());
    return whole <= 0 ? ALL : Math.multiplyHigh(done, ALL) != 0 ? ALL : done * ALL / whole;
  }
}
