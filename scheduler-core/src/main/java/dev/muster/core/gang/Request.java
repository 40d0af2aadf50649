package dev.muster.core.gang;

/// The resources and conditions that one member needs of its node. Members with equal requests are
/// interchangeable for the search.
///
/// @param resources all resources that it takes, including GPUs and the pod slot
/// @param gpus number of whole GPUs among the resources, 0 or more; bounded where it is read, so
///   that its sum over all pods fits an `int`
/// @param gpuMilli thousandths of one shared GPU, 0 to 999; 0 when `gpus` is positive. Kubernetes
///   counts whole GPUs only; the simulator uses this
/// @param selection the nodes on which it may run
/// @param onePerNode true if no two members of its gang with this mark may share a node
public record Request(
    Resources resources, int gpus, int gpuMilli, NodeSelection selection, boolean onePerNode) {
  public Request {
    if (gpus < 0) {
      throw new IllegalArgumentException(
          "A member requests gpus (%d); it must be 0 or more.".formatted(gpus));
    }
    if (gpuMilli < 0 || gpuMilli > 999 || (gpuMilli > 0 && gpus > 0)) {
      throw new IllegalArgumentException(
          "A member requests gpus (%d) and gpuMilli (%d); gpuMilli must be 0 to 999, and 0 with gpus."
              .formatted(gpus, gpuMilli));
    }
  }

  /// Returns a request for whole GPUs on any node.
  public static Request of(Resources resources, int gpus) {
    return new Request(resources, gpus, 0, NodeSelection.ANY, false);
  }

  /// True if it asks for GPUs, whole ones or a part of one.
  public boolean wantsGpu() {
    return gpus > 0 || gpuMilli > 0;
  }
}
