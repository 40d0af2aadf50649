package dev.muster.core.gang;

import java.time.Duration;
import java.util.Optional;

/// The constraints of a gang as a whole, as annotations of its object or of its pods set them.
///
/// @param topology required and preferred distance between members
/// @param gpus accepted GPU models
/// @param runtime the longest run time after the start, as the owner states it; longer than zero
/// @param stopping the owner's settings for preemption of the gang and by the gang
/// @param maxCount number of members that may run at once, as pods declare it. The number that the
///   gang's object declares is part of its [GangSpec]
public record GangConstraints(
    TopologyConstraint topology,
    GpuModelPreference gpus,
    Optional<Duration> runtime,
    PreemptionPreference stopping,
    Optional<Integer> maxCount) {
  /// No constraints.
  public static final GangConstraints NONE = of(TopologyConstraint.NONE, GpuModelPreference.ANY);

  /// Creates constraints without a limit of running members.
  public GangConstraints(
      TopologyConstraint topology,
      GpuModelPreference gpus,
      Optional<Duration> runtime,
      PreemptionPreference stopping) {
    this(topology, gpus, runtime, stopping, Optional.empty());
  }

  /// Creates constraints without preemption settings and without a limit of running members.
  public GangConstraints(
      TopologyConstraint topology, GpuModelPreference gpus, Optional<Duration> runtime) {
    this(topology, gpus, runtime, PreemptionPreference.UNSAID);
  }

  /// Returns constraints on topology and GPU models only.
  public static GangConstraints of(TopologyConstraint topology, GpuModelPreference gpus) {
    return new GangConstraints(topology, gpus, Optional.empty());
  }

  /// Returns these constraints, completed by the other's where a part is open. Each part counts by
  /// itself: a level set on one object and a layout set on the other both apply. A value that
  /// equals its default, such as a packed layout, counts as open.
  public GangConstraints or(GangConstraints other) {
    if (other.equals(NONE)) {
      return this; // the common case
    }
    return new GangConstraints(
        topology.or(other.topology),
        gpus.or(other.gpus),
        runtime.isPresent() ? runtime : other.runtime,
        stopping.or(other.stopping),
        maxCount.isPresent() ? maxCount : other.maxCount);
  }
}
