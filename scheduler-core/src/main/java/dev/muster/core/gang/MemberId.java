package dev.muster.core.gang;

/// The identity of a pod. The uid distinguishes a pod from a replacement with an equal name.
public record MemberId(String namespace, String name, String uid) implements Comparable<MemberId> {
  public MemberId {
    if (namespace.isBlank() || name.isBlank() || uid.isBlank()) {
      throw new IllegalArgumentException(
          "The pod id has namespace (%s), name (%s) and uid (%s); all must be given."
              .formatted(namespace, name, uid));
    }
  }

  /// Orders by namespace, name, uid.
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

  // Compared strings are equal in most cases: namespaces, and the searched key itself.
  private static int order(String a, String b) {
    return a.equals(b) ? 0 : a.compareTo(b);
  }

  /// Returns an equal identity that holds this string instance if it equals the namespace.
  MemberId within(String same) {
    return namespace.equals(same) ? new MemberId(same, name, uid) : this;
  }
}
