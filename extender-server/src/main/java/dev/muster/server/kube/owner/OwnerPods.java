package dev.muster.server.kube.owner;

import dev.muster.core.gang.GangId;
import dev.muster.server.kube.owner.kind.OwnerKinds.Claim;
import dev.muster.server.kube.owner.kind.OwnerKinds.OwnerKey;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The pods that state an owner. Pods of one role and replica have equal claims. The cost of one
/// pod does not grow with the number of others.
final class OwnerPods {
  /// A pod with its claim.
  ///
  /// @param live true if it is not being deleted
  record Noted(Claim claim, boolean live) {}

  private final Map<String, Noted> byPod = new HashMap<>();

  /// Numbers of live pods by main gang and claim.
  private final Map<GangId, Map<Claim, Integer>> live = new HashMap<>();

  private final Map<OwnerKey, Set<String>> podsByOwner = new HashMap<>();
  private final Map<OwnerKey, Set<GangId>> gangsByOwner = new HashMap<>();

  /// Records the claim of the pod with this key, or that it has none.
  ///
  /// @return the claims that got their first live pod or lost their last one
  Set<Claim> note(String key, Optional<Noted> pod) {
    Noted before = pod.isPresent() ? byPod.put(key, pod.get()) : byPod.remove(key);
    Set<Claim> changed = new HashSet<>();
    if (pod.equals(Optional.ofNullable(before))) {
      return changed;
    }
    if (before != null) {
      podsByOwner.computeIfPresent(before.claim.owner(), (_, keys) -> without(keys, key));
      if (before.live) {
        count(before.claim, -1, changed);
      }
    }
    if (pod.isPresent()) {
      podsByOwner.computeIfAbsent(pod.get().claim.owner(), _ -> new HashSet<>()).add(key);
      if (pod.get().live) {
        count(pod.get().claim, 1, changed);
      }
    }
    return changed;
  }

  private void count(Claim claim, int more, Set<Claim> changed) {
    Map<Claim, Integer> claims = live.computeIfAbsent(claim.gang(), _ -> new HashMap<>());
    int now = claims.merge(claim, more, Integer::sum);
    if (now == 0) {
      claims.remove(claim);
    }
    if (now == 0 || (now == 1 && more == 1)) {
      changed.add(claim);
    }
    if (claims.isEmpty()) {
      live.remove(claim.gang());
      gangsByOwner.computeIfPresent(claim.owner(), (_, gangs) -> without(gangs, claim.gang()));
    } else {
      gangsByOwner.computeIfAbsent(claim.owner(), _ -> new HashSet<>()).add(claim.gang());
    }
  }

  private static <T> @Nullable Set<T> without(Set<T> all, T one) {
    all.remove(one);
    return all.isEmpty() ? null : all;
  }

  /// Returns the claims of live pods with this main gang.
  Set<Claim> claims(GangId main) {
    return Set.copyOf(live.getOrDefault(main, Map.of()).keySet());
  }

  /// Returns the claims of live pods of the owner.
  Set<Claim> claims(OwnerKey owner) {
    Set<Claim> claims = new HashSet<>();
    gangsByOwner.getOrDefault(owner, Set.of()).forEach(main -> claims.addAll(claims(main)));
    return claims;
  }

  /// Returns the claims of live pods that match.
  Set<Claim> claims(Predicate<Claim> which) {
    return live.values().stream()
        .flatMap(claims -> claims.keySet().stream())
        .filter(which)
        .collect(Collectors.toSet());
  }

  /// Returns the pods whose claims match.
  Set<String> pods(Predicate<Claim> which) {
    return byPod.entrySet().stream()
        .filter(pod -> which.test(pod.getValue().claim))
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }

  Set<String> pods(OwnerKey owner) {
    return Set.copyOf(podsByOwner.getOrDefault(owner, Set.of()));
  }

  boolean hasLive(GangId main) {
    return live.containsKey(main);
  }

  boolean hasPods(OwnerKey owner) {
    return podsByOwner.containsKey(owner);
  }
}
