package dev.muster.simulator.pack;

/// Chooses the node whose free resources have the smallest dot product with the request. Both are
/// shares of the largest node's.
///
/// Source: Tetris' alignment, Grandl, Ananthanarayanan, Kandula, Rao, Akella: Multi-Resource
/// Packing for Cluster Schedulers, SIGCOMM 2014, as the baseline of Weng et al., USENIX ATC 2023,
/// uses it: the smallest rather than the greatest.
///
/// @param cpu of the largest node
/// @param memory of the largest node
/// @param gpus thousandths of the largest node
record DotProduct(double cpu, double memory, double gpus) implements Packer.Score {
  @Override
  public double of(PackNode box, PackPod pod) {
    return box.cpu / cpu * (pod.cpuMilli() / cpu)
        + box.memory / memory * (pod.memory() / memory)
        + box.free() / gpus * (pod.gpuMilli() / gpus);
  }
}
