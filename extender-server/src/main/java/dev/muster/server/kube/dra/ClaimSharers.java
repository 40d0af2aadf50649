package dev.muster.server.kube.dra;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
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
/// A pod that has a node keeps a claim that is deleted: its containers go on with the GPUs.
///
/// Any number of pods may name one claim, so a pod is recorded in time that does not grow with
/// them.
///
/// One thread at a time may record pods; any thread may read meanwhile.
final class ClaimSharers {
  /// A pod that names a claim.
  ///
  /// @param kept the claim, if it was deleted while the pod had it
  record Sharer(String name, String uid, Optional<ResourceClaim> kept) {
    Sharer(String name, String uid) {
      this(name, uid, Optional.empty());
    }

    private Sharer keeping(ResourceClaim claim) {
      return kept.isPresent() ? this : new Sharer(name, uid, Optional.of(claim));
    }
  }

  /// The pods that name each claim, by the order in which they were first seen.
  private final Map<String, ConcurrentSkipListMap<Long, Sharer>> byClaim =
      new ConcurrentHashMap<>();

  /// The claims that each pod names, and its position among the pods of each.
  private final Map<String, Map<String, Long>> claimsOf = new HashMap<>();

  private final Set<String> freed = new TreeSet<>();
  private long next;

  /// Records the claims that the pod names now.
  void seen(Pod pod, boolean over) {
    String key = key(pod.getMetadata(), pod.getMetadata().getName());
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
      byClaim
          .computeIfAbsent(claim, _ -> new ConcurrentSkipListMap<>())
          .merge(
              position,
              sharer,
              (known, seen) -> Objects.equals(known.uid, seen.uid) && hasNode(pod) ? known : seen);
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
    Sharer left = sharers.remove(position);
    if (sharers.isEmpty()) {
      byClaim.remove(claim);
    } else if (first || (left != null && left.kept.isPresent())) {
      freed.add(claim);
    }
  }

  static boolean hasNode(Pod pod) {
    return !Objects.requireNonNullElse(pod.getSpec().getNodeName(), "").isEmpty();
  }

  private static String key(ObjectMeta ofNamespace, String pod) {
    return ofNamespace.getNamespace() + "/" + pod;
  }

  // ---- Deleted claims ----

  /// Records that the claim was deleted. Its holders keep it until they end, are gone, or are seen
  /// without a node.
  void deleted(String key, ResourceClaim gone) {
    ResourceClaim claim = held(gone);
    ClaimObjects.holders(claim)
        .forEach(holder -> {
          Long position =
              claimsOf.getOrDefault(key(claim.getMetadata(), holder.name), Map.of()).get(key);
          ConcurrentSkipListMap<Long, Sharer> pods = byClaim.get(key);
          if (position != null && pods != null) {
            pods.computeIfPresent(
                position,
                (_, pod) -> Objects.equals(pod.uid, holder.uid) ? pod.keeping(claim) : pod);
          }
        });
  }

  /// Returns what is read of a claim that its pods keep: its name, devices and holders. Nobody can
  /// make it smaller any more.
  private static ResourceClaim held(ResourceClaim claim) {
    ResourceClaim held = new ResourceClaim();
    held.setMetadata(
        new ObjectMetaBuilder()
            .withNamespace(claim.getMetadata().getNamespace())
            .withName(claim.getMetadata().getName())
            .withUid(claim.getMetadata().getUid())
            .build());
    held.setStatus(claim.getStatus());
    return held;
  }

  /// Returns the deleted claim that the pod keeps.
  Optional<ResourceClaim> kept(Pod pod, String key) {
    ObjectMeta meta = pod.getMetadata();
    return sharer(key(meta, meta.getName()), key)
        .filter(sharer -> Objects.equals(sharer.uid, meta.getUid()))
        .flatMap(Sharer::kept);
  }

  /// Returns the first of its holders that keeps the deleted claim.
  Optional<Sharer> keeper(ResourceClaim claim, String key) {
    return ClaimObjects.holders(claim)
        .filter(holder ->
            sharer(key(claim.getMetadata(), holder.name), key)
                .filter(pod -> Objects.equals(pod.uid, holder.uid))
                .flatMap(Sharer::kept)
                .filter(kept -> ClaimObjects.isSame(kept, claim))
                .isPresent())
        .findFirst();
  }

  private Optional<Sharer> sharer(String pod, String claim) {
    return Optional.ofNullable(claimsOf.getOrDefault(pod, Map.of()).get(claim))
        .flatMap(
            position -> Optional.ofNullable(byClaim.get(claim)).map(pods -> pods.get(position)));
  }

  // ---- Present claims ----

  /// Returns, once, the claims that a pod which counted for them left to others. The pods that name
  /// them must be read again.
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
