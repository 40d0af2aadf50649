package dev.muster.server.http.extender;

import java.util.Set;

/// Which pods are ours to place.
///
/// @param accelerators the extended resources that are GPUs, `nvidia.com/gpu`
/// @param schedulerNames the schedulers whose pods are ours; pods of others are only counted
public record PodScope(Set<String> accelerators, Set<String> schedulerNames) {
  public PodScope {
    accelerators = Set.copyOf(accelerators);
    schedulerNames = Set.copyOf(schedulerNames);
  }

  /// Whether the pod is placed by Muster: one of our schedulers has it, and it wants a GPU or is in
  /// a gang.
  public boolean includes(ExtenderPod pod) {
    return schedulerNames.contains(pod.schedulerName())
        && (pod.wantsAccelerator() || !pod.groups().isEmpty());
  }
}
