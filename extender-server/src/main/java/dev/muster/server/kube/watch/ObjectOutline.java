package dev.muster.server.kube.watch;

import dev.muster.server.kube.budget.LargeObjects;
import dev.muster.server.kube.budget.ObjectBudget;
import dev.muster.server.kube.client.WellKnownNames;
import dev.muster.server.kube.codec.PodCodec;
import dev.muster.server.kube.codec.PodRequests;
import dev.muster.server.kube.owner.kind.OwnerKinds;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimTemplate;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimTemplateSpec;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Reduces objects for which there is no memory. Names and short labels are kept, and what an
/// object holds: of pods node, resources and state, of claims their devices. Most then take a few
/// KiB. A pod on a node keeps its claims, as their GPUs count.
///
/// @param names labels and annotations that state gang, queue or owner; they are kept before others
/// @param accelerators resources that count as GPUs; they are kept before others
record ObjectOutline(Set<String> names, Set<String> accelerators) {
  /// Characters of all labels that are kept, and of all annotations. Of those without a meaning for
  /// the gang, the shortest come first.
  private static final int TEXT = 4_096;

  /// Characters of a name, key and value together.
  private static final int NAME = 512;

  /// Conditions that are kept, and values of each status. Kubernetes writes about eight.
  private static final int CONDITIONS = 16;

  /// Characters of a text in a status.
  private static final int MESSAGE = 1_024;

  private static final List<String> GROUP_CONDITIONS =
      Stream.concat(Stream.of(WellKnownNames.ADMITTED), WellKnownNames.PAST.stream()).toList();

  private static final Set<String> READ_CONDITIONS =
      Set.of(
          "DisruptionTarget",
          "PodResizePending",
          "PodScheduled",
          "Ready",
          WellKnownNames.POD_ADMITTED);

  ObjectOutline {
    names = Set.copyOf(names);
    accelerators = Set.copyOf(accelerators);
  }

  /// Creates the outline of objects of these kinds of owners, and of their pods.
  static ObjectOutline of(OwnerKinds kinds, Collection<String> accelerators) {
    return new ObjectOutline(
        Stream.concat(WellKnownNames.OF_GANG.stream(), kinds.keys().stream())
            .collect(Collectors.toSet()),
        Set.copyOf(accelerators));
  }

  void reduce(Pod pod) {
    reduce(pod.getMetadata());
    PodSpec spec = pod.getSpec();
    PodRequests.merge(pod, accelerators);
    spec.setAffinity(null);
    spec.setNodeSelector(null);
    spec.setTolerations(List.of());
    spec.setSchedulingGates(
        spec.getSchedulingGates().stream()
            .sorted(Comparator.comparing(gate -> !WellKnownNames.GATE.equals(gate.getName())))
            .limit(2)
            .toList());
    boolean over = PodCodec.isOver(pod);
    boolean holds = !over && !Objects.requireNonNullElse(spec.getNodeName(), "").isBlank();
    if (!holds) {
      spec.setResourceClaims(spec.getResourceClaims().stream().limit(1).toList());
    }
    PodStatus status = pod.getStatus();
    if (status != null) {
      reduce(status, over, holds);
    }
  }

  private static void reduce(PodStatus status, boolean over, boolean holds) {
    if (!holds) {
      status.setResourceClaimStatuses(List.of());
      status.setExtendedResourceClaimStatus(null);
    }
    status.setAllocatedResources(null);
    status.setResources(null);
    if (!over) {
      status.setContainerStatuses(List.of());
      status.setInitContainerStatuses(List.of());
    }
    List<PodCondition> conditions =
        status.getConditions().stream()
            .sorted(
                Comparator.comparing(
                    condition -> !READ_CONDITIONS.contains(String.valueOf(condition.getType()))))
            .limit(CONDITIONS)
            .toList();
    conditions.forEach(condition -> {
      String message = condition.getMessage();
      if (message != null && message.length() > MESSAGE) {
        condition.setMessage(message.substring(0, MESSAGE));
      }
    });
    status.setConditions(conditions);
  }

  /// Keeps the short values in the status of a PodGroup, and the conditions that are read.
  void reduceGroup(GenericKubernetesResource group) {
    Map<String, Object> kept = new LinkedHashMap<>();
    if (group.getAdditionalProperties().get("status") instanceof Map<?, ?> status) {
      kept.putAll(values(status));
      if (status.get("conditions") instanceof List<?> conditions) {
        kept.put(
            "conditions",
            conditions.stream()
                .flatMap(each -> each instanceof Map<?, ?> condition ? Stream.of(condition) : null)
                .filter(condition -> GROUP_CONDITIONS.contains(condition.get("type")))
                .limit(CONDITIONS)
                .map(ObjectOutline::values)
                .toList());
      }
    }
    reduce(group, Set.of());
    group.setAdditionalProperty("status", kept);
  }

  private static Map<String, Object> values(Map<?, ?> map) {
    Map<String, Object> kept = new LinkedHashMap<>();
    map.entrySet().stream()
        .filter(field ->
            field.getValue() instanceof Number
                || (field.getValue() instanceof String text && text.length() <= MESSAGE))
        .limit(CONDITIONS)
        .forEach(field -> kept.put(String.valueOf(field.getKey()), field.getValue()));
    return kept;
  }

  /// Keeps neither the size of an owner nor its roles: a part would state a wrong gang.
  void reduceOwner(GenericKubernetesResource owner) {
    reduce(owner, Set.of());
  }

  /// Keeps the numbers of pods of an object that creates the pods of an owner. Few of its fields
  /// are read.
  void reduceMaker(GenericKubernetesResource maker) {
    reduce(maker, Set.of("spec", "status"));
  }

  private void reduce(GenericKubernetesResource object, Set<String> fields) {
    reduce(object.getMetadata());
    Map<String, Object> kept = new LinkedHashMap<>(object.getAdditionalProperties());
    kept.keySet().retainAll(fields);
    object.setAdditionalProperties(kept);
  }

  /// Keeps the devices of a claim, or they would look free, and the pods that hold it.
  void reduce(ResourceClaim claim) {
    reduce(claim.getMetadata());
    claim.setSpec(ObjectBudget.refused(LargeObjects.refusal(claim).orElse("")));
  }

  void reduce(ResourceClaimTemplate template) {
    reduce(template.getMetadata());
    ResourceClaimTemplateSpec spec = new ResourceClaimTemplateSpec();
    spec.setSpec(ObjectBudget.refused(LargeObjects.refusal(template).orElse("")));
    template.setSpec(spec);
  }

  private void reduce(ObjectMeta meta) {
    meta.setLabels(first(meta.getLabels()));
    meta.setAnnotations(first(meta.getAnnotations()));
    meta.setOwnerReferences(
        meta.getOwnerReferences().stream()
            .sorted(Comparator.comparing(owner -> !isController(owner)))
            .limit(1)
            .toList());
  }

  private static boolean isController(OwnerReference owner) {
    return Boolean.TRUE.equals(owner.getController());
  }

  private @Nullable Map<String, String> first(@Nullable Map<String, String> texts) {
    if (texts == null) {
      return null;
    }
    Map<String, String> kept = new LinkedHashMap<>();
    int[] left = {TEXT};
    texts.entrySet().stream()
        .filter(text -> text.getValue() != null)
        .sorted(
            Comparator.<Map.Entry<String, String>, Boolean>comparing(text -> !isName(text))
                .thenComparingInt(ObjectOutline::length)
                .thenComparing(Map.Entry::getKey))
        .takeWhile(text -> (left[0] -= length(text)) >= 0)
        .forEach(text -> kept.put(text.getKey(), text.getValue()));
    return kept;
  }

  private boolean isName(Map.Entry<String, String> text) {
    return names.contains(text.getKey()) && length(text) <= NAME;
  }

  private static int length(Map.Entry<String, String> text) {
    return text.getKey().length() + text.getValue().length();
  }
}
