package dev.muster.core.gang;

import java.util.Comparator;

/// The identity of a pod. The uid tells a pod from its replacement of the same name.
public record MemberId(String namespace, String name, String uid) implements Comparable<MemberId> {
  private static final Comparator<MemberId> ORDER =
      Comparator.comparing(MemberId::namespace)
          .thenComparing(MemberId::name)
          .thenComparing(MemberId::uid);

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
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return namespace + "/" + name;
  }
}
