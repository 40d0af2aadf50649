package dev.muster.server.kube.owner;

import dev.muster.core.gang.GangId;
import dev.muster.server.kube.owner.KnownOwners.Owner;
import dev.muster.server.kube.owner.KnownOwners.Stated;
import dev.muster.server.kube.owner.kind.OwnerKind;
import dev.muster.server.kube.owner.kind.OwnerKinds.OwnerKey;
import dev.muster.server.kube.owner.kind.PodsOver;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The pods that have ended for good, as the objects between owners and pods state it.
///
/// An object without such pods takes no memory. One object, or one look at a sum, costs the same
/// however many other objects and roles the owner has.
final class EndedPods {
  /// What an object states.
  ///
  /// @param byRole number of ended pods in each role
  private record Known(Stated owner, Map<String, Integer> byRole) {}

  /// The sums of an owner, by role and by part.
  private record Sums(Map<String, Integer> byRole, Map<String, Integer> byPart) {
    Sums() {
      this(new HashMap<>(), new HashMap<>());
    }
  }

  private final KnownOwners owners;
  private final Map<String, Known> byMaker = new HashMap<>();
  private final Map<Stated, Sums> byOwner = new HashMap<>();

  /// @param owners the owners, which state the part of each role
  EndedPods(KnownOwners owners) {
    this.owners = owners;
  }

  /// Records the state of an object of [OwnerKind#makers].
  ///
  /// @param key `namespace/name`
  /// @param over its pods that have ended; empty if it is gone
  /// @return a new set of the gangs for which the numbers changed
  Set<GangId> note(OwnerKind kind, String key, Optional<PodsOver> over) {
    Optional<Known> now =
        over.filter(pods -> !pods.byRole().isEmpty())
            .map(pods -> new Known(owner(kind, key, pods), pods.byRole()));
    String maker = kind.api().kind() + "/" + key;
    Known before = now.isPresent() ? byMaker.put(maker, now.get()) : byMaker.remove(maker);
    if (now.equals(Optional.ofNullable(before))) {
      return new HashSet<>();
    }
    Optional.ofNullable(before).ifPresent(old -> add(old, -1));
    now.ifPresent(known -> add(known, 1));
    return Stream.concat(Stream.ofNullable(before), now.stream())
        .flatMap(known -> gangs(kind, known))
        .collect(Collectors.toCollection(HashSet::new));
  }

  private Stream<GangId> gangs(OwnerKind kind, Known known) {
    Stream<OwnerFacts> facts = owners.get(known.owner.owner()).map(Owner::facts).stream();
    return facts.flatMap(
        owner -> known.byRole.keySet().stream().flatMap(role -> owner.gang(kind, role).stream()));
  }

  private static Stated owner(OwnerKind kind, String key, PodsOver pods) {
    String namespace = key.substring(0, key.indexOf('/') + 1);
    return new Stated(OwnerKey.of(kind, namespace + pods.owner()), pods.uid());
  }

  private void add(Known known, int times) {
    Sums sums = byOwner.computeIfAbsent(known.owner, _ -> new Sums());
    known.byRole.forEach((role, pods) -> {
      add(sums.byRole, role, times * pods);
      add(sums.byPart, part(known.owner, role), times * pods);
    });
    if (sums.byRole.isEmpty()) {
      byOwner.remove(known.owner);
    }
  }

  private static void add(Map<String, Integer> sums, String name, int pods) {
    if (sums.merge(name, pods, Integer::sum) == 0) {
      sums.remove(name);
    }
  }

  private String part(Stated owner, String role) {
    return owners.get(owner.owner()).map(known -> known.facts().part(role)).orElse("");
  }

  /// Adds up the parts of an owner again. To be called when the owner was written.
  void divide(OwnerKey owner) {
    for (Stated stated : stated(owner)) {
      Sums sums = byOwner.get(stated);
      if (sums != null) {
        sums.byPart.clear();
        sums.byRole.forEach((role, pods) -> add(sums.byPart, part(stated, role), pods));
      }
    }
  }

  /// Returns the number of pods of a part of the owner that have ended for good. Those of a deleted
  /// owner with its name do not count.
  int of(OwnerKey owner, String part) {
    return stated(owner).stream()
        .map(byOwner::get)
        .filter(Objects::nonNull)
        .mapToInt(sums -> sums.byPart.getOrDefault(part, 0))
        .sum();
  }

  /// Returns the owner as objects state it: with its uid, or without any.
  private List<Stated> stated(OwnerKey owner) {
    Stated unnamed = new Stated(owner, "");
    return owners
        .get(owner)
        .map(known -> List.of(unnamed, new Stated(owner, known.facts().object().uid())))
        .orElse(List.of(unnamed));
  }
}
