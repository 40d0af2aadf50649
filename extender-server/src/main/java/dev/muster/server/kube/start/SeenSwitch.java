package dev.muster.server.kube.start;

import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangId.Origin;
import dev.muster.server.kube.client.JsonBodies;
import dev.muster.server.kube.client.ObjectRef;
import dev.muster.server.kube.client.PodGroupDialect;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What is kept of a native PodGroup that is a [start switch][StartSwitch].
///
/// Anybody may create such a PodGroup, with thousands of owners and labels. Muster writes one
/// owner, so only the first one counts.
///
/// @param object the PodGroup
/// @param since time of its creation
/// @param works true if it has the policy `basic` and is not deleted. Under another policy, the
///   pods would wait for other pods. A deleted switch is about to end.
/// @param ownerKind kind of its owner; empty if there is none
/// @param ownerUid uid of its owner; empty if there is none
/// @param gangs gangs whose pods it may start: that of its name, and its owner. Anybody may have
///   created it, without owner or with a wrong one, so the owner alone does not count. Nor does the
///   name alone, since a pod may name any switch.
public record SeenSwitch(
    ObjectRef object,
    Instant since,
    boolean works,
    String ownerKind,
    String ownerUid,
    List<GangId> gangs) {
  private static final String POD = "Pod";
  private static final Map<String, Object> BASIC =
      Map.of("spec", Map.of("schedulingPolicy", Map.of("basic", Map.of())));

  /// Characters of a longest name. The API server does not limit the texts of an owner reference.
  private static final int LONGEST = 253;

  public SeenSwitch {
    gangs = List.copyOf(gangs);
  }

  /// Returns what is kept of the PodGroup.
  public static SeenSwitch of(GenericKubernetesResource group) {
    ObjectMeta meta = group.getMetadata();
    Optional<OwnerReference> owner = owner(meta);
    Stream<GangId> named =
        StartSwitch.gang(meta.getName())
            .map(name -> new GangId(meta.getNamespace(), Origin.POD_GROUP, name))
            .stream();
    Stream<GangId> owning =
        owner
            .flatMap(known ->
                origin(known)
                    .map(origin -> new GangId(meta.getNamespace(), origin, known.getName())))
            .stream();
    return new SeenSwitch(
        ObjectRef.to(group),
        JsonBodies.created(group),
        isBasic(group) && meta.getDeletionTimestamp() == null,
        owner.map(OwnerReference::getKind).orElse(""),
        owner.map(OwnerReference::getUid).orElse(""),
        Stream.concat(named, owning).distinct().toList());
  }

  /// Removes what [#of] does not read from the PodGroup.
  public static void trim(GenericKubernetesResource group) {
    ObjectMeta meta = group.getMetadata();
    group.setAdditionalProperties(isBasic(group) ? BASIC : Map.of());
    group.setMetadata(
        new ObjectMetaBuilder()
            .withNamespace(meta.getNamespace())
            .withName(meta.getName())
            .withUid(meta.getUid())
            .withResourceVersion(meta.getResourceVersion())
            .withCreationTimestamp(meta.getCreationTimestamp())
            .withDeletionTimestamp(meta.getDeletionTimestamp())
            .withOwnerReferences(owner(meta).stream().toList())
            .build());
  }

  private static boolean isBasic(GenericKubernetesResource group) {
    return group.getAdditionalProperties().get("spec") instanceof Map<?, ?> spec
        && spec.get("schedulingPolicy") instanceof Map<?, ?> policy
        && policy.containsKey("basic");
  }

  private static Optional<OwnerReference> owner(ObjectMeta meta) {
    return Objects.requireNonNullElse(meta.getOwnerReferences(), List.<OwnerReference>of()).stream()
        .findFirst()
        .filter(owner ->
            Stream.of(owner.getApiVersion(), owner.getKind(), owner.getName(), owner.getUid())
                .allMatch(SeenSwitch::isShort));
  }

  private static boolean isShort(@Nullable String text) {
    return text != null && text.length() <= LONGEST;
  }

  private static Optional<Origin> origin(OwnerReference owner) {
    String api = owner.getApiVersion() + "/" + owner.getKind();
    return api.equals("v1/" + POD)
        ? Optional.of(Origin.POD)
        : Stream.of(PodGroupDialect.values())
            .filter(dialect ->
                dialect.apiVersions().stream()
                    .anyMatch(version -> api.equals(version + "/" + PodGroupDialect.KIND)))
            .map(PodGroupDialect::origin)
            .findFirst();
  }

  /// True if the switch is one that starts the pods of this owner, and ends with it.
  ///
  /// Pods without gang may share a switch. Each of them may own it.
  boolean starts(ObjectRef owner) {
    return works
        && (owner.uid().equals(ownerUid) || (owner.kind().equals(POD) && ownerKind.equals(POD)));
  }
}
