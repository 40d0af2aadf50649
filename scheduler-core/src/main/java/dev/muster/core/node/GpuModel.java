package dev.muster.core.node;

/// What kind of GPU a node has.
///
/// @param name the product as labelled, `Tesla-V100-SXM2-32GB`; empty when the node does not say
/// @param kind whether one counted piece is a whole GPU
/// @param memoryMib memory of one piece in MiB; 0 when the node does not say
/// @param driver the driver's version; empty when the node does not say
public record GpuModel(String name, Kind kind, long memoryMib, String driver) {
  /// What one counted piece of the GPU resource is.
  public enum Kind {
    /// A whole GPU.
    WHOLE,
    /// A partition of one with memory and compute of its own (MIG).
    SLICE,
    /// A turn on one that others use as well (time-slicing, MPS).
    SHARED
  }

  /// A node that says nothing of its GPUs, or has none.
  public static final GpuModel UNKNOWN = new GpuModel("", Kind.WHOLE, 0, "");

  /// What this says, and where it says nothing what the other says.
  public GpuModel or(GpuModel other) {
    return new GpuModel(
        name.isEmpty() ? other.name : name,
        kind,
        memoryMib == 0 ? other.memoryMib : memoryMib,
        driver.isEmpty() ? other.driver : driver);
  }

  @Override
  public String toString() {
    return name.isEmpty() ? "unlabelled" : name;
  }
}
