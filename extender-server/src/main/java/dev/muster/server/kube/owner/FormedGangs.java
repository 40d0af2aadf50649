package dev.muster.server.kube.owner;

import dev.muster.core.gang.GangId;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/// The gangs whose PodGroups count, so that their pods start together.
///
/// Running pods of other gangs started one by one. When such a gang is formed, its PodGroup records
/// how many run. An owner that was created again under its name forms another gang.
final class FormedGangs {
  /// The uid of the owner for which each gang was formed.
  private final Map<GangId, String> formed = new HashMap<>();

  /// The uid of the owner of each gang whose PodGroup is in a namespace that was switched off.
  private final Map<GangId, String> dormant = new HashMap<>();

  /// Notes that the PodGroup does not count, since its namespace is switched off.
  void suspend(GangId gang, OwnerFacts owner) {
    formed.remove(gang);
    dormant.put(gang, uid(owner));
  }

  /// Notes that the PodGroup counts.
  void form(GangId gang, OwnerFacts owner) {
    dormant.remove(gang);
    formed.put(gang, uid(owner));
  }

  boolean isDormant(GangId gang, OwnerFacts owner) {
    return uid(owner).equals(dormant.get(gang));
  }

  /// True if the gang is being formed now.
  ///
  /// @param exists whether its PodGroup exists
  boolean isNew(GangId gang, OwnerFacts owner, boolean exists) {
    return exists ? isDormant(gang, owner) : !uid(owner).equals(formed.get(gang));
  }

  private static String uid(OwnerFacts owner) {
    return owner.object().uid();
  }

  void retain(Set<GangId> gangs) {
    formed.keySet().retainAll(gangs);
    dormant.keySet().retainAll(gangs);
  }
}
