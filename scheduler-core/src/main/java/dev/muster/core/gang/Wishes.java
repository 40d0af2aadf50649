package dev.muster.core.gang;

import java.time.Duration;
import java.util.Optional;

/// What somebody wishes for a gang as a whole.
///
/// @param topology how near the members must be
/// @param gpus which GPU models will do
/// @param runtime how long it runs at most, once started, as its owner says; longer than zero
/// @param stopping what its owner says of being stopped for others, and of stopping them
/// @param maxCount how many members may run at once, as pods say it; what the gang's object says is
///   part of its [GangSpec]
public record Wishes(
    TopologyConstraint topology,
    GpuChoice gpus,
    Optional<Duration> runtime,
    Stopping stopping,
    Optional<Integer> maxCount) {
  /// Nothing in particular.
  public static final Wishes NONE = of(TopologyConstraint.NONE, GpuChoice.ANY);

  /// Wishes that say nothing of how many may run.
  public Wishes(
      TopologyConstraint topology, GpuChoice gpus, Optional<Duration> runtime, Stopping stopping) {
    this(topology, gpus, runtime, stopping, Optional.empty());
  }

  /// Wishes that say nothing of being stopped, nor of how many may run.
  public Wishes(TopologyConstraint topology, GpuChoice gpus, Optional<Duration> runtime) {
    this(topology, gpus, runtime, Stopping.UNSAID);
  }

  /// Wishes for a place and nothing else.
  public static Wishes of(TopologyConstraint topology, GpuChoice gpus) {
    return new Wishes(topology, gpus, Optional.empty());
  }

  /// These wishes, and those of the other where these say nothing, each part by itself: who wishes
  /// for a level on one object and for a layout on the other gets both. What is wished for unless
  /// somebody says otherwise, such as a packed layout, says nothing.
  public Wishes or(Wishes other) {
    if (other.equals(NONE)) {
      return this; // as nearly always
    }
    return new Wishes(
        topology.or(other.topology),
        gpus.or(other.gpus),
        runtime.isPresent() ? runtime : other.runtime,
        stopping.or(other.stopping),
        maxCount.isPresent() ? maxCount : other.maxCount);
  }
}
