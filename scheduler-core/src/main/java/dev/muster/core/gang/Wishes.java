package dev.muster.core.gang;

/// What somebody wishes for a gang as a whole.
///
/// @param topology how near the members must be
/// @param gpus which GPU models will do
public record Wishes(TopologyConstraint topology, GpuChoice gpus) {
  /// Nothing in particular.
  public static final Wishes NONE = new Wishes(TopologyConstraint.NONE, GpuChoice.ANY);

  /// These wishes, and those of the other where these say nothing.
  public Wishes or(Wishes other) {
    return new Wishes(
        topology.equals(TopologyConstraint.NONE) ? other.topology : topology,
        gpus.equals(GpuChoice.ANY) ? other.gpus : gpus);
  }
}
