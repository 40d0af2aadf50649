package dev.muster.server.kube.owner;

import dev.muster.core.gang.GangId;
import dev.muster.server.kube.owner.kind.OwnerKind;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;

/// What the gangs of owners depend on, and what depends on them.
///
/// @param namespaceLabels labels of a namespace; empty if it is unknown
/// @param listed true if all owners of a kind are known
/// @param declares true if the cluster serves the PodGroups that Muster writes
/// @param groups the PodGroup of a gang
/// @param again reads a pod again, by its key
/// @param groupAgain reads a PodGroup again, by its key
/// @param maker creates, changes or deletes a PodGroup; must tolerate repeated requests
/// @param clock time of retries
public record OwnerEnds(
    Function<String, Map<String, String>> namespaceLabels,
    Function<OwnerKind, Boolean> listed,
    BooleanSupplier declares,
    Function<GangId, Optional<GenericKubernetesResource>> groups,
    Consumer<String> again,
    Consumer<String> groupAgain,
    Consumer<WantedPodGroup> maker,
    InstantSource clock) {
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
        InstantSource.system());
  }
}
