package dev.muster.core.node;

/// The kind of GPU on a node.
///
/// @param name product as labelled, `Tesla-V100-SXM2-32GB`; empty without a label
/// @param kind meaning of one counted piece, such as a whole GPU
/// @param memoryMib memory of one piece in MiB; 0 without a label
/// @param driver driver version; empty without a label
public record GpuModel(String name, Kind kind, long memoryMib, String driver) {
  /// The meaning of one counted piece of the GPU resource.
  public enum Kind {
    /// A whole GPU.
    WHOLE,
    /// A partition of a GPU with its own memory and compute (MIG).
    SLICE,
    /// A share of a GPU that others use as well (time-slicing, MPS).
    SHARED
  }

  /// The model of a node that states nothing about its GPUs, or has none.
  public static final GpuModel UNKNOWN = new GpuModel("", Kind.WHOLE, 0, "");

  /// Returns this model, with values that it lacks taken from the other one.
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
