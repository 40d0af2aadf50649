package dev.muster.server.kube.owner;

import dev.muster.server.kube.owner.kind.OwnerKinds.OwnerKey;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/// The owners of many gangs, or of gangs of many roles, that changed again within a second.
///
/// One write to such an owner takes tens of milliseconds, and other owners of its kind wait as
/// long. So its gangs are compared with it once a second, however often it is written.
final class DeferredOwners {
  /// Owners with fewer claims of pods are compared at once: that takes less than a millisecond.
  static final int MANY = 100;

  private static final Duration INTERVAL = Duration.ofSeconds(1);

  /// The time at which each large owner was compared, for a second.
  private final Map<OwnerKey, Instant> compared = new HashMap<>();

  private final Set<OwnerKey> deferred = new HashSet<>();

  /// Notes that the owner changed.
  ///
  /// @param claims number of different claims of its pods
  /// @return true if it is to be compared later; false if at once
  boolean defers(OwnerKey owner, int claims, Instant now) {
    if (claims < MANY) {
      return false;
    }
    if (now.isBefore(compared.getOrDefault(owner, Instant.MIN).plus(INTERVAL))) {
      deferred.add(owner);
      return true;
    }
    compared.put(owner, now);
    return false;
  }

  /// Returns the owners to compare now, which are deferred no longer. Called every second.
  Set<OwnerKey> take(Instant now) {
    compared.values().removeIf(at -> !now.isBefore(at.plus(INTERVAL)));
    Set<OwnerKey> due = Set.copyOf(deferred);
    due.forEach(owner -> compared.put(owner, now));
    deferred.clear();
    return due;
  }
}
