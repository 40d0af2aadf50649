package dev.muster.server.kube.owner;

import dev.muster.core.gang.GangId;
import java.util.HashSet;
import java.util.Set;

/// The gangs whose PodGroups count, so that their pods start together.
///
/// Running pods of other gangs started one by one. When such a gang is formed, its PodGroup records
/// how many run.
final class FormedGangs {
  private final Set<GangId> formed = new HashSet<>();

  /// Gangs with a PodGroup in a namespace that was switched off.
  private final Set<GangId> dormant = new HashSet<>();

  /// Notes that the PodGroup does not count, since its namespace is switched off.
  void suspend(GangId gang) {
    formed.remove(gang);
    dormant.add(gang);
  }

  /// Notes that the PodGroup counts.
  void form(GangId gang) {
    dormant.remove(gang);
    formed.add(gang);
  }

  boolean isDormant(GangId gang) {
    return dormant.contains(gang);
  }

  /// True if the gang is being formed now.
  ///
  /// @param exists whether its PodGroup exists
  boolean isNew(GangId gang, boolean exists) {
    return exists ? dormant.contains(gang) : !formed.contains(gang);
  }

  void retain(Set<GangId> gangs) {
    formed.retainAll(gangs);
    dormant.retainAll(gangs);
  }
}
