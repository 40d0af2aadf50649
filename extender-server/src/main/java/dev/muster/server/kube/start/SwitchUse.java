package dev.muster.server.kube.start;

import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangId.Origin;
import dev.muster.core.state.State;
import dev.muster.server.kube.client.ObjectRef;
import dev.muster.server.kube.client.PodGroupDialect;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.OwnerReference;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/// Decides which start switches work, and which are no longer wanted.
///
/// Goals: kube-scheduler does not try pods that have no promise. It tries the pods of an existing
/// PodGroup again and again, and ignores what happens in the cluster meanwhile.
///
/// Algorithm: a switch is turned off while its gang has pods without node, and no promise. Examples
/// are a released gang, a gang whose PodGroup was deleted, and a PodGroup that is used again. The
/// switch of a gang without waiting pods stays: it harms nobody, and each write costs.
public final class SwitchUse {
  private static final String POD = "Pod";

  private SwitchUse() {}

  /// Returns the gangs whose pods the switch may start: that of its name, and those that own it.
  ///
  /// Anybody may have created the switch, without owner or with a wrong one. So its owners alone do
  /// not count. Nor does its name alone, since a pod may name any switch.
  public static List<GangId> gangs(GenericKubernetesResource group) {
    ObjectMeta meta = group.getMetadata();
    return Stream.concat(
            StartSwitch.gang(meta.getName())
                .map(name -> new GangId(meta.getNamespace(), Origin.POD_GROUP, name))
                .stream(),
            owners(group)
                .flatMap(owner ->
                    origin(owner).stream()
                        .map(origin -> new GangId(meta.getNamespace(), origin, owner.getName()))))
        .distinct()
        .toList();
  }

  /// True if the switch is one that starts the pods of this owner, and ends with it. The pods would
  /// wait for other pods under another policy than `basic`. A deleted switch is about to end.
  ///
  /// Pods without gang may share a switch. Each of them may own it.
  static boolean starts(GenericKubernetesResource group, ObjectRef owner) {
    return group.getMetadata().getDeletionTimestamp() == null
        && group.getAdditionalProperties().get("spec") instanceof Map<?, ?> spec
        && spec.get("schedulingPolicy") instanceof Map<?, ?> policy
        && policy.containsKey("basic")
        && owners(group)
            .anyMatch(known ->
                owner.uid().equals(known.getUid())
                    || (owner.kind().equals(POD) && POD.equals(known.getKind())));
  }

  private static Stream<OwnerReference> owners(GenericKubernetesResource group) {
    return Objects.requireNonNullElse(
        group.getMetadata().getOwnerReferences(), List.<OwnerReference>of())
        .stream();
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

  /// True if the switch should be off. It is never, before all objects were seen: until then,
  /// promises of a half started gang are unknown.
  public static boolean isSpent(GenericKubernetesResource group, State state) {
    List<GangId> gangs = gangs(group);
    return state.cluster().synced()
        && gangs.stream().noneMatch(gang -> isPromised(gang, state))
        && gangs.stream().anyMatch(gang -> state.cluster().gang(gang).wantingCount() > 0);
  }

  private static boolean isPromised(GangId gang, State state) {
    return state
        .cluster()
        .reservations()
        .get(gang)
        .filter(held -> !held.promises().isEmpty())
        .isPresent();
  }
}
