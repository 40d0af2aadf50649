package dev.muster.server.kube.owner;

import dev.muster.core.gang.GangId;
import dev.muster.server.kube.client.WellKnownNames;
import dev.muster.server.kube.owner.KnownOwners.Stated;
import dev.muster.server.kube.owner.kind.OwnerKinds.Claim;
import dev.muster.server.kube.owner.kind.OwnerKinds.OwnerKey;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodStatus;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The pods that state an owner. Pods of one role and replica have equal claims. The cost of one
/// pod does not grow with the number of others.
///
/// Tenants choose names and roles, also those of equal hash codes. With these, `Set.copyOf` takes
/// quadratic time, and a `HashSet` of comparable keys does not.
final class OwnerPods {
  /// A pod with its claim.
  ///
  /// @param live true if it is not being deleted
  /// @param stage what the pod does
  /// @param mayUseGpus true if it requests GPUs, or devices by claims or classes
  record Noted(Claim claim, boolean live, Stage stage, boolean mayUseGpus) {
    static Noted of(Claim claim, Pod pod, Collection<String> accelerators) {
      return new Noted(
          claim,
          pod.getMetadata().getDeletionTimestamp() == null,
          Stage.of(pod),
          mayUseGpus(pod.getSpec(), accelerators));
    }

    private static boolean mayUseGpus(PodSpec spec, Collection<String> accelerators) {
      return !Objects.requireNonNullElse(spec.getResourceClaims(), List.of()).isEmpty()
          || Stream.of(spec.getContainers(), spec.getInitContainers())
              .flatMap(List::stream)
              .map(Container::getResources)
              .filter(Objects::nonNull)
              .flatMap(asked -> Stream.of(asked.getLimits(), asked.getRequests()))
              .filter(Objects::nonNull)
              .flatMap(amounts -> amounts.keySet().stream())
              .anyMatch(name ->
                  accelerators.contains(name) || name.startsWith(WellKnownNames.DEVICES_OF_CLASS));
    }
  }

  /// Numbers of live pods: those that are not being deleted.
  ///
  /// @param live all of them
  /// @param started those that run or have succeeded
  /// @param onGpus those that run and may use GPUs
  record Tally(int live, int succeeded, int started, int onGpus) {
    static final Tally NONE = new Tally(0, 0, 0, 0);

    private static Tally of(Noted pod) {
      boolean succeeded = pod.stage == Stage.SUCCEEDED;
      boolean runs = pod.stage == Stage.RUNS;
      return new Tally(
          1, succeeded ? 1 : 0, runs || succeeded ? 1 : 0, runs && pod.mayUseGpus ? 1 : 0);
    }

    Tally plus(Tally other, int times) {
      return new Tally(
          live + times * other.live,
          succeeded + times * other.succeeded,
          started + times * other.started,
          onGpus + times * other.onGpus);
    }
  }

  /// The stages of a pod.
  enum Stage {
    WAITS,
    /// It has a node.
    RUNS,
    SUCCEEDED,
    FAILED;

    private static Stage of(Pod pod) {
      String phase = Optional.ofNullable(pod.getStatus()).map(PodStatus::getPhase).orElse("");
      return switch (phase) {
        case "Succeeded" -> SUCCEEDED;
        case "Failed" -> FAILED;
        default ->
            Objects.requireNonNullElse(pod.getSpec().getNodeName(), "").isEmpty() ? WAITS : RUNS;
      };
    }
  }

  private final Map<String, Noted> byPod = new HashMap<>();

  /// Numbers of live pods by main gang and claim.
  private final Map<GangId, Map<Claim, Tally>> live = new HashMap<>();

  /// Keys of pods, by owner and by the uid of it that they state.
  private final Map<OwnerKey, Map<String, Set<String>>> podsByOwner = new HashMap<>();

  private final Map<OwnerKey, Set<GangId>> gangsByOwner = new HashMap<>();

  /// Records the claim of the pod with this key, or that it has none.
  ///
  /// @return the claims that got their first live pod or lost their last one, or of which another
  ///   number of pods has succeeded
  Set<Claim> note(String key, Optional<Noted> pod) {
    Noted before = pod.isPresent() ? byPod.put(key, pod.get()) : byPod.remove(key);
    Set<Claim> changed = new HashSet<>();
    if (pod.equals(Optional.ofNullable(before))) {
      return changed;
    }
    if (before != null) {
      Stated owner = Stated.of(before.claim);
      podsByOwner.computeIfPresent(owner.owner(), (_, uids) -> without(uids, owner.uid(), key));
      count(before, -1, changed);
    }
    if (pod.isPresent()) {
      Stated owner = Stated.of(pod.get().claim);
      podsByOwner
          .computeIfAbsent(owner.owner(), _ -> new HashMap<>())
          .computeIfAbsent(owner.uid(), _ -> new HashSet<>())
          .add(key);
      count(pod.get(), 1, changed);
    }
    return changed;
  }

  private void count(Noted pod, int times, Set<Claim> changed) {
    if (!pod.live) {
      return;
    }
    Claim claim = pod.claim;
    Map<Claim, Tally> claims = live.computeIfAbsent(claim.gang(), _ -> new HashMap<>());
    Tally before = claims.getOrDefault(claim, Tally.NONE);
    Tally now = before.plus(Tally.of(pod), times);
    if (now.live == 0) {
      claims.remove(claim);
    } else {
      claims.put(claim, now);
    }
    if (before.live == 0 || now.live == 0 || before.succeeded != now.succeeded) {
      changed.add(claim);
    }
    if (claims.isEmpty()) {
      live.remove(claim.gang());
      gangsByOwner.computeIfPresent(claim.owner(), (_, gangs) -> without(gangs, claim.gang()));
    } else {
      gangsByOwner.computeIfAbsent(claim.owner(), _ -> new HashSet<>()).add(claim.gang());
    }
  }

  /// Returns the numbers of live pods with this claim.
  Tally tally(Claim claim) {
    return live.getOrDefault(claim.gang(), Map.of()).getOrDefault(claim, Tally.NONE);
  }

  private static <T> @Nullable Set<T> without(Set<T> all, T one) {
    all.remove(one);
    return all.isEmpty() ? null : all;
  }

  private static @Nullable Map<String, Set<String>> without(
      Map<String, Set<String>> all, String uid, String key) {
    all.computeIfPresent(uid, (_, keys) -> without(keys, key));
    return all.isEmpty() ? null : all;
  }

  /// Returns the claims of live pods with this main gang.
  Set<Claim> claims(GangId main) {
    return new HashSet<>(live.getOrDefault(main, Map.of()).keySet());
  }

  /// Returns the claims of live pods of the owner.
  Set<Claim> claims(OwnerKey owner) {
    Set<Claim> claims = new HashSet<>();
    gangsByOwner.getOrDefault(owner, Set.of()).forEach(main -> claims.addAll(claims(main)));
    return claims;
  }

  /// Returns the number of claims of live pods of the owner.
  int size(OwnerKey owner) {
    return gangsByOwner.getOrDefault(owner, Set.of()).stream()
        .mapToInt(main -> live.getOrDefault(main, Map.of()).size())
        .sum();
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
    return podsByOwner.getOrDefault(owner, Map.of()).values().stream()
        .flatMap(Set::stream)
        .collect(Collectors.toSet());
  }

  /// Returns the pods that state this owner.
  Set<String> pods(Stated owner) {
    return new HashSet<>(
        podsByOwner.getOrDefault(owner.owner(), Map.of()).getOrDefault(owner.uid(), Set.of()));
  }

  /// Returns the claim of the pod with this key; empty if it has none.
  Optional<Claim> claim(String key) {
    return Optional.ofNullable(byPod.get(key)).map(Noted::claim);
  }

  /// True if a pod with this claim is not being deleted.
  boolean hasLive(Claim claim) {
    return live.getOrDefault(claim.gang(), Map.of()).containsKey(claim);
  }

  boolean hasLive(GangId main) {
    return live.containsKey(main);
  }

  boolean hasPods(OwnerKey owner) {
    return podsByOwner.containsKey(owner);
  }

  /// True if a pod states this owner.
  boolean hasPods(Stated owner) {
    return podsByOwner.getOrDefault(owner.owner(), Map.of()).containsKey(owner.uid());
  }
}
