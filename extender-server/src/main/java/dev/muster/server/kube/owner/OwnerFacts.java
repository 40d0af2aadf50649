package dev.muster.server.kube.owner;

import dev.muster.core.gang.GangId;
import dev.muster.server.kube.client.ObjectMetadata;
import dev.muster.server.kube.client.ObjectRef;
import dev.muster.server.kube.owner.kind.Fields;
import dev.muster.server.kube.owner.kind.OwnerKind;
import dev.muster.server.kube.owner.kind.OwnerKinds;
import dev.muster.server.kube.owner.kind.OwnerKinds.Claim;
import dev.muster.server.kube.owner.kind.OwnerKinds.OwnerKey;
import dev.muster.server.kube.owner.kind.OwnerRole;
import dev.muster.server.kube.owner.kind.PodRole;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

/// What is read of one owner. It changes only if its gangs change, not with each status.
///
/// Roles whose pods are created at once are one gang. Each later role is a gang of its own: its
/// pods do not exist before those of other roles run, so nothing could wait for all of them.
///
/// @param object the owner
/// @param partOf part of each role
/// @param parts gangs of one replica of the owner, by part: the main one has the empty name, others
///   have the name of their role
/// @param desired replicas with gangs of their own that it wants; empty if it is not so divided
/// @param replicas most replicas at once
/// @param labels its labels
/// @param annotations its annotations about the gang
record OwnerFacts(
    ObjectRef object,
    SortedMap<String, String> partOf,
    SortedMap<String, Part> parts,
    OptionalInt desired,
    int replicas,
    SortedMap<String, String> labels,
    SortedMap<String, String> annotations) {
  private static final String MAIN = "";

  /// The name of no part: no role is named so.
  private static final String NONE = "/";

  /// Labels beyond this number are not copied, except those of Muster and Kueue.
  private static final int LABELS = 50;

  /// Roles of a deleted owner that are kept for its last pods.
  private static final int ROLES = 500;

  /// One gang of an owner.
  ///
  /// @param minimum pods without which it does not start
  /// @param over pods that have ended for good, as far as the owner states it
  /// @param mayRequestGpus true if some of its pods may request GPUs
  record Part(int minimum, int over, boolean mayRequestGpus) {
    Part plus(Part other) {
      return new Part(
          Math.min(Fields.MOST, minimum + other.minimum),
          over + other.over,
          mayRequestGpus || other.mayRequestGpus);
    }

    Part atMost(int least) {
      return new Part(Math.clamp(least, 1, minimum), over, mayRequestGpus);
    }

    /// A single pod needs no gang, and Muster schedules only gangs with GPUs by itself.
    boolean isGang() {
      return minimum > 1 && mayRequestGpus;
    }
  }

  static OwnerFacts of(
      OwnerKind kind, GenericKubernetesResource owner, Collection<String> accelerators) {
    Map<String, String> labels = ObjectMetadata.labels(owner);
    Map<String, String> annotations = ObjectMetadata.annotations(owner);
    Fields fields = fields(owner);
    SortedMap<String, String> partOf = new TreeMap<>();
    SortedMap<String, Part> parts = new TreeMap<>();
    if (!OwnerProblem.formsNoGang(owner)) {
      for (OwnerRole role : kind.roles(fields)) {
        if (!role.template().namesGang()) { // its pods belong to the PodGroup that they name
          String part = role.later() ? role.name() : MAIN;
          partOf.put(role.name(), part);
          parts.merge(
              part,
              new Part(role.count(), role.over(), role.template().mayRequestGpus(accelerators)),
              Part::plus);
        }
      }
    }
    parts.values().removeIf(part -> !part.isGang());
    kind.minimum(fields)
        .ifPresent(minimum -> parts.computeIfPresent(MAIN, (_, part) -> part.atMost(minimum)));
    return new OwnerFacts(
        ObjectRef.to(owner),
        partOf,
        parts,
        kind.replicas(fields),
        kind.mostReplicas(fields),
        GangMetadata.labels(labels, LABELS),
        GangMetadata.annotations(annotations));
  }

  /// Returns the fields of an owner, or of an object between it and its pods.
  static Fields fields(GenericKubernetesResource object) {
    Map<String, Object> all = new HashMap<>(object.getAdditionalProperties());
    all.put(
        "metadata",
        Map.of(
            "labels", ObjectMetadata.labels(object),
            "annotations", ObjectMetadata.annotations(object)));
    return new Fields(all);
  }

  /// Returns what the last pods of a deleted owner need: no PodGroup is written for it any more.
  /// Nobody can make it smaller, so it is empty if it had very many roles.
  Optional<OwnerFacts> ofLastPods() {
    return partOf.size() > ROLES
        ? Optional.empty()
        : Optional.of(
            new OwnerFacts(
                object, partOf, parts, desired, replicas, new TreeMap<>(), new TreeMap<>()));
  }

  /// True if pods of each role are in the same gang for both.
  boolean hasPartsOf(OwnerFacts other) {
    return object.uid().equals(other.object.uid())
        && partOf.equals(other.partOf)
        && parts.keySet().equals(other.parts.keySet());
  }

  /// Returns the part of a pod in this role; the name of no part if it is in none.
  String part(PodRole role) {
    return part(role.role());
  }

  String part(String role) {
    return partOf.getOrDefault(role, NONE);
  }

  /// Returns the minimum of the gang of a pod in this role: what the pod states, else the owner.
  /// Empty if the pod is in no gang.
  OptionalInt minimum(PodRole role) {
    Part part = parts.get(part(role));
    return part == null
        ? OptionalInt.empty()
        : OptionalInt.of(Math.max(1, role.size().orElse(part.minimum())));
  }

  /// Returns the number of pods in this part that have ended for good.
  ///
  /// @param more those that other objects than the owner state
  int over(String part, EndedPods more, OwnerKey owner) {
    return Optional.ofNullable(parts.get(part)).map(Part::over).orElse(0) + more.of(owner, part);
  }

  /// Returns the gang of a pod with this claim; empty if it is in none. A role that the owner does
  /// not have is in none.
  Optional<GangId> gang(Claim claim) {
    String part = part(claim.role());
    return parts.containsKey(part) ? Optional.of(claim.part(part)) : Optional.empty();
  }

  /// Returns the gang of pods in this role of an owner without replicas; empty if they are in none.
  Optional<GangId> gang(OwnerKind kind, String role) {
    return OwnerKinds.claim(kind, object.namespace(), new PodRole(object.name(), role))
        .flatMap(this::gang);
  }
}
