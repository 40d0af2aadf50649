package dev.muster.core.gang;

/// What one member needs of its node. Members with equal requests are interchangeable to the
/// search.
///
/// @param resources all that it takes, GPUs and the pod slot included
/// @param gpus how many whole GPUs are among the resources, 0 or more
/// @param selection the nodes it may run on
/// @param onePerNode whether no two members of its gang with this mark may share a node
public record Request(Resources resources, int gpus, NodeSelection selection, boolean onePerNode) {
  public Request {
    if (gpus < 0) {
      throw new IllegalArgumentException(
          "A member asks for gpus (%d); they cannot be fewer than 0.".formatted(gpus));
    }
  }
}
