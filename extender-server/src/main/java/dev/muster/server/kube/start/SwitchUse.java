package dev.muster.server.kube.start;

import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangId.Origin;
import dev.muster.core.state.State;
import dev.muster.server.kube.client.PodGroupDialect;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.OwnerReference;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/// Decides which start switches are no longer wanted.
///
/// Goals: kube-scheduler does not try pods that have no promise. It tries the pods of an existing
/// PodGroup again and again, and ignores what happens in the cluster meanwhile.
///
/// Algorithm: a switch is turned off while its gang has pods without node, and no promise. Examples
/// are a released gang, a gang whose PodGroup was deleted, and a PodGroup that is used again. The
/// switch of a gang without waiting pods stays: it harms nobody, and each write costs.
public final class SwitchUse {
  private SwitchUse() {}

  /// Returns the gang whose switch this is.
  public static Optional<GangId> gang(GenericKubernetesResource group) {
    List<OwnerReference> owners =
        Objects.requireNonNullElse(group.getMetadata().getOwnerReferences(), List.of());
    return owners.stream()
        .flatMap(owner ->
            origin(owner).stream()
                .map(origin ->
                    new GangId(group.getMetadata().getNamespace(), origin, owner.getName())))
        .findFirst();
  }

  private static Optional<Origin> origin(OwnerReference owner) {
    String api = owner.getApiVersion() + "/" + owner.getKind();
    return api.equals("v1/Pod")
        ? Optional.of(Origin.POD)
        : Stream.of(PodGroupDialect.values())
            .filter(dialect ->
                dialect.apiVersions().stream()
                    .anyMatch(version -> api.equals(version + "/" + PodGroupDialect.KIND)))
            .map(PodGroupDialect::origin)
            .findFirst();
  }

  /// True if the switch of the gang should be off.
  public static boolean isSpent(GangId id, State state) {
    Gang gang = state.cluster().gang(id);
    Optional<Reservation> held = state.cluster().reservations().get(id);
    return gang.wantingCount() > 0 && held.map(r -> r.promises().isEmpty()).orElse(true);
  }
}
