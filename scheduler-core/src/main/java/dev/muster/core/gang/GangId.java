package dev.muster.core.gang;

import dev.muster.core.collect.SortedKeys;
import java.util.List;

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

  /// Separates the uid in the name of a group of pods that are apart.
  private static final char APART = '@';

  public GangId {
    if (namespace.isBlank() || name.isBlank()) {
      throw new IllegalArgumentException(
          "The gang id has namespace (%s) and name (%s); both must be given."
              .formatted(namespace, name));
    }
  }

  /// Returns the group of pods of another owner than this gang's, which has the same name, or of
  /// another queue. They are apart, or they would count for this gang. No object can declare such a
  /// group.
  ///
  /// @param uid uid of their owner, or another text that tells them from other groups
  public GangId apart(String uid) {
    return new GangId(namespace, origin, name + APART + uid);
  }

  /// True if no object can declare it, as [#apart] states.
  public boolean isApart() {
    return origin == Origin.POD_GROUP && name.indexOf(APART) > 0;
  }

  /// Returns the gang from which its pods are apart; this gang if they are not.
  public GangId whole() {
    return isApart() ? new GangId(namespace, origin, name.substring(0, name.indexOf(APART))) : this;
  }

  /// True if all gangs are of one namespace.
  public static boolean isOneNamespace(SortedKeys<GangId> gangs) {
    List<GangId> ids = gangs.asList();
    return gangs.isEmpty() || ids.getFirst().namespace.equals(ids.getLast().namespace);
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
