package dev.muster.core.gang;

/// The identity of a gang: the namespaced object that declares it.
///
/// @param namespace the Kubernetes namespace
/// @param origin the kind of the object that declares the gang
/// @param name the name of that object
public record GangId(String namespace, Origin origin, String name) implements Comparable<GangId> {
  /// The kind of object that declares a gang. Objects of two kinds may have equal names in one
  /// namespace.
  public enum Origin {
    /// A `scheduling.x-k8s.io` PodGroup; most job controllers create this kind.
    POD_GROUP,
    /// A `scheduling.k8s.io` PodGroup, the kind of Kubernetes itself.
    NATIVE,
    /// A `scheduling.volcano.sh` PodGroup.
    VOLCANO,
    /// A pod without a group: a gang of one member, with the name of the pod.
    POD
  }

  public GangId {
    if (namespace.isBlank() || name.isBlank()) {
      throw new IllegalArgumentException(
          "The gang id has namespace (%s) and name (%s); both must be given."
              .formatted(namespace, name));
    }
  }

  /// Orders by namespace, name, origin.
  @Override
  public int compareTo(GangId other) {
    if (this == other) {
      return 0;
    }
    int side = namespace.equals(other.namespace) ? 0 : namespace.compareTo(other.namespace);
    side = side == 0 ? name.compareTo(other.name) : side;
    return side == 0 ? origin.compareTo(other.origin) : side;
  }

  /// Returns `namespace/name`, the form of Kubernetes tools.
  @Override
  public String toString() {
    return namespace + "/" + name;
  }
}
