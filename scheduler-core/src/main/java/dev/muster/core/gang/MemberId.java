package dev.muster.core.gang;

/// The identity of a pod. The uid tells a pod from its replacement of the same name.
public record MemberId(String namespace, String name, String uid) implements Comparable<MemberId> {
  public MemberId {
    if (namespace.isBlank() || name.isBlank() || uid.isBlank()) {
      throw new IllegalArgumentException(
          "The pod id has namespace (%s), name (%s) and uid (%s); all must be given."
              .formatted(namespace, name, uid));
    }
  }

  /// Ordered by namespace, name, uid.
  @Override
  public int compareTo(MemberId other) {
    int side = order(namespace, other.namespace);
    side = side == 0 ? order(name, other.name) : side;
    return side == 0 ? order(uid, other.uid) : side;
  }

  @Override
  public String toString() {
    return namespace + "/" + name;
  }

  // Strings are mostly equal here: those of one namespace, and those of the key that is sought.
  private static int order(String a, String b) {
    return a.equals(b) ? 0 : a.compareTo(b);
  }

  /// The same identity, holding this very string if it is the namespace's name.
  MemberId within(String same) {
    return namespace.equals(same) ? new MemberId(same, name, uid) : this;
  }
}
