package dev.muster.simulator.pack;

/// Scores GPUs in use above 50, and idle nodes below 33. Idle GPUs of a used node are in between.
///
/// On GPUs in use, one point is lost for each tenth that is free of them. On a used node one point
/// is lost for each idle GPU that the pod takes; on an idle node, for each GPU of the node. A node
/// is idle if nothing uses its GPUs. All nodes are equal for a pod without GPUs.
///
/// Source: the packing of Weng et al.: MLaaS in the Wild, NSDI 2022; a baseline of Weng et al.,
/// USENIX ATC 2023.
record GpuPacking() implements Packer.Score {
  @Override
  public int of(PackNode box, PackPod pod) {
    if (pod.devices() == 0) {
      return 0;
    }
    int whole = box.wholeGpus();
    if (whole == box.milli.length) {
      return Math.max(33 - whole, whole);
    }
    if (pod.milli() == 1000) {
      return Math.max(50 - pod.devices(), 33);
    }
    int left = box.milli[box.tightest(pod.milli())];
    return left == 1000 ? 49 : Math.max(100 - left * 100 / 1000 / 10, 50);
  }
}
