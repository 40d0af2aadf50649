package dev.muster.server.kube.owner;

import dev.muster.server.kube.owner.kind.OwnerKind;
import dev.muster.server.kube.owner.kind.OwnerKinds.OwnerKey;
import dev.muster.server.kube.owner.kind.PodsOver;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/// The pods that have ended for good, as the objects between owners and pods state it.
///
/// An object without such pods takes no memory.
final class EndedPods {
  private record Known(OwnerKey owner, Map<String, Integer> byRole) {}

  private final Map<String, Known> byMaker = new HashMap<>();
  private final Map<OwnerKey, Map<String, Integer>> byOwner = new HashMap<>();

  /// Records the state of an object of [OwnerKind#makers].
  ///
  /// @param key `namespace/name`
  /// @param over its pods that have ended; empty if it is gone
  /// @return the owner for which the numbers changed
  Optional<OwnerKey> note(OwnerKind kind, String key, Optional<PodsOver> over) {
    Optional<Known> now =
        over.filter(pods -> !pods.byRole().isEmpty())
            .map(pods -> new Known(owner(kind, key, pods.owner()), pods.byRole()));
    String maker = kind.api().kind() + "/" + key;
    Known before = now.isPresent() ? byMaker.put(maker, now.get()) : byMaker.remove(maker);
    if (now.equals(Optional.ofNullable(before))) {
      return Optional.empty();
    }
    Optional.ofNullable(before).ifPresent(old -> add(old, -1));
    now.ifPresent(known -> add(known, 1));
    return now.or(() -> Optional.ofNullable(before)).map(Known::owner);
  }

  private static OwnerKey owner(OwnerKind kind, String key, String name) {
    return OwnerKey.of(kind, key.substring(0, key.indexOf('/') + 1) + name);
  }

  private void add(Known known, int times) {
    Map<String, Integer> sums = byOwner.computeIfAbsent(known.owner, _ -> new HashMap<>());
    known.byRole.forEach((role, pods) -> sums.merge(role, times * pods, Integer::sum));
    sums.values().removeIf(sum -> sum == 0);
    if (sums.isEmpty()) {
      byOwner.remove(known.owner);
    }
  }

  /// Returns the number of pods of the owner in these roles that have ended for good.
  int of(OwnerKey owner, Predicate<String> roles) {
    int ended = 0;
    for (Map.Entry<String, Integer> role : byOwner.getOrDefault(owner, Map.of()).entrySet()) {
      ended += roles.test(role.getKey()) ? role.getValue() : 0;
    }
    return ended;
  }
}
