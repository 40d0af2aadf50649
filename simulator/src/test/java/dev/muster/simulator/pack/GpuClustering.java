package dev.muster.simulator.pack;

/// The node that has the most pods with the same GPU request; of alike ones the fullest.
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
