package dev.muster.server.kube.dra;

import io.fabric8.kubernetes.api.model.Pod;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/// The unfinished pods that name each ResourceClaim, the first one seen before the others.
///
/// Only the first counts for the claim. kube-scheduler must bring the others to its node, which
/// Muster does not know before the claim is allocated.
///
/// One thread at a time may record pods; any thread may read meanwhile.
final class ClaimSharers {
  /// A pod that names a claim.
  record Sharer(String name, String uid) {}

  private final Map<String, Map<String, Sharer>> byClaim = new ConcurrentHashMap<>();
  private final Map<String, Set<String>> claimsOf = new ConcurrentHashMap<>();
  private final Set<String> freed = new TreeSet<>();

  /// Records the claims that the pod names now.
  void seen(Pod pod, boolean over) {
    String key = pod.getMetadata().getNamespace() + "/" + pod.getMetadata().getName();
    Set<String> claims = new TreeSet<>();
    if (!over) {
      PodClaim.of(pod).forEach(entry -> entry.claim().ifPresent(claims::add));
    }
    Set<String> before = claims.isEmpty() ? claimsOf.remove(key) : claimsOf.put(key, claims);
    for (String claim : before == null ? Set.<String>of() : before) {
      if (!claims.contains(claim)) {
        leaves(key, claim);
      }
    }
    Sharer sharer = new Sharer(pod.getMetadata().getName(), pod.getMetadata().getUid());
    for (String claim : claims) {
      byClaim.compute(
          claim,
          (_, sharers) -> {
            Map<String, Sharer> now =
                sharers == null ? new LinkedHashMap<>() : new LinkedHashMap<>(sharers);
            now.put(key, sharer);
            return now;
          });
    }
  }

  /// Records that the pod with this key is gone.
  void gone(String key) {
    Set<String> before = claimsOf.remove(key);
    if (before != null) {
      before.forEach(claim -> leaves(key, claim));
    }
  }

  private void leaves(String key, String claim) {
    byClaim.computeIfPresent(
        claim,
        (_, sharers) -> {
          Map<String, Sharer> left = new LinkedHashMap<>(sharers);
          left.remove(key);
          return left.isEmpty() ? null : left;
        });
    if (byClaim.containsKey(claim)) {
      freed.add(claim);
    }
  }

  /// Returns, once, the claims that a pod left to others. Those must be read again.
  Set<String> freed() {
    Set<String> claims = Set.copyOf(freed);
    freed.clear();
    return claims;
  }

  /// Returns the first pod that names the claim.
  Optional<Sharer> first(String claim) {
    return Optional.ofNullable(byClaim.get(claim))
        .flatMap(sharers -> sharers.values().stream().findFirst());
  }
}
