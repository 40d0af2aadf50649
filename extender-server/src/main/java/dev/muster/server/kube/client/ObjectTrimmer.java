package dev.muster.server.kube.client;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonIncludeProperties;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.NodeStatus;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceCounterConsumption;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;

/// Trims objects to the fields that are read. Most fields of a pod are not used, and 50,000
/// complete pods would take gigabytes, so they are skipped while the answer is parsed.
///
/// A `null` counts as absent: a list, map or field that is null, and each null inside a list or
/// map.
public final class ObjectTrimmer {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final KubernetesSerialization SERIALIZATION = serialization(MAPPER);

  private ObjectTrimmer() {}

  public static KubernetesSerialization serialization() {
    return SERIALIZATION;
  }

  /// Returns the mapper of [#serialization].
  public static ObjectMapper mapper() {
    return MAPPER;
  }

  private static KubernetesSerialization serialization(ObjectMapper mapper) {
    mapper.setDefaultSetterInfo(JsonSetter.Value.construct(Nulls.SKIP, Nulls.SKIP));
    mapper.addMixIn(ObjectMeta.class, OfMetadata.class);
    mapper.addMixIn(PodSpec.class, OfPodSpec.class);
    mapper.addMixIn(PodStatus.class, OfPodStatus.class);
    mapper.addMixIn(Container.class, OfContainer.class);
    mapper.addMixIn(ContainerStatus.class, OfContainerStatus.class);
    mapper.addMixIn(NodeStatus.class, OfNodeStatus.class);
    mapper.addMixIn(DeviceCounterConsumption.class, OfConsumedCounters.class);
    return new KubernetesSerialization(mapper, true);
  }

  @JsonIgnoreProperties("managedFields")
  private interface OfMetadata {}

  @JsonIgnoreProperties({"volumes", "ephemeralContainers"})
  private interface OfPodSpec {}

  @JsonIncludeProperties({
    "phase",
    "reason",
    "nominatedNodeName",
    "conditions",
    "allocatedResources",
    "resources",
    "resourceClaimStatuses",
    "extendedResourceClaimStatus",
    "containerStatuses",
    "initContainerStatuses"
  })
  private interface OfPodStatus {}

  @JsonIncludeProperties({"name", "resources", "restartPolicy"})
  private interface OfContainer {}

  @JsonIncludeProperties({"name", "allocatedResources", "resources", "state"})
  private interface OfContainerStatus {}

  @JsonIgnoreProperties({"images", "volumesAttached", "volumesInUse"})
  private interface OfNodeStatus {}

  @JsonIncludeProperties("counterSet")
  private interface OfConsumedCounters {}
}
