package dev.muster.core.gang;

import java.util.Comparator;

/// The identity of a gang: the namespaced object that declares it.
///
/// @param namespace the Kubernetes namespace
/// @param origin what kind of object declares the gang
/// @param name that object's name
public record GangId(String namespace, Origin origin, String name) implements Comparable<GangId> {
  private static final Comparator<GangId> ORDER =
      Comparator.comparing(GangId::namespace)
          .thenComparing(GangId::name)
          .thenComparing(GangId::origin);

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

  /// Ordered by namespace, name, origin.
  @Override
  public int compareTo(GangId other) {
    return ORDER.compare(this, other);
  }

  /// `namespace/name`, as Kubernetes tools write it.
  @Override
  public String toString() {
    return namespace + "/" + name;
  }
}
