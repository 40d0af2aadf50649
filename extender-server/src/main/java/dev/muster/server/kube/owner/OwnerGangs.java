package dev.muster.server.kube.owner;

import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.server.kube.owner.KnownOwners.Owner;
import dev.muster.server.kube.owner.KnownOwners.Stated;
import dev.muster.server.kube.owner.OwnerPods.Noted;
import dev.muster.server.kube.owner.kind.OwnedPod;
import dev.muster.server.kube.owner.kind.OwnerKind;
import dev.muster.server.kube.owner.kind.OwnerKinds;
import dev.muster.server.kube.owner.kind.OwnerKinds.Claim;
import dev.muster.server.kube.owner.kind.OwnerKinds.OwnerKey;
import dev.muster.server.kube.owner.kind.PodsOver;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

/// The gangs of owners: which pods form one, and the PodGroups that Muster writes for them.
///
/// **Goals.** A pod of a known kind of owner is a member before its first decision, whatever comes
/// first: the pod, its owner or the PodGroup. An event of one pod costs the same however many pods
/// the owner has. A status of an owner costs nothing, unless pods have ended.
///
/// **Algorithm.** The pod states owner and role. The owner states the size of the gang. Muster's
/// PodGroup follows the size; until it does, the size of the owner is in force. What is missing is
/// requested again and again, so lost requests and restarts need no separate handling.
public final class OwnerGangs {
  private final OwnerKinds kinds;
  private final List<String> accelerators;
  private final OwnerEnds ends;
  private final KnownOwners owners = new KnownOwners();
  private final OwnerPods pods = new OwnerPods();
  private final EndedPods ended = new EndedPods(owners);
  private final GangPods numbers = new GangPods(owners, pods, ended);

  /// A claim for each gang with pods.
  private final Map<GangId, Claim> sites = new HashMap<>();

  private final PodGroupRequests unsettled = new PodGroupRequests();

  /// The kinds that were switched on at the last look.
  private Set<OwnerKind> on = Set.of();

  private final FormedGangs formed = new FormedGangs();
  private final DeferredOwners deferred = new DeferredOwners();
  private final SurplusPodGroups surplus = new SurplusPodGroups();
  private boolean active;

  public OwnerGangs(OwnerKinds kinds, List<String> accelerators, OwnerEnds ends) {
    this.kinds = kinds;
    this.accelerators = List.copyOf(accelerators);
    this.ends = ends;
  }

  /// Returns gangs of no owner.
  public static OwnerGangs none() {
    return new OwnerGangs(OwnerKinds.NONE, List.of(), OwnerEnds.none());
  }

  /// Returns the gang that the owner of the pod has, or may have while it is unknown. Empty if the
  /// pod is alone.
  public Optional<GangId> gangOf(OwnedPod pod) {
    Optional<Claim> claim = kinds.claim(pod).filter(ends::isOn);
    synchronized (this) {
      return claim.flatMap(found -> owners.gang(found, pod.hasNode(), ends::isDeclared));
    }
  }

  /// Returns the gang that the pod may be in, while the owners are not listed yet.
  public Optional<GangId> mayBeIn(OwnedPod pod) {
    return kinds.claim(pod).filter(claim -> claim.role().certain()).map(Claim::gang);
  }

  /// True if the owner of the pod decides whether it is in a gang. Its user needs no hint.
  public boolean isDecided(OwnedPod pod) {
    Optional<Claim> claim = kinds.claim(pod).filter(found -> ends.isWatched(found.kind()));
    synchronized (this) {
      return claim.filter(owners::mayAppear).isPresent();
    }
  }

  /// Records the current state of the pod with this key, before its own facts are passed on.
  ///
  /// @param pod the pod; empty if it is gone, or none that Muster schedules
  public void pod(String key, Optional<Pod> pod) {
    Optional<Noted> noted =
        pod.flatMap(found ->
            kinds.claim(OwnedPod.of(found)).map(claim -> Noted.of(claim, found, accelerators)));
    Set<GangId> changed;
    synchronized (this) {
      Optional<Stated> before = pods.claim(key).map(Stated::of);
      changed = due(numbers.note(key, noted));
      before.filter(owner -> !pods.hasPods(owner)).ifPresent(owners::drop);
      noted.map(Noted::claim).ifPresent(claim -> owners.seek(claim, ends.clock().instant()));
    }
    follow(changed, ends.groupNow()); // or the gang could start with an earlier size
  }

  /// Reads the pods of switched kinds and namespaces again, and compares deferred owners. Called
  /// every second, and before scheduling starts.
  ///
  /// @param namespaces those that switched the gangs of owners on or off
  public void reread(Set<String> namespaces) {
    Set<OwnerKind> now = new HashSet<>(kinds.kinds());
    now.removeIf(kind -> !ends.isWatched(kind));
    Set<String> rereadPods = Set.of();
    Set<GangId> gangs = new HashSet<>();
    synchronized (this) {
      Instant at = ends.clock().instant();
      deferred.take(at).forEach(owner -> gangs.addAll(changed(owner, at)));
      Predicate<OwnerKind> switched = kind -> on.contains(kind) != now.contains(kind);
      if (!namespaces.isEmpty() || kinds.kinds().stream().anyMatch(switched)) {
        Predicate<Claim> which =
            claim -> switched.test(claim.kind()) || namespaces.contains(claim.gang().namespace());
        rereadPods = pods.pods(which);
        gangs.addAll(due(pods.claims(which)));
        on = now;
      }
    }
    rereadPods.forEach(ends.again());
    follow(gangs, ends.groupAgain());
  }

  /// Notes that the PodGroups for pods with these claims are to be compared with their owners.
  private Set<GangId> due(Set<Claim> claims) {
    Map<GangId, Claim> found = new HashMap<>();
    claims.forEach(claim -> numbers.count(claim).ifPresent(gang -> found.put(gang, claim)));
    sites.putAll(found);
    found.keySet().forEach(this::open);
    return found.keySet();
  }

  /// Notes that the PodGroup is to be compared with its owner. An owner that is created again has
  /// no pause, but its replicas keep theirs: one write would cause thousands.
  private synchronized void open(GangId gang) {
    Claim claim = sites.get(gang);
    if (claim != null) {
      boolean isWhole = claim.role().replica().isEmpty();
      owners
          .of(claim)
          .map(owner -> isWhole ? owner.facts().object().uid() : "")
          .ifPresent(uid -> unsettled.open(gang, uid));
    }
  }

  private void follow(Set<GangId> gangs, Consumer<String> reader) {
    for (GangId gang : gangs) {
      reader.accept(gang.namespace() + "/" + gang.name());
      settle(gang);
    }
  }

  /// Records the current state of an owner.
  ///
  /// @param key `namespace/name`
  /// @param object the owner; empty if it is gone
  public void owner(OwnerKind kind, String key, Optional<GenericKubernetesResource> object) {
    OwnerKey owner = OwnerKey.of(kind, key);
    if (object.flatMap(OwnerProblem::of).isPresent()) {
      unreadable(owner, object.get().getMetadata());
      return;
    }
    Optional<OwnerFacts> facts = object.map(found -> OwnerFacts.of(kind, found, accelerators));
    Set<String> rereadPods;
    Set<GangId> gangs;
    synchronized (this) {
      if (facts.isEmpty()) {
        owners.forget(owner);
        return;
      }
      Optional<Owner> before = owners.get(owner);
      Owner now = new Owner(facts.get(), object.get().getMetadata().getDeletionTimestamp() == null);
      if (before.equals(Optional.of(now))) {
        return;
      }
      owners.put(owner, now);
      ended.divide(owner);
      surplus.changed(owner);
      boolean stay = before.filter(old -> old.facts().hasPartsOf(now.facts())).isPresent();
      rereadPods = stay ? Set.of() : pods.pods(owner);
      Instant at = ends.clock().instant();
      gangs = stay && deferred.defers(owner, pods.size(owner), at) ? Set.of() : changed(owner, at);
    }
    rereadPods.forEach(ends.again());
    follow(gangs, ends.groupAgain());
  }

  private Set<GangId> changed(OwnerKey owner, Instant now) {
    Set<GangId> gangs = due(pods.claims(owner));
    unsettled.hasten(gangs, now);
    return gangs;
  }

  /// Records that an owner is too large to be read. What was read before stays in force. Pods of an
  /// owner that was never read wait, or they would start without each other.
  private void unreadable(OwnerKey owner, ObjectMeta object) {
    Set<String> rereadPods;
    synchronized (this) {
      rereadPods = owners.suspend(owner, object) ? pods.pods(owner) : Set.of();
    }
    rereadPods.forEach(ends.again());
  }

  /// Records the current state of an object of [OwnerKind#makers].
  ///
  /// @param key `namespace/name`
  /// @param object the object; empty if it is gone
  public void maker(OwnerKind kind, String key, Optional<GenericKubernetesResource> object) {
    Optional<PodsOver> over = object.map(OwnerFacts::fields).flatMap(kind::over);
    Set<GangId> gangs;
    synchronized (this) {
      gangs = ended.note(kind, key, over);
      gangs.retainAll(sites.keySet());
      gangs.forEach(this::open);
    }
    follow(gangs, ends.groupAgain());
  }

  /// Returns the data of a gang: those of its PodGroup, with the size that its owner has now. Empty
  /// if the PodGroup belongs to an owner that was replaced under its name, and will be deleted.
  /// Also empty while the namespace is switched off.
  public Optional<GangSpec> adjusted(GangSpec spec, GenericKubernetesResource podGroup) {
    synchronized (this) {
      surplus.note(kinds, spec.id(), podGroup);
      Claim claim = sites.get(spec.id());
      Optional<Owner> owner = Optional.ofNullable(claim).flatMap(owners::of);
      if (claim == null || owner.isEmpty()) {
        return Optional.of(spec);
      }
      OwnerFacts facts = owner.get().facts();
      open(spec.id());
      return switch (OwnerPodGroup.relation(podGroup, facts)) {
        case USERS -> Optional.of(spec);
        case STALE, ORPHANED -> Optional.empty();
        case OURS -> {
          OptionalInt size = numbers.minimum(spec.id(), claim, facts);
          yield Optional.of(OwnerPodGroup.sized(spec, size))
              .filter(_ ->
                  formed.isInForce(
                      spec.id(),
                      facts,
                      ends.isOff(spec.id().namespace()),
                      () -> OwnerPodGroup.records(podGroup, numbers.started(spec.id()))));
        }
      };
    }
  }

  /// Records that the PodGroup of the gang was edited. If it was requested just now, the next
  /// request waits: somebody may delete it again and again.
  public void edited(GangId gang) {
    open(gang);
    settle(gang);
  }

  /// Records that the PodGroup of the gang was deleted.
  public void gone(GangId gang) {
    synchronized (this) {
      surplus.forget(gang);
    }
    edited(gang);
  }

  /// Requests the PodGroups that are missing or differ from what their owners say. Also requests
  /// the deletion of surplus ones. Called often, once all objects are known.
  public void settle() {
    List<GangId> due;
    List<WantedPodGroup> given;
    List<Stated> sought;
    synchronized (this) {
      active = true;
      Instant now = ends.clock().instant();
      due = unsettled.due(now);
      given = surplus.due(owners, pods, now);
      sought = owners.due(now);
    }
    sought.forEach(owner -> ends.finder().accept(owner.owner(), owner.uid()));
    due.forEach(this::settle);
    given.removeIf(group -> !ends.isDeclared(group.gang()));
    given.forEach(ends.maker());
  }

  /// Records that the API server knows no owner with this key and uid. Its pods are alone.
  public void absent(OwnerKey owner, String uid) {
    Stated stated = new Stated(owner, uid);
    Set<String> alone;
    synchronized (this) {
      alone = owners.miss(stated) ? pods.pods(stated) : Set.of();
    }
    alone.forEach(ends.again());
  }

  /// Forgets what the last pods left behind. Called often, also in a standby process.
  public synchronized void prune() {
    owners.prune(pods::hasPods);
    sites.values().removeIf(claim -> !pods.hasLive(claim.gang()));
    unsettled.retain(sites.keySet());
    formed.retain(sites.keySet());
  }

  private void settle(GangId gang) {
    Optional<GenericKubernetesResource> found = ends.groups().apply(gang);
    Optional<WantedPodGroup> wanted;
    synchronized (this) {
      Instant now = ends.clock().instant();
      if (!active || !unsettled.isDue(gang, now)) {
        return;
      }
      wanted = wanted(gang, found);
      if (wanted.isEmpty()) {
        unsettled.close(gang); // the next change of pod, owner or PodGroup opens it again
        return;
      }
      unsettled.requested(gang, now);
    }
    wanted.ifPresent(ends.maker());
  }

  /// Returns the PodGroup to write; empty if there is nothing to write.
  private Optional<WantedPodGroup> wanted(GangId gang, Optional<GenericKubernetesResource> found) {
    Claim claim = sites.get(gang);
    Optional<Owner> owner = Optional.ofNullable(claim).flatMap(owners::of);
    if (claim == null || owner.isEmpty() || !numbers.hasLive(gang)) {
      sites.remove(gang);
      return Optional.empty();
    }
    OwnerFacts facts = owner.get().facts();
    OptionalInt size = numbers.minimum(gang, claim, facts);
    boolean isOver = claim.role().replica().orElse(0) >= facts.replicas();
    if (size.isEmpty() || !owner.get().exists() || isOver || !ends.isOn(claim)) {
      return Optional.empty();
    }
    boolean isNew = formed.isNew(gang, facts, found.isPresent());
    int started = isNew ? numbers.started(gang) : 0;
    return OwnerPodGroup.wanted(gang, facts, size.getAsInt(), started, found);
  }
}
