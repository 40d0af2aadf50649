package dev.muster.server.kube.owner.kind;

import java.util.Comparator;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/// The owner of a pod and its role there, as the pod states them.
///
/// @param owner name of the owner, in the namespace of the pod
/// @param uid uid of the owner; empty if the pod does not state it
/// @param replica number of the gang, if each replica of the owner is a gang
/// @param role name of its role
/// @param certain true if the owner has a gang for certain, so that the pod waits while the owner
///   is unknown
/// @param size number of pods of the gang, if the pod states it
public record PodRole(
    String owner, String uid, OptionalInt replica, String role, boolean certain, OptionalInt size)
    implements Comparable<PodRole> {
  private static final Comparator<PodRole> ORDER =
      Comparator.comparing(PodRole::owner)
          .thenComparing(PodRole::uid)
          .thenComparing(PodRole::role)
          .thenComparingInt(pod -> pod.replica.orElse(-1))
          .thenComparingInt(pod -> pod.size.orElse(-1))
          .thenComparing(PodRole::certain);

  private static final Pattern UID = Pattern.compile("[A-Za-z0-9._-]{1,64}");

  /// Creates the role of a pod whose owner has one gang for certain.
  public PodRole(String owner, String role) {
    this(owner, OptionalInt.empty(), role, true);
  }

  /// Creates the role of a pod that does not state the size of its gang.
  PodRole(String owner, OptionalInt replica, String role, boolean certain) {
    this(owner, "", replica, role, certain, OptionalInt.empty());
  }

  /// Returns this role with the uid of the owner. A text that is no uid is ignored: the API server
  /// takes any in an owner reference.
  PodRole of(String ownerUid) {
    String stated = UID.matcher(ownerUid).matches() ? ownerUid : "";
    return new PodRole(owner, stated, replica, role, certain, size);
  }

  /// True if the owner of the pod may have this uid. An owner that is created again under its name
  /// has another one.
  public boolean mayBeOf(String ownerUid) {
    return uid.isEmpty() || uid.equals(ownerUid);
  }

  @Override
  public int compareTo(PodRole other) {
    return ORDER.compare(this, other);
  }
}
