package dev.muster.server.kube.client;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonIncludeProperties;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import dev.muster.server.kube.parse.BoundedParser;
import dev.muster.server.kube.parse.ContainerReaders.Amounts;
import dev.muster.server.kube.parse.ContainerReaders.Initial;
import dev.muster.server.kube.parse.ContainerReaders.Together;
import dev.muster.server.kube.parse.DeviceFields;
import dev.muster.server.kube.parse.FieldSelection;
import dev.muster.server.logging.LogThrottle;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateRunning;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeStatus;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PodAntiAffinity;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Trims objects to the fields that are read. Most fields of a pod are not used, and 50,000
/// complete pods would take gigabytes, so they are skipped while the answer is parsed.
///
/// Of the fields that are read, [#read] keeps a bounded part, whatever tenants write.
///
/// A `null` counts as absent: a list, map or field that is null, and each null inside a list or
/// map.
public final class ObjectTrimmer {
  /// Field of the metadata with the fields of which a part was skipped. Each has the bytes that
  /// were read of it.
  private static final String CUT = "muster.dev/cut";

  /// Field of the metadata with the estimated bytes of the object, without its annotations.
  private static final String BYTES = "muster.dev/bytes";

  /// Estimated bytes of an object that are not remembered.
  private static final int SMALL = 4 << 10;

  /// Estimated bytes of the many small fields of an object.
  private static final long REST = 128 << 10;

  /// Estimated bytes of an object without a typed model, such as an owner with its templates.
  private static final long UNTYPED = 4 << 20;

  /// Levels of objects inside each other, above the 10,000 that the API server accepts.
  private static final int LEVELS = 20_000;

  /// Kinds that nodes and drivers write. They have thousands of values.
  private static final Set<Class<?>> UNBOUNDED = Set.of(Node.class, ResourceSlice.class);

  /// Fields of pod templates, and of owners, that state neither size nor requests.
  private static final Set<String> UNREAD =
      Set.of(
          "affinity",
          "args",
          "command",
          "env",
          "envFrom",
          "hostAliases",
          "lifecycle",
          "livenessProbe",
          "nodeSelector",
          "ports",
          "readinessProbe",
          "securityContext",
          "startupProbe",
          "tolerations",
          "topologySpreadConstraints",
          "volumeClaimTemplates",
          "volumeDevices",
          "volumeMounts",
          "volumes");

  /// The fields that are read of an object without a typed model.
  public static final FieldSelection OF_UNTYPED = FieldSelection.ALL.without(UNREAD);

  private static final Logger log = LoggerFactory.getLogger(ObjectTrimmer.class);
  private static final LogThrottle THROTTLE = new LogThrottle();

  private static final ObjectMapper MAPPER =
      new ObjectMapper(
          JsonFactory.builder()
              .streamReadConstraints(constraints())
              .disable(JsonFactory.Feature.FAIL_ON_SYMBOL_HASH_OVERFLOW)
              .enable(StreamReadFeature.USE_FAST_BIG_NUMBER_PARSER)
              .build());
  private static final KubernetesSerialization SERIALIZATION = serialization(MAPPER);

  private ObjectTrimmer() {}

  public static KubernetesSerialization serialization() {
    return SERIALIZATION;
  }

  /// Returns the mapper of [#serialization].
  public static ObjectMapper mapper() {
    return MAPPER;
  }

  /// Returns a parser of an answer. Bytes that are no UTF-8 are replaced: the API server stores
  /// some fields as they were written.
  static JsonParser parser(InputStream text) throws IOException {
    return MAPPER.createParser(new InputStreamReader(text, StandardCharsets.UTF_8));
  }

  /// Returns the fields that are read of objects of this type.
  public static FieldSelection selection(Class<? extends HasMetadata> type) {
    return type.equals(GenericKubernetesResource.class) ? OF_UNTYPED : FieldSelection.ALL;
  }

  /// Reads a bounded part of the object at which the parser is. Nodes and devices are read as a
  /// whole.
  ///
  /// @param selection the fields that are read
  public static <T extends HasMetadata> T read(
      JsonParser parser, Class<T> type, FieldSelection selection) throws IOException {
    if (UNBOUNDED.contains(type)) {
      return MAPPER.readValue(parser, type);
    }
    boolean untyped = type.equals(GenericKubernetesResource.class);
    var bounded = new BoundedParser(parser, untyped ? UNTYPED : REST, selection);
    T object = MAPPER.readValue(bounded, type);
    if (bounded.bytes() > SMALL && object.getMetadata() != null) {
      object.getMetadata().setAdditionalProperty(BYTES, bounded.bytes());
    }
    if (!bounded.cut().isEmpty() && object.getMetadata() != null) {
      object.getMetadata().setAdditionalProperty(CUT, bounded.cut());
      if (THROTTLE.isNew(type.getName())) {
        log.warn(
            "The {} {} is larger than what is read of it ({}).",
            object.getKind(),
            Cache.metaNamespaceKeyFunc(object),
            bounded.cut());
      }
    }
    return object;
  }

  /// Returns the fields of which a part was skipped, each with the bytes that were read of it.
  @SuppressWarnings("unchecked") // written by read; no other field of metadata is kept
  public static SortedMap<String, Long> cut(HasMetadata object) {
    return object.getMetadata().getAdditionalProperties().get(CUT) instanceof SortedMap<?, ?> cut
        ? (SortedMap<String, Long>) cut
        : Collections.emptySortedMap();
  }

  /// Returns the estimated bytes of an object that was read, without its annotations; 0 for a small
  /// one.
  public static long bytes(HasMetadata object) {
    return object.getMetadata().getAdditionalProperties().get(BYTES) instanceof Long bytes
        ? bytes
        : 0;
  }

  /// Objects of tenants have names, texts and numbers of any length, and any depth. Fields that are
  /// not read are refused too if they exceed a limit.
  private static StreamReadConstraints constraints() {
    return StreamReadConstraints.builder()
        .maxNameLength(ApiStream.LONGEST)
        .maxStringLength(ApiStream.LONGEST)
        .maxNumberLength(ApiStream.LONGEST)
        .maxNestingDepth(LEVELS)
        .build();
  }

  private static KubernetesSerialization serialization(ObjectMapper mapper) {
    mapper.setDefaultSetterInfo(JsonSetter.Value.construct(Nulls.SKIP, Nulls.SKIP));
    mapper.addMixIn(ObjectMeta.class, OfMetadata.class);
    mapper.addMixIn(PodSpec.class, OfPodSpec.class);
    mapper.addMixIn(PodStatus.class, OfPodStatus.class);
    mapper.addMixIn(Affinity.class, OfAffinity.class);
    mapper.addMixIn(PodAntiAffinity.class, OfAntiAffinity.class);
    mapper.addMixIn(Container.class, OfContainer.class);
    mapper.addMixIn(ResourceRequirements.class, OfResources.class);
    mapper.addMixIn(ContainerStatus.class, OfContainerStatus.class);
    mapper.addMixIn(ContainerState.class, OfContainerState.class);
    mapper.addMixIn(ContainerStateRunning.class, OfTimes.class);
    mapper.addMixIn(ContainerStateTerminated.class, OfTimes.class);
    mapper.addMixIn(NodeStatus.class, OfNodeStatus.class);
    DeviceFields.select(mapper);
    return new KubernetesSerialization(mapper, true);
  }

  @JsonIncludeProperties({
    "name",
    "namespace",
    "uid",
    "resourceVersion",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "labels",
    "annotations",
    "ownerReferences"
  })
  private interface OfMetadata {}

  @JsonIncludeProperties({
    "schedulerName",
    "nodeName",
    "priority",
    "preemptionPolicy",
    "activeDeadlineSeconds",
    "schedulingGates",
    "schedulingGroup",
    "nodeSelector",
    "affinity",
    "tolerations",
    "resourceClaims",
    "overhead",
    "resources",
    "containers",
    "initContainers"
  })
  @SuppressWarnings("unused") // names of fields, for the mapper
  private abstract static class OfPodSpec {
    @JsonDeserialize(using = Together.class)
    @Nullable List<Container> containers;

    @JsonDeserialize(using = Initial.class)
    @Nullable List<Container> initContainers;
  }

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

  @JsonIncludeProperties({"nodeAffinity", "podAntiAffinity"})
  private interface OfAffinity {}

  @JsonIncludeProperties("requiredDuringSchedulingIgnoredDuringExecution")
  private interface OfAntiAffinity {}

  @JsonIncludeProperties({"name", "resources", "restartPolicy"})
  private interface OfContainer {}

  @JsonIncludeProperties({"limits", "requests"})
  @SuppressWarnings("unused") // names of fields, for the mapper
  private abstract static class OfResources {
    @JsonDeserialize(using = Amounts.class)
    @Nullable Map<String, Quantity> limits;

    @JsonDeserialize(using = Amounts.class)
    @Nullable Map<String, Quantity> requests;
  }

  @JsonIncludeProperties({"name", "allocatedResources", "resources", "state"})
  private interface OfContainerStatus {}

  @JsonIncludeProperties({"running", "terminated"})
  private interface OfContainerState {}

  @JsonIncludeProperties({"startedAt", "finishedAt"})
  private interface OfTimes {}

  @JsonIgnoreProperties({"images", "volumesAttached", "volumesInUse"})
  private interface OfNodeStatus {}
}
