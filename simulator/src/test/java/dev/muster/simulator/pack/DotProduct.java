package dev.muster.simulator.pack;

/// Scores the node by the product of its free CPU and GPUs with the request: the smaller, the
/// better.
///
/// Both are shares of the largest node. The GPUs of a node are one sum.
///
/// Source: Tetris' alignment, Grandl, Ananthanarayanan, Kandula, Rao, Akella: Multi-Resource
/// Packing for Cluster Schedulers, SIGCOMM 2014, as the baseline of Weng et al., USENIX ATC 2023,
/// uses it: the smallest rather than the greatest.
record DotProduct() implements Packer.Score {
  @Override
  public int of(PackNode box, PackPod pod) {
    double product =
        box.cpu / BestFit.MOST_CPU * (pod.cpuMilli() / BestFit.MOST_CPU)
            + box.free() / BestFit.MOST_GPU * (pod.gpuMilli() / BestFit.MOST_GPU);
    return (int) (100 * (1 - product / 2));
  }
}
