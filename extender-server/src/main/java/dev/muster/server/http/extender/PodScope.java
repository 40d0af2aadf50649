package dev.muster.server.http.extender;

import java.util.Set;

/// The pods that Muster places.
///
/// @param accelerators extended resources that are GPUs, such as `nvidia.com/gpu`
/// @param schedulerNames schedulers whose pods Muster places; pods of others are only counted
public record PodScope(Set<String> accelerators, Set<String> schedulerNames) {
  public PodScope {
    accelerators = Set.copyOf(accelerators);
    schedulerNames = Set.copyOf(schedulerNames);
  }

  /// True if Muster places the pod. It must name one of these schedulers, and request a GPU or be
  /// in a gang.
  public boolean includes(ExtenderPod pod) {
    return schedulerNames.contains(pod.schedulerName())
        && (pod.wantsAccelerator() || !pod.groups().isEmpty());
  }
}
