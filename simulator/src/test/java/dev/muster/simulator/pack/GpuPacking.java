package dev.muster.simulator.pack;

/// Chooses GPUs in use first, then idle GPUs of used nodes, then idle nodes. The fullest of several
/// is used.
///
/// Source: the packing of Weng et al.: MLaaS in the Wild, NSDI 2022; a baseline of Weng et al.,
/// USENIX ATC 2023.
record GpuPacking() implements Packer.Score {
  private static final double CLASS = 1e6;

  @Override
  public double of(PackNode box, PackPod pod) {
    boolean shares = pod.devices() == 1 && box.milli[box.tightest(pod.milli())] < 1000;
    int rank = shares ? 0 : box.isIdle() ? 2 : 1;
    return rank * CLASS + box.free();
  }
}
