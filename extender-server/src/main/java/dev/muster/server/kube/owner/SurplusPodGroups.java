package dev.muster.server.kube.owner;

import dev.muster.core.gang.GangId;
import dev.muster.server.kube.client.ObjectRef;
import dev.muster.server.kube.owner.KnownOwners.Owner;
import dev.muster.server.kube.owner.kind.OwnerKind;
import dev.muster.server.kube.owner.kind.OwnerKinds;
import dev.muster.server.kube.owner.kind.OwnerKinds.OwnerKey;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.OwnerReference;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The PodGroups of replicas that their owners gave up. The owner still exists, so Kubernetes does
/// not delete them.
final class SurplusPodGroups {
  private static final Pattern REPLICA = Pattern.compile("-(\\d{1,6})(\\..*)?");

  /// The PodGroup of a replica.
  ///
  /// @param main the main gang of the replica
  /// @param uid uid of the PodGroup
  private record Site(OwnerKey key, ObjectRef owner, int replica, GangId main, String uid) {}

  private final Map<GangId, Site> sites = new HashMap<>();
  private final Map<OwnerKey, Set<GangId>> byOwner = new HashMap<>();

  /// The PodGroups that were given up, or may have been since the last look.
  private final Map<GangId, Site> doubtful = new HashMap<>();

  private final PodGroupRequests requests = new PodGroupRequests();

  /// Notes that the PodGroup exists.
  void note(OwnerKinds kinds, GangId gang, GenericKubernetesResource podGroup) {
    remove(gang);
    for (OwnerReference reference :
        Objects.requireNonNullElse(
            podGroup.getMetadata().getOwnerReferences(), List.<OwnerReference>of())) {
      kinds
          .find(reference.getApiVersion(), reference.getKind())
          .flatMap(kind -> site(kind, reference, gang, podGroup))
          .ifPresent(site -> put(gang, site));
    }
  }

  private void put(GangId gang, Site site) {
    remove(gang);
    sites.put(gang, site);
    byOwner.computeIfAbsent(site.key, _ -> new HashSet<>()).add(gang);
    doubtful.put(gang, site);
  }

  private void remove(GangId gang) {
    doubtful.remove(gang);
    Site site = sites.remove(gang);
    if (site != null) {
      byOwner.computeIfPresent(
          site.key,
          (_, gangs) -> {
            gangs.remove(gang);
            return gangs.isEmpty() ? null : gangs;
          });
    }
  }

  /// Notes that the owner changed.
  void changed(OwnerKey owner) {
    for (GangId gang : byOwner.getOrDefault(owner, Set.of())) {
      doubtful.put(gang, Objects.requireNonNull(sites.get(gang)));
    }
  }

  private static Optional<Site> site(
      OwnerKind kind, OwnerReference reference, GangId gang, GenericKubernetesResource podGroup) {
    String whole = OwnerKinds.prefix(kind, reference.getName());
    Matcher rest = REPLICA.matcher(gang.name());
    if (!gang.name().startsWith(whole)
        || !rest.region(whole.length(), gang.name().length()).matches()) {
      return Optional.empty();
    }
    ObjectRef owner =
        new ObjectRef(
            reference.getApiVersion(),
            reference.getKind(),
            gang.namespace(),
            reference.getName(),
            reference.getUid());
    return Optional.of(
        new Site(
            OwnerKey.of(kind, gang.namespace() + "/" + reference.getName()),
            owner,
            Integer.parseInt(rest.group(1)),
            new GangId(gang.namespace(), gang.origin(), whole + "-" + rest.group(1)),
            podGroup.getMetadata().getUid()));
  }

  /// Forgets a PodGroup that is gone.
  void forget(GangId gang) {
    remove(gang);
    requests.close(gang);
  }

  /// Returns the PodGroups to delete now: their owner wants fewer replicas, and they have no pods.
  List<WantedPodGroup> due(KnownOwners owners, OwnerPods pods, Instant now) {
    List<WantedPodGroup> due = new ArrayList<>();
    doubtful
        .values()
        .removeIf(site -> owners.get(site.key).filter(owner -> gaveUp(owner, site)).isEmpty());
    requests.retain(doubtful.keySet());
    doubtful.forEach((gang, site) -> {
      if (pods.hasLive(site.main)) {
        requests.close(gang);
        return;
      }
      requests.open(gang, site.owner.uid());
      if (requests.isDue(gang, now)) {
        requests.requested(gang, now);
        due.add(WantedPodGroup.surplus(gang, site.owner, site.uid));
      }
    });
    return due;
  }

  private static boolean gaveUp(Owner owner, Site site) {
    return owner.exists()
        && owner.facts().object().uid().equals(site.owner.uid())
        && owner.facts().desired().isPresent()
        && site.replica >= owner.facts().desired().getAsInt();
  }
}
