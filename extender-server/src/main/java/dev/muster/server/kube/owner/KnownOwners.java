package dev.muster.server.kube.owner;

import dev.muster.core.gang.GangId;
import dev.muster.server.kube.owner.kind.OwnerKinds.Claim;
import dev.muster.server.kube.owner.kind.OwnerKinds.OwnerKey;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/// The owners that exist, and those that pods state but that were not seen.
final class KnownOwners {
  /// Time for which pods wait for an owner that was not seen. An owner can be seen later than its
  /// pods. But a copied label may name one that never exists.
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /// An owner.
  ///
  /// @param exists false if it was deleted while pods of it are left
  record Owner(OwnerFacts facts, boolean exists) {}

  private final Map<OwnerKey, Owner> byKey = new HashMap<>();

  /// Owners that were deleted, until their last pods are.
  private final Set<OwnerKey> gone = new HashSet<>();

  /// The time of the first pod of each owner that was not seen.
  private final Map<OwnerKey, Instant> sought = new HashMap<>();

  /// Owners that were not seen for too long.
  private final Set<OwnerKey> missing = new HashSet<>();

  Optional<Owner> get(OwnerKey key) {
    return Optional.ofNullable(byKey.get(key));
  }

  /// Returns the owner of a pod with this claim, if it was seen.
  Optional<Owner> of(Claim claim) {
    return get(claim.owner());
  }

  /// Returns the gang of a pod with this claim. The pod waits for an owner that was not seen yet.
  Optional<GangId> gang(Claim claim) {
    Optional<Owner> owner = of(claim);
    return owner.isPresent()
        ? owner.get().facts.gang(claim)
        : Optional.of(claim.gang()).filter(_ -> mayAppear(claim));
  }

  /// True if pods with this claim are in a gang, or wait for their owner.
  boolean mayAppear(Claim claim) {
    return claim.role().certain() && !missing.contains(claim.owner());
  }

  void put(OwnerKey key, Owner owner) {
    byKey.put(key, owner);
    gone.remove(key);
    sought.remove(key);
    missing.remove(key);
  }

  /// Notes that the owner was deleted. What is known of it is kept for its last pods.
  void forget(OwnerKey key) {
    if (byKey.computeIfPresent(key, (_, owner) -> new Owner(owner.facts, false)) != null) {
      gone.add(key);
    }
  }

  /// Notes that a pod with this claim was seen.
  void seek(Claim claim, Instant now) {
    if (claim.role().certain() && of(claim).isEmpty()) {
      sought.putIfAbsent(claim.owner(), now);
    }
  }

  /// Returns the owners that are missing from now on.
  Set<OwnerKey> expire(Instant now) {
    Set<OwnerKey> expired = new HashSet<>();
    sought.forEach((owner, first) -> {
      if (!now.isBefore(first.plus(PATIENCE)) && missing.add(owner)) {
        expired.add(owner);
      }
    });
    return expired;
  }

  /// Forgets owners of which no pods are left.
  void prune(Predicate<OwnerKey> hasPods) {
    gone.removeIf(key -> !hasPods.test(key) && byKey.remove(key) != null);
    sought.keySet().removeIf(hasPods.negate());
    missing.retainAll(sought.keySet());
  }
}
