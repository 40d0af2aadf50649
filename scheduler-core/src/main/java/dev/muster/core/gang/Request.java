package dev.muster.core.gang;

/// What one member needs of its node. Members with equal requests are interchangeable to the
/// search.
///
/// @param resources all that it takes, GPUs and the pod slot included
/// @param gpus how many whole GPUs are among the resources, 0 or more
/// @param gpuMilli thousandths of one more GPU that it shares with others, 0 to 999; only where it
///   asks for no whole ones. Kubernetes itself counts whole GPUs only: this serves the simulator
/// @param selection the nodes it may run on
/// @param onePerNode whether no two members of its gang with this mark may share a node
public record Request(
    Resources resources, int gpus, int gpuMilli, NodeSelection selection, boolean onePerNode) {
  public Request {
    if (gpus < 0) {
      throw new IllegalArgumentException(
          "A member asks for gpus (%d); they cannot be fewer than 0.".formatted(gpus));
    }
    if (gpuMilli < 0 || gpuMilli > 999 || (gpuMilli > 0 && gpus > 0)) {
      throw new IllegalArgumentException(
          "A member asks for gpus (%d) and gpuMilli (%d); gpuMilli must be 0 to 999, and 0 beside whole GPUs. Maybe 1000 was meant as one GPU."
              .formatted(gpus, gpuMilli));
    }
  }

  /// A request for whole GPUs on any node.
  public static Request of(Resources resources, int gpus) {
    return new Request(resources, gpus, 0, NodeSelection.ANY, false);
  }

  /// Whether it asks for GPUs, whole ones or a part of one.
  public boolean wantsGpu() {
    return gpus > 0 || gpuMilli > 0;
  }
}
