package dev.muster.core.gang;

/// The identity of a gang: the namespaced object that declares it.
///
/// @param namespace the Kubernetes namespace
/// @param origin what kind of object declares the gang
/// @param name that object's name
public record GangId(String namespace, Origin origin, String name) implements Comparable<GangId> {
  /// The kind of object that declares a gang; two kinds may use one name in one namespace.
  public enum Origin {
    /// `scheduling.x-k8s.io` PodGroup, the one that most job controllers create.
    POD_GROUP,
    /// `scheduling.k8s.io` PodGroup, Kubernetes' own.
    NATIVE,
    /// `scheduling.volcano.sh` PodGroup.
    VOLCANO,
    /// A pod in no group: a gang of one, named like the pod.
    POD
  }

  public GangId {
    if (namespace.isBlank() || name.isBlank()) {
      throw new IllegalArgumentException(
          "The gang id has namespace (%s) and name (%s); both must be given."
              .formatted(namespace, name));
    }
  }

  // Written by hand, since tables ask it all the time, and what records bring along is slow until
  // the JVM has compiled it: so it is for all that is looked up at every step.

  /// Ordered by namespace, name, origin.
  @Override
  public int compareTo(GangId other) {
    if (this == other) {
      return 0;
    }
    int side = namespace.equals(other.namespace) ? 0 : namespace.compareTo(other.namespace);
    side = side == 0 ? name.compareTo(other.name) : side;
    return side == 0 ? origin.compareTo(other.origin) : side;
  }

  /// `namespace/name`, as Kubernetes tools write it.
  @Override
  public String toString() {
    return namespace + "/" + name;
  }
}
