package dev.muster.server.kube.owner;

import dev.muster.core.gang.GangId;
import dev.muster.server.kube.client.ObjectRef;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The PodGroup that an owner should have. Muster writes it, so that users need none.
///
/// @param gang the gang that it declares
/// @param owner the owner; the PodGroup is deleted with it
/// @param minimum number of members that start together; 0 if the PodGroup is to be deleted
/// @param labels labels of the owner; no value removes one
/// @param annotations annotations of the owner about the gang, and records; no value removes one
/// @param existing uid of the PodGroup to change or delete; empty to create it
public record WantedPodGroup(
    GangId gang,
    ObjectRef owner,
    int minimum,
    SortedMap<String, @Nullable String> labels,
    SortedMap<String, @Nullable String> annotations,
    Optional<String> existing) {
  /// Returns the wish that the PodGroup with this uid is deleted.
  static WantedPodGroup surplus(GangId gang, ObjectRef owner, String uid) {
    return new WantedPodGroup(gang, owner, 0, new TreeMap<>(), new TreeMap<>(), Optional.of(uid));
  }

  /// True if the PodGroup is to be deleted.
  public boolean isSurplus() {
    return minimum == 0;
  }
}
