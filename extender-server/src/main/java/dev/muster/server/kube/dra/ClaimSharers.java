package dev.muster.server.kube.dra;

import io.fabric8.kubernetes.api.model.Pod;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;

/// The unfinished pods that name each ResourceClaim, the first one seen before the others.
///
/// Only the first counts for the claim. kube-scheduler must bring the others to its node, which
/// Muster does not know before the claim is allocated.
///
/// Any number of pods may name one claim, so a pod is recorded in time that does not grow with
/// them.
///
/// One thread at a time may record pods; any thread may read meanwhile.
final class ClaimSharers {
  /// A pod that names a claim.
  record Sharer(String name, String uid) {}

  /// The pods that name each claim, by the order in which they were first seen.
  private final Map<String, ConcurrentSkipListMap<Long, Sharer>> byClaim =
      new ConcurrentHashMap<>();

  /// The claims that each pod names, and its position among the pods of each.
  private final Map<String, Map<String, Long>> claimsOf = new HashMap<>();

  private final Set<String> freed = new TreeSet<>();
  private long next;

  /// Records the claims that the pod names now.
  void seen(Pod pod, boolean over) {
    String key = pod.getMetadata().getNamespace() + "/" + pod.getMetadata().getName();
    Set<String> claims = new TreeSet<>();
    if (!over) {
      PodClaim.of(pod).forEach(entry -> entry.claim().ifPresent(claims::add));
    }
    Map<String, Long> before = claimsOf.getOrDefault(key, Map.of());
    Map<String, Long> now = new TreeMap<>();
    Sharer sharer = new Sharer(pod.getMetadata().getName(), pod.getMetadata().getUid());
    for (String claim : claims) {
      long position = before.containsKey(claim) ? before.get(claim) : next++;
      now.put(claim, position);
      byClaim.computeIfAbsent(claim, _ -> new ConcurrentSkipListMap<>()).put(position, sharer);
    }
    before.forEach((claim, position) -> {
      if (!now.containsKey(claim)) {
        leaves(claim, position);
      }
    });
    if (now.isEmpty()) {
      claimsOf.remove(key);
    } else {
      claimsOf.put(key, now);
    }
  }

  /// Records that the pod with this key is gone.
  void gone(String key) {
    Map<String, Long> before = claimsOf.remove(key);
    if (before != null) {
      before.forEach(this::leaves);
    }
  }

  private void leaves(String claim, long position) {
    ConcurrentSkipListMap<Long, Sharer> sharers = byClaim.get(claim);
    if (sharers == null) {
      return;
    }
    boolean first = sharers.firstKey() == position;
    sharers.remove(position);
    if (sharers.isEmpty()) {
      byClaim.remove(claim);
    } else if (first) {
      freed.add(claim);
    }
  }

  /// Returns, once, the claims that their first pod left to others. The pods that name them must be
  /// read again.
  Set<String> freed() {
    Set<String> claims = new TreeSet<>(freed); // Set.copyOf is slow if hash codes are equal
    freed.clear();
    return claims;
  }

  /// Returns the first pod that names the claim.
  Optional<Sharer> first(String claim) {
    return Optional.ofNullable(byClaim.get(claim))
        .map(ConcurrentSkipListMap::firstEntry)
        .map(Map.Entry::getValue);
  }
}
