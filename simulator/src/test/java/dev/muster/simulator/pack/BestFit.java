package dev.muster.simulator.pack;

/// Scores the node by its capacity after the pod: the less CPU and GPU are left, the better.
///
/// Both are shares of [#MOST_CPU] and [#MOST_GPU] and count half. Memory does not count. The
/// published program then stretches the scores of the candidates to 0 to 100, which keeps their
/// order and is left out.
///
/// Source: Panigrahy, Talwar, Uyeda, Wieder: Heuristics for Vector Bin Packing, Microsoft Research
/// 2011; a baseline of Weng et al., USENIX ATC 2023.
record BestFit() implements Packer.Score {
  /// The CPU of the largest node, in thousandths of a core.
  static final double MOST_CPU = 128_000;

  /// The GPUs of the largest node, in thousandths of a GPU.
  static final double MOST_GPU = 8000;

  @Override
  public int of(PackNode box, PackPod pod) {
    double left =
        (box.cpu - pod.cpuMilli()) / MOST_CPU * 0.5
            + (box.free() - pod.gpuMilli()) / MOST_GPU * 0.5;
    return (int) ((1 - left) * 100);
  }
}
