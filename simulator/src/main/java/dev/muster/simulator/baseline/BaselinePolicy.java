package dev.muster.simulator.baseline;

import java.util.Comparator;

/// A scheduling policy: who runs from now on.
interface BaselinePolicy {
  /// Starts, and where the policy preempts stops, what it will. Called at every instant at which
  /// jobs came or ended, after all of them have, and when the policy asked to be.
  void pass(BaselineCluster cluster);

  /// The order of the queue, which must not change while a job waits; ties by age.
  default Comparator<JobState> order() {
    return JobState.BY_AGE;
  }

  /// What jobs have in common of which none has a place if the first has none.
  default String kind(JobState job) {
    return job.kind;
  }

  /// When it wants to be called at the latest, though no job came or ended; never by default.
  default long wakeAt(BaselineCluster cluster) {
    return Long.MAX_VALUE;
  }
}
