package dev.muster.server.kube.owner;

import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.server.kube.client.ObjectMetadata;
import dev.muster.server.kube.client.WellKnownNames;
import dev.muster.server.kube.owner.kind.Fields;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.OwnerReference;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Compares a PodGroup with what its owner wants.
final class OwnerPodGroup {
  private OwnerPodGroup() {}

  enum Relation {
    /// A PodGroup that Muster wrote for this owner.
    OURS,
    /// A PodGroup that Muster wrote for an earlier owner of this name. Kubernetes deletes it.
    STALE,
    /// A PodGroup that Muster wrote for an earlier owner, which was deleted without it. Kubernetes
    /// removed its reference, so nobody else deletes it.
    ORPHANED,
    /// A PodGroup of a user, which is left as it is.
    USERS
  }

  /// Returns whose PodGroup it is, by its owner references. Without any, the record of Muster
  /// decides.
  static Relation relation(GenericKubernetesResource podGroup, OwnerFacts owner) {
    List<OwnerReference> references =
        Objects.requireNonNullElse(podGroup.getMetadata().getOwnerReferences(), List.of());
    for (OwnerReference reference : references) {
      if (owner.object().kind().equals(reference.getKind())
          && owner.object().name().equals(reference.getName())) {
        return owner.object().uid().equals(reference.getUid()) ? Relation.OURS : Relation.STALE;
      }
    }
    String writtenFor =
        ObjectMetadata.annotations(podGroup).getOrDefault(WellKnownNames.OWNER_UID, "");
    if (!references.isEmpty() || writtenFor.isEmpty()) {
      return Relation.USERS;
    }
    return owner.object().uid().equals(writtenFor) ? Relation.OURS : Relation.ORPHANED;
  }

  /// Returns the PodGroup to write or delete; empty if there is nothing to do.
  ///
  /// @param found the PodGroup of this name, if there is one
  /// @param started pods that started before the gang was formed, if that is being done now; the
  ///   PodGroup records them, so the gang counts as one that runs with them
  static Optional<WantedPodGroup> wanted(
      GangId gang,
      OwnerFacts facts,
      int minimum,
      int started,
      Optional<GenericKubernetesResource> found) {
    if (found.isEmpty()) {
      return Optional.of(
          new WantedPodGroup(
              gang,
              facts.object(),
              minimum,
              new TreeMap<>(facts.labels()),
              annotations(facts, started),
              Optional.empty()));
    }
    return switch (relation(found.get(), facts)) {
      case OURS -> changed(gang, facts, minimum, started, found.get());
      case ORPHANED ->
          Optional.of(
              WantedPodGroup.surplus(gang, facts.object(), found.get().getMetadata().getUid()));
      case STALE, USERS -> Optional.empty();
    };
  }

  private static SortedMap<String, @Nullable String> annotations(OwnerFacts facts, int started) {
    SortedMap<String, @Nullable String> annotations = new TreeMap<>(facts.annotations());
    annotations.put(WellKnownNames.OWNER_UID, facts.object().uid());
    if (started > 0) {
      annotations.put(WellKnownNames.RAN_WITH, String.valueOf(started));
    }
    return annotations;
  }

  /// True if the PodGroup records that this number of its pods runs, or if none does.
  static boolean records(GenericKubernetesResource podGroup, int started) {
    return started == 0
        || String.valueOf(started)
            .equals(ObjectMetadata.annotations(podGroup).get(WellKnownNames.RAN_WITH));
  }

  private static Optional<WantedPodGroup> changed(
      GangId gang, OwnerFacts facts, int minimum, int started, GenericKubernetesResource is) {
    SortedMap<String, @Nullable String> annotations = annotations(facts, started);
    Map<String, String> there = GangMetadata.annotations(ObjectMetadata.annotations(is));
    for (String key : there.keySet()) {
      if (!annotations.containsKey(key)) {
        annotations.put(key, null); // a user may have added it, or the owner lost it
      }
    }
    SortedMap<String, @Nullable String> labels = new TreeMap<>(facts.labels());
    Map<String, String> labelled = ObjectMetadata.labels(is);
    boolean moved = false; // the owner left its queue
    for (String key : GangMetadata.QUEUES) {
      if (labelled.containsKey(key) && !labels.containsKey(key)) {
        labels.put(key, null);
        moved = true;
      }
    }
    boolean same =
        new Fields(is.getAdditionalProperties())
                .at("spec", "minMember")
                .number()
                .equals(OptionalInt.of(minimum))
            && there.equals(facts.annotations())
            && records(is, started)
            && !moved
            && labelled.entrySet().containsAll(facts.labels().entrySet());
    return same
        ? Optional.empty()
        : Optional.of(
            new WantedPodGroup(
                gang,
                facts.object(),
                minimum,
                labels,
                annotations,
                Optional.of(is.getMetadata().getUid())));
  }

  /// Returns the data with the size that the owner has now.
  static GangSpec sized(GangSpec spec, OptionalInt size) {
    int minimum = size.orElse(spec.minCount());
    return spec.upTo(Optional.empty())
        .starting(minimum)
        .upTo(spec.maxCount().map(most -> Math.max(most, minimum)));
  }
}
