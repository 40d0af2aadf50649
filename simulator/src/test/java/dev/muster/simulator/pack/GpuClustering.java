package dev.muster.simulator.pack;

/// Scores nodes in four classes by the kinds of pods that use their GPUs.
///
/// A kind is a number of GPUs, or a part of one. From 75 on are nodes with this kind alone, from 50
/// nodes with this kind and others, from 25 nodes without pods, from 0 nodes with other kinds. In a
/// class, up to 25 points say how few GPUs are free. All nodes are equal for a pod without GPUs.
///
/// Source: the affinity of Xiao et al.: Gandiva, Introspective Cluster Scheduling for Deep
/// Learning, OSDI 2018; a baseline of Weng et al., USENIX ATC 2023.
record GpuClustering() implements Packer.Score {
  @Override
  public int of(PackNode box, PackPod pod) {
    if (pod.devices() == 0) {
      return 0;
    }
    int most = (int) BestFit.MOST_GPU;
    int filled = (int) (25 * (most - box.free()) / most);
    boolean same = box.kinds.contains(pod.kind());
    if (same) {
      return filled + (box.kinds.size() == 1 ? 75 : 50);
    }
    return filled + (box.kinds.isEmpty() ? 25 : 0);
  }
}
