package dev.muster.core.gang;

import java.time.Duration;
import java.util.Optional;

/// What somebody wishes for a gang as a whole.
///
/// @param topology how near the members must be
/// @param gpus which GPU models will do
/// @param runtime how long it runs at most, once started, as its owner says; longer than zero
/// @param stopping what its owner says of being stopped for others, and of stopping them
public record Wishes(
    TopologyConstraint topology, GpuChoice gpus, Optional<Duration> runtime, Stopping stopping) {
  /// Nothing in particular.
  public static final Wishes NONE = of(TopologyConstraint.NONE, GpuChoice.ANY);

  /// Wishes that say nothing of being stopped.
  public Wishes(TopologyConstraint topology, GpuChoice gpus, Optional<Duration> runtime) {
    this(topology, gpus, runtime, Stopping.UNSAID);
  }

  /// Wishes that say nothing of the run time, nor of being stopped.
  public static Wishes of(TopologyConstraint topology, GpuChoice gpus) {
    return new Wishes(topology, gpus, Optional.empty());
  }

  /// These wishes, and those of the other where these say nothing.
  public Wishes or(Wishes other) {
    return new Wishes(
        topology.equals(TopologyConstraint.NONE) ? other.topology : topology,
        gpus.equals(GpuChoice.ANY) ? other.gpus : gpus,
        runtime.or(() -> other.runtime),
        stopping.or(other.stopping));
  }
}
