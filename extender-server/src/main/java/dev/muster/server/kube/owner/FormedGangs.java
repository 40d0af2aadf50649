package dev.muster.server.kube.owner;

import dev.muster.core.gang.GangId;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;

/// The gangs whose PodGroups count, so that their pods start together.
///
/// Running pods of other gangs started one by one. When such a gang is formed, its PodGroup records
/// how many run. An owner that was created again under its name forms another gang.
final class FormedGangs {
  /// The uid of the owner for which each gang was formed.
  private final Map<GangId, String> formed = new HashMap<>();

  /// The uid of the owner of each gang whose PodGroup is in a namespace that was switched off.
  private final Map<GangId, String> dormant = new HashMap<>();

  /// True if the PodGroup counts. After its namespace was switched off, it must first record the
  /// pods that started meanwhile.
  ///
  /// @param isOff whether its namespace is switched off
  /// @param records whether the PodGroup records all pods that have started
  boolean isInForce(GangId gang, OwnerFacts owner, boolean isOff, BooleanSupplier records) {
    if (isOff) {
      formed.remove(gang);
      dormant.put(gang, uid(owner));
      return false;
    }
    if (isDormant(gang, owner) && !records.getAsBoolean()) {
      return false;
    }
    dormant.remove(gang);
    formed.put(gang, uid(owner));
    return true;
  }

  private boolean isDormant(GangId gang, OwnerFacts owner) {
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
