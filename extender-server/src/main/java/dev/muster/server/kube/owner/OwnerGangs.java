package dev.muster.server.kube.owner;

import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.server.kube.client.WellKnownNames;
import dev.muster.server.kube.owner.OwnerKinds.Claim;
import dev.muster.server.kube.owner.OwnerKinds.OwnerKey;
import dev.muster.server.kube.owner.OwnerPods.Noted;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The gangs of owners: which pods form one, and the PodGroups that Muster writes for them.
///
/// **Goals.** A pod of a known kind of owner is a member before its first decision, whatever comes
/// first: the pod, its owner or the PodGroup. An event of one pod costs the same however many pods
/// the owner has. A status of an owner costs nothing.
///
/// **Algorithm.** The pod states owner and role. The owner states the size of the gang. Muster's
/// PodGroup follows the size; until it does, the size of the owner is in force. What is missing is
/// requested again and again, so lost requests and restarts need no separate handling.
public final class OwnerGangs {
  private static final Duration FIRST_RETRY = Duration.ofSeconds(2);
  private static final Duration LONGEST_RETRY = Duration.ofMinutes(1);

  /// What the gangs of owners depend on, and what depends on them.
  ///
  /// @param namespaceLabels labels of a namespace; empty if it is unknown
  /// @param listed true if all owners of a kind are known
  /// @param declares true if the cluster serves the PodGroups that Muster writes
  /// @param groups the PodGroup of a gang
  /// @param again reads a pod again, by its key
  /// @param groupAgain reads a PodGroup again, by its key
  /// @param maker creates or changes a PodGroup; must tolerate repeated requests
  /// @param clock time of retries
  public record Ends(
      Function<String, Map<String, String>> namespaceLabels,
      Function<OwnerKind, Boolean> listed,
      BooleanSupplier declares,
      Function<GangId, Optional<GenericKubernetesResource>> groups,
      Consumer<String> again,
      Consumer<String> groupAgain,
      Consumer<WantedPodGroup> maker,
      InstantSource clock) {}

  /// An owner.
  ///
  /// @param exists false if it was deleted while pods of it are left
  private record Owner(OwnerFacts facts, boolean exists) {}

  /// A PodGroup that differs from what is wanted.
  private record Due(Instant at, Duration pause) {}

  private final OwnerKinds kinds;
  private final List<String> accelerators;
  private final Ends ends;
  private final Map<OwnerKey, Owner> owners = new HashMap<>();
  private final OwnerPods pods = new OwnerPods();

  /// Owners that were deleted, until their last pods are.
  private final Set<OwnerKey> gone = new HashSet<>();

  private final OwnerPods.UnknownOwners unknown = new OwnerPods.UnknownOwners();

  /// A claim for each gang with pods.
  private final Map<GangId, Claim> sites = new HashMap<>();

  private final Map<GangId, Due> unsettled = new HashMap<>();

  /// The kinds that were switched on at the last look.
  private Set<OwnerKind> on = Set.of();

  private boolean active;

  public OwnerGangs(OwnerKinds kinds, List<String> accelerators, Ends ends) {
    this.kinds = kinds;
    this.accelerators = List.copyOf(accelerators);
    this.ends = ends;
  }

  /// Returns gangs of no owner.
  public static OwnerGangs none() {
    return new OwnerGangs(
        OwnerKinds.NONE,
        List.of(),
        new Ends(
            _ -> Map.of(),
            _ -> false,
            () -> false,
            _ -> Optional.empty(),
            _ -> {},
            _ -> {},
            _ -> {},
            InstantSource.system()));
  }

  /// Returns the gang that the owner of the pod has; empty if it has none.
  public Optional<GangId> gangOf(OwnedPod pod) {
    return kinds.claim(pod).filter(this::isOn).flatMap(this::gang);
  }

  /// Returns the gang that the pod may be in, while the owners are not listed yet.
  public Optional<GangId> mayBeIn(OwnedPod pod) {
    return kinds.claim(pod).filter(claim -> claim.role().certain()).map(Claim::gang);
  }

  /// A pod waits for an owner that is not known yet.
  private synchronized Optional<GangId> gang(Claim claim) {
    Owner owner = owners.get(claim.owner());
    return owner == null
        ? Optional.of(claim.gang()).filter(_ -> mayAppear(claim))
        : owner.facts.gang(claim);
  }

  private synchronized boolean mayAppear(Claim claim) {
    return claim.role().certain() && !unknown.isMissing(claim.owner());
  }

  /// True if the owner of the pod decides whether it is in a gang. Its user needs no hint.
  public boolean isDecided(OwnedPod pod) {
    return kinds
        .claim(pod)
        .filter(claim -> mayAppear(claim) && isWatched(claim.kind()))
        .isPresent();
  }

  private boolean isWatched(OwnerKind kind) {
    return ends.declares().getAsBoolean() && ends.listed().apply(kind);
  }

  private boolean isOn(Claim claim) {
    return isWatched(claim.kind())
        && !WellKnownNames.DISABLED.equals(
            ends.namespaceLabels()
                .apply(claim.gang().namespace())
                .get(WellKnownNames.NAMESPACE_OWNER_GANGS));
  }

  /// Records the current state of the pod with this key, before its own facts are passed on.
  ///
  /// @param pod the pod; empty if it is gone, or none that Muster schedules
  public void pod(String key, Optional<? extends HasMetadata> pod) {
    Optional<Noted> noted =
        pod.flatMap(found ->
            kinds
                .claim(OwnedPod.of(found))
                .map(
                    claim -> new Noted(claim, found.getMetadata().getDeletionTimestamp() == null)));
    Set<GangId> changed;
    synchronized (this) {
      changed = due(pods.note(key, noted));
      noted
          .map(Noted::claim)
          .filter(claim -> claim.role().certain() && !owners.containsKey(claim.owner()))
          .ifPresent(claim -> unknown.note(claim.owner(), ends.clock().instant()));
    }
    changed.forEach(this::follow);
  }

  /// Reads the pods of switched kinds and namespaces again. Called often, and before scheduling
  /// starts.
  ///
  /// @param namespaces those that switched the gangs of owners on or off
  public void reread(Set<String> namespaces) {
    Set<OwnerKind> now = new HashSet<>(kinds.kinds());
    now.removeIf(kind -> !isWatched(kind));
    Set<String> rereadPods;
    Set<GangId> gangs;
    synchronized (this) {
      Predicate<OwnerKind> switched = kind -> on.contains(kind) != now.contains(kind);
      if (namespaces.isEmpty() && kinds.kinds().stream().noneMatch(switched)) {
        return;
      }
      Predicate<Claim> which =
          claim -> switched.test(claim.kind()) || namespaces.contains(claim.gang().namespace());
      rereadPods = pods.pods(which);
      gangs = due(pods.claims(which));
      on = now;
    }
    rereadPods.forEach(ends.again());
    gangs.forEach(this::follow);
  }

  /// Notes that the PodGroups for pods with these claims are to be compared with their owners.
  private Set<GangId> due(Set<Claim> claims) {
    Set<GangId> gangs = new HashSet<>();
    for (Claim claim : claims) {
      Owner owner = owners.get(claim.owner());
      Optional<GangId> gang = owner == null ? Optional.empty() : owner.facts.gang(claim);
      gang.ifPresent(found -> {
        gangs.add(found);
        sites.put(found, claim);
        unsettled.put(found, new Due(Instant.MIN, FIRST_RETRY));
      });
    }
    return gangs;
  }

  private void follow(GangId gang) {
    ends.groupAgain().accept(gang.namespace() + "/" + gang.name());
    settle(gang);
  }

  /// Records the current state of an owner.
  ///
  /// @param key `namespace/name`
  /// @param object the owner; empty if it is gone
  public void owner(OwnerKind kind, String key, Optional<GenericKubernetesResource> object) {
    OwnerKey owner = OwnerKey.of(kind, key);
    Optional<OwnerFacts> facts = object.map(found -> OwnerFacts.of(kind, found, accelerators));
    Set<String> rereadPods;
    Set<GangId> gangs;
    synchronized (this) {
      Owner before = owners.get(owner);
      if (facts.isEmpty()) {
        forget(owner, before);
        return;
      }
      boolean stays = object.get().getMetadata().getDeletionTimestamp() == null;
      if (before != null && before.exists == stays && before.facts.equals(facts.get())) {
        return;
      }
      owners.put(owner, new Owner(facts.get(), stays));
      gone.remove(owner);
      unknown.found(owner);
      boolean stay =
          before != null
              && before.facts.partOf().equals(facts.get().partOf())
              && before.facts.parts().keySet().equals(facts.get().parts().keySet());
      rereadPods = stay ? Set.of() : pods.pods(owner);
      gangs = due(pods.claims(owner));
    }
    rereadPods.forEach(ends.again());
    gangs.forEach(this::follow);
  }

  /// Keeps what is known of a deleted owner for its last pods.
  private void forget(OwnerKey owner, @Nullable Owner before) {
    if (before != null) {
      owners.put(owner, new Owner(before.facts, false));
      gone.add(owner);
    }
  }

  /// Returns the data of a gang: those of its PodGroup, with the size that its owner has now. Empty
  /// if the PodGroup belongs to an owner that was replaced under its name, and will be deleted.
  public Optional<GangSpec> adjusted(GangSpec spec, GenericKubernetesResource podGroup) {
    synchronized (this) {
      Claim claim = sites.get(spec.id());
      Owner owner = claim == null ? null : owners.get(claim.owner());
      if (claim == null || owner == null) {
        return Optional.of(spec);
      }
      unsettled.putIfAbsent(spec.id(), new Due(Instant.MIN, FIRST_RETRY));
      return switch (OwnerPodGroup.relation(podGroup, owner.facts)) {
        case USERS -> Optional.of(spec);
        case STALE -> Optional.empty();
        case OURS -> Optional.of(OwnerPodGroup.sized(spec, owner.facts.minimum(claim.role())));
      };
    }
  }

  /// Records that the PodGroup of the gang was edited or deleted. If it was requested just now, the
  /// next request waits: somebody may delete it again and again.
  public void edited(GangId gang) {
    synchronized (this) {
      if (sites.containsKey(gang)) {
        unsettled.putIfAbsent(gang, new Due(Instant.MIN, FIRST_RETRY));
      }
    }
    settle(gang);
  }

  /// Requests the PodGroups that are missing or differ from what their owners say. Called often,
  /// once all objects are known.
  public void settle() {
    List<GangId> due;
    Set<String> alone = new HashSet<>();
    synchronized (this) {
      active = true;
      due = List.copyOf(unsettled.keySet());
      unknown.expire(ends.clock().instant()).forEach(owner -> alone.addAll(pods.pods(owner)));
    }
    alone.forEach(ends.again());
    due.forEach(this::settle);
  }

  /// Forgets what the last pods left behind. Called often, also in a standby process.
  public synchronized void prune() {
    gone.removeIf(owner -> !pods.hasPods(owner) && owners.remove(owner) != null);
    unknown.retain(pods::hasPods);
    sites.values().removeIf(claim -> !pods.hasLive(claim.gang()));
    unsettled.keySet().retainAll(sites.keySet());
  }

  private void settle(GangId gang) {
    Optional<GenericKubernetesResource> found = ends.groups().apply(gang);
    Optional<WantedPodGroup> wanted;
    synchronized (this) {
      Due due = unsettled.get(gang);
      Instant now = ends.clock().instant();
      if (!active || due == null || now.isBefore(due.at)) {
        return;
      }
      wanted = wanted(gang, found);
      if (wanted.isEmpty()) {
        unsettled.remove(gang); // the next change of pod, owner or PodGroup notes it again
        return;
      }
      Duration twice = due.pause.multipliedBy(2);
      Duration next = twice.compareTo(LONGEST_RETRY) < 0 ? twice : LONGEST_RETRY;
      unsettled.put(gang, new Due(now.plus(due.pause), next));
    }
    wanted.ifPresent(ends.maker());
  }

  /// Returns the PodGroup to write; empty if there is nothing to write.
  private Optional<WantedPodGroup> wanted(GangId gang, Optional<GenericKubernetesResource> found) {
    Claim claim = sites.get(gang);
    Owner owner = claim == null ? null : owners.get(claim.owner());
    if (claim == null
        || owner == null
        || pods.claims(claim.gang()).stream()
            .noneMatch(live -> owner.facts.gang(live).equals(Optional.of(gang)))) {
      sites.remove(gang);
      return Optional.empty();
    }
    OwnerFacts facts = owner.facts;
    OptionalInt size = facts.minimum(claim.role());
    boolean isOver = claim.role().replica().orElse(0) >= facts.replicas();
    if (size.isEmpty() || !owner.exists || isOver || !isOn(claim)) {
      return Optional.empty();
    }
    return OwnerPodGroup.wanted(gang, facts, size.getAsInt(), found);
  }
}
