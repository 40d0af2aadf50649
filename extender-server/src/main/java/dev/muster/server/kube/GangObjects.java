package dev.muster.server.kube;

import dev.muster.core.gang.GangId;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.Optional;

/// The PodGroups as they stand.
@FunctionalInterface
interface GangObjects {
  /// The object that declares the gang; empty for a lone pod and for a gang without a PodGroup.
  Optional<GenericKubernetesResource> find(GangId gang);
}
