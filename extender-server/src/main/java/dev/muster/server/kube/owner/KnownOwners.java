package dev.muster.server.kube.owner;

import dev.muster.core.gang.GangId;
import dev.muster.server.kube.owner.kind.OwnerKinds.Claim;
import dev.muster.server.kube.owner.kind.OwnerKinds.OwnerKey;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/// The owners that exist, and those that pods state but that were not seen.
final class KnownOwners {
  /// Time after which an owner that was not seen is looked up. An owner can be seen later than its
  /// pods, however late its watch is. But a copied label may name one that never exists. The time
  /// until each further lookup is twice as long, up to [#LONGEST_PAUSE].
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(2);

  /// An owner.
  ///
  /// @param exists false if it was deleted while pods of it are left
  record Owner(OwnerFacts facts, boolean exists) {}

  /// An owner that a pod states.
  ///
  /// @param uid its uid; empty if the pod does not state it
  record Stated(OwnerKey owner, String uid) implements Comparable<Stated> {
    private static final Comparator<Stated> ORDER =
        Comparator.comparing(Stated::owner).thenComparing(Stated::uid);

    static Stated of(Claim claim) {
      return new Stated(claim.owner(), claim.role().uid());
    }

    @Override
    public int compareTo(Stated other) {
      return ORDER.compare(this, other);
    }
  }

  /// @param at its time
  /// @param pause time until the one after it
  private record Lookup(Instant at, Duration pause) {
    Lookup next(Instant now) {
      Duration twice = pause.multipliedBy(2);
      return new Lookup(
          now.plus(pause), twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE);
    }
  }

  private final Map<OwnerKey, Owner> byKey = new HashMap<>();

  /// Owners that were deleted, until their last pods are.
  private final Set<OwnerKey> gone = new HashSet<>();

  /// The next lookup of each owner that was not seen, until it is missing.
  private final Map<Stated, Lookup> sought = new HashMap<>();

  /// Owners that do not exist. Each is stated by a pod, or this would grow with every uid that
  /// anybody has written on a pod.
  private final Set<Stated> missing = new HashSet<>();

  /// The uids of owners that are too large to be read. Their pods wait, however long.
  private final Map<OwnerKey, String> unreadable = new HashMap<>();

  Optional<Owner> get(OwnerKey key) {
    return Optional.ofNullable(byKey.get(key));
  }

  /// Returns the owner of a pod with this claim, if it was seen.
  Optional<Owner> of(Claim claim) {
    return get(claim.owner()).filter(owner -> claim.role().mayBeOf(owner.facts.object().uid()));
  }

  /// Returns the gang of a pod with this claim. The pod waits for an owner that was not seen yet.
  ///
  /// Pods of a deleted owner may exist beside those of another one with its name. They are apart,
  /// or they would count for its gang.
  ///
  /// @param hasNode true if the pod has a node. It waits for nothing, so it is in no gang without a
  ///   PodGroup: its owner may form none, and the pod would never leave it
  /// @param declared true for a gang with a PodGroup
  Optional<GangId> gang(Claim claim, boolean hasNode, Predicate<GangId> declared) {
    Optional<Owner> owner = of(claim);
    if (owner.isPresent()) {
      return owner.get().facts.gang(claim);
    }
    if (!mayAppear(claim)) {
      return Optional.empty();
    }
    if (byKey.containsKey(claim.owner())) {
      return Optional.of(claim.another());
    }
    return claim.among(declared).or(() -> Optional.of(claim.gang()).filter(_ -> !hasNode));
  }

  /// True if pods with this claim are in a gang, or wait for their owner.
  boolean mayAppear(Claim claim) {
    return claim.role().certain() && !missing.contains(Stated.of(claim));
  }

  void put(OwnerKey key, Owner owner) {
    byKey.put(key, owner);
    gone.remove(key);
    unreadable.remove(key);
    for (String uid : List.of("", owner.facts.object().uid())) {
      drop(new Stated(key, uid));
    }
  }

  /// Notes that the owner exists, but is too large to be read. What is known of it is kept.
  ///
  /// @return true if its pods are to be read again
  boolean suspend(OwnerKey key, ObjectMeta owner) {
    String uid = owner.getUid();
    boolean isNew = !uid.equals(unreadable.get(key));
    boolean isKnown = get(key).filter(known -> known.facts.object().uid().equals(uid)).isPresent();
    if (!isKnown || owner.getDeletionTimestamp() != null) {
      forget(key);
    }
    unreadable.put(key, uid);
    missing.remove(new Stated(key, ""));
    missing.remove(new Stated(key, uid));
    return isNew;
  }

  /// Notes that the owner was deleted. What is known of it is kept for its last pods.
  void forget(OwnerKey key) {
    unreadable.remove(key);
    Owner known = byKey.remove(key);
    Optional<OwnerFacts> last = Optional.ofNullable(known).flatMap(old -> old.facts.ofLastPods());
    if (last.isPresent()) {
      byKey.put(key, new Owner(last.get(), false));
      gone.add(key);
    }
  }

  /// Notes that a pod with this claim was seen.
  void seek(Claim claim, Instant now) {
    if (mayAppear(claim) && of(claim).isEmpty()) {
      sought.putIfAbsent(Stated.of(claim), new Lookup(now, PATIENCE).next(now));
    }
  }

  /// Notes that the owner was seen, or that no pod states it any more.
  void drop(Stated owner) {
    sought.remove(owner);
    missing.remove(owner);
  }

  /// Returns the owners to look up now.
  List<Stated> due(Instant now) {
    List<Stated> due = new ArrayList<>();
    sought.replaceAll((owner, lookup) -> {
      if (now.isBefore(lookup.at) || isUnreadable(owner)) {
        return lookup;
      }
      due.add(owner);
      return lookup.next(now);
    });
    return due;
  }

  /// Notes that the owner does not exist.
  ///
  /// @return false if it was seen meanwhile, or no pod states it any more
  boolean miss(Stated owner) {
    return !isUnreadable(owner) && sought.remove(owner) != null && missing.add(owner);
  }

  private boolean isUnreadable(Stated owner) {
    String uid = unreadable.get(owner.owner);
    return uid != null && (owner.uid.isEmpty() || owner.uid.equals(uid));
  }

  /// Forgets deleted owners of which no pods are left.
  void prune(Predicate<OwnerKey> hasPods) {
    gone.removeIf(key -> !hasPods.test(key) && byKey.remove(key) != null);
  }
}
