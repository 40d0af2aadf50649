package dev.muster.simulator.baseline;

import java.util.Comparator;

/// A scheduling policy: decides which jobs run from now on.
interface BaselinePolicy {
  /// Starts jobs, and stops jobs if the policy preempts. Called at every instant at which jobs came
  /// or ended, after all of them have, and at the time that the policy requested.
  void pass(BaselineCluster cluster);

  /// Returns the order of the queue, which must not change while a job waits; ties are resolved by
  /// age.
  default Comparator<JobState> order() {
    return JobState.BY_AGE;
  }

  /// Returns the kind of a job. If the first job of a kind has no placement, none of that kind has.
  default String kind(JobState job) {
    return job.kind;
  }

  /// Returns the latest time of the next pass without an event; never by default.
  default long wakeAt(BaselineCluster cluster) {
    return Long.MAX_VALUE;
  }
}
