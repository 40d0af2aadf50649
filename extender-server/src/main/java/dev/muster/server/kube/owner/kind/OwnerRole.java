package dev.muster.server.kube.owner.kind;

/// Pods of an owner with one template, such as the workers.
///
/// @param name name of the role, as pods state it
/// @param count number of its pods without which the gang does not start
/// @param later true if its pods are created only when other pods run or have ended; they are a
///   gang of their own
/// @param template template of its pods
/// @param over number of its pods that have ended for good, as far as the owner states it
public record OwnerRole(String name, int count, boolean later, PodTemplate template, int over) {
  /// Creates a role of which no pod has ended for good.
  OwnerRole(String name, int count, boolean later, PodTemplate template) {
    this(name, count, later, template, 0);
  }

  /// Creates a role whose pods are created at once.
  OwnerRole(String name, int count, PodTemplate template) {
    this(name, count, false, template);
  }

  /// Returns this role with so many pods that have ended for good.
  OwnerRole over(int pods) {
    return new OwnerRole(name, count, later, template, pods);
  }
}
