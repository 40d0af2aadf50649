package dev.muster.server.http.extender;

import dev.muster.core.gang.GangId;
import dev.muster.server.kube.owner.kind.OwnedPod;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/// The pods that Muster places.
///
/// @param accelerators extended resources that are GPUs, such as `nvidia.com/gpu`
/// @param schedulerNames schedulers whose pods Muster places; pods of others are only counted
/// @param owners the gang that the owner of a pod has, for pods that name none; must not block
public record PodScope(
    Set<String> accelerators,
    Set<String> schedulerNames,
    Function<OwnedPod, Optional<GangId>> owners) {
  public PodScope {
    accelerators = Set.copyOf(accelerators);
    schedulerNames = Set.copyOf(schedulerNames);
  }

  /// Creates a scope in which owners have no gangs.
  public PodScope(Set<String> accelerators, Set<String> schedulerNames) {
    this(accelerators, schedulerNames, _ -> Optional.empty());
  }

  /// Returns the pod with the gang of its owner, if it names none.
  public ExtenderPod grouped(ExtenderPod pod) {
    return pod.groups().isEmpty()
            && pod.isIdentified()
            && schedulerNames.contains(pod.schedulerName())
        ? owners.apply(pod.owned()).map(pod::in).orElse(pod)
        : pod;
  }

  /// True if Muster places the pod. It must name one of these schedulers, and request a GPU or be
  /// in a gang.
  public boolean includes(ExtenderPod pod) {
    return schedulerNames.contains(pod.schedulerName())
        && (pod.wantsAccelerator() || !pod.groups().isEmpty());
  }
}
