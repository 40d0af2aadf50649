package dev.muster.server.kube.owner;

import dev.muster.core.gang.GangId;
import dev.muster.server.kube.client.WellKnownNames;
import dev.muster.server.kube.owner.kind.OwnerKind;
import dev.muster.server.kube.owner.kind.OwnerKinds.Claim;
import dev.muster.server.kube.owner.kind.OwnerKinds.OwnerKey;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;

/// What the gangs of owners depend on, and what depends on them.
///
/// @param namespaceLabels labels of a namespace; empty if it is unknown
/// @param watched true if all owners of a kind are known or will be
/// @param declares true if the cluster serves the PodGroups that Muster writes
/// @param groups the PodGroup of a gang
/// @param again reads a pod again, by its key; at once or in its turn
/// @param groupAgain reads a PodGroup again, by its key; at once or in its turn
/// @param groupNow reads a PodGroup again at once, by its key
/// @param maker creates, changes or deletes a PodGroup; must tolerate repeated requests
/// @param finder asks if the owner with this key and uid exists, perhaps later; the uid may be
///   empty. Calls [OwnerGangs#absent] if it does not
/// @param clock time of retries
public record OwnerEnds(
    Function<String, Map<String, String>> namespaceLabels,
    Function<OwnerKind, Boolean> watched,
    BooleanSupplier declares,
    Function<GangId, Optional<GenericKubernetesResource>> groups,
    Consumer<String> again,
    Consumer<String> groupAgain,
    Consumer<String> groupNow,
    Consumer<WantedPodGroup> maker,
    BiConsumer<OwnerKey, String> finder,
    InstantSource clock) {
  /// True if the owners of this kind can have gangs.
  boolean isWatched(OwnerKind kind) {
    return declares.getAsBoolean() && watched.apply(kind);
  }

  /// True if the gang has a PodGroup.
  boolean isDeclared(GangId gang) {
    return groups.apply(gang).isPresent();
  }

  /// True if the owner of pods with this claim can have gangs.
  boolean isOn(Claim claim) {
    return isWatched(claim.kind()) && !isOff(claim.gang().namespace());
  }

  /// True if owners in the namespace have no gangs, since it switched them off.
  boolean isOff(String namespace) {
    return WellKnownNames.DISABLED.equals(
        namespaceLabels.apply(namespace).get(WellKnownNames.NAMESPACE_OWNER_GANGS));
  }

  /// Returns the ends of gangs of no owner.
  static OwnerEnds none() {
    return new OwnerEnds(
        _ -> Map.of(),
        _ -> false,
        () -> false,
        _ -> Optional.empty(),
        _ -> {},
        _ -> {},
        _ -> {},
        _ -> {},
        (_, _) -> {},
        InstantSource.system());
  }
}
