package dev.muster.simulator.pack;

/// Chooses the node with the most pods of an equal GPU request; the fullest of several.
///
/// Source: the affinity of Xiao et al.: Gandiva, Introspective Cluster Scheduling for Deep
/// Learning, OSDI 2018; a baseline of Weng et al., USENIX ATC 2023.
record GpuClustering() implements Packer.Score {
  private static final double EACH = 1e6;

  @Override
  public double of(PackNode box, PackPod pod) {
    return box.free() - EACH * box.alike(pod);
  }
}
