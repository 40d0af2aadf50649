package dev.muster.simulator.pack;

/// Chooses the node with the least remaining capacity. It sums CPU, memory and GPUs, each as a
/// share of the largest node's.
///
/// Source: Panigrahy, Talwar, Uyeda, Wieder: Heuristics for Vector Bin Packing, Microsoft Research
/// 2011; a baseline of Weng et al., USENIX ATC 2023.
///
/// @param cpu of the largest node
/// @param memory of the largest node
/// @param gpus thousandths of the largest node
record BestFit(double cpu, double memory, double gpus) implements Packer.Score {
  @Override
  public double of(PackNode box, PackPod pod) {
    return (box.cpu - pod.cpuMilli()) / cpu
        + (box.memory - pod.memory()) / memory
        + (box.free() - pod.gpuMilli()) / gpus;
  }
}
