package dev.muster.simulator.baseline;

import java.util.Comparator;

/// Shortest job first, without preemption, by the true run time: the result of perfect prediction.
/// On ties the older job goes first.
///
/// Source: the SJF oracle of Hu et al., SC 2021 (Helios), strict there.
///
/// @param strict true if the first job without a placement ends the pass
record ShortestFirst(boolean strict) implements BaselinePolicy {
  private static final Comparator<JobState> ORDER =
      Comparator.comparingLong((JobState job) -> job.spec.runMillis())
          .thenComparing(JobState.BY_AGE);

  @Override
  public Comparator<JobState> order() {
    return ORDER;
  }

  @Override
  public void pass(BaselineCluster cluster) {
    cluster.waiting().pass(cluster::start, strict);
  }
}
