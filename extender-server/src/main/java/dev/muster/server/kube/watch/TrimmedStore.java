package dev.muster.server.kube.watch;

import com.github.benmanes.caffeine.cache.Interner;
import dev.muster.server.kube.budget.AnnotationTrimmer;
import dev.muster.server.kube.budget.LargeObjects;
import dev.muster.server.kube.client.WellKnownNames;
import dev.muster.server.kube.codec.PodCodec;
import dev.muster.server.kube.codec.PodRequests;
import dev.muster.server.kube.owner.OwnerTrimmer;
import dev.muster.server.kube.owner.kind.OwnerKinds;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.resource.v1.Device;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceAttribute;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimTemplate;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import io.fabric8.kubernetes.client.informers.cache.ItemStore;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A store of an informer that keeps only the necessary parts of each [trimmed][ObjectTrimmer]
/// object.
public final class TrimmedStore<T extends HasMetadata> implements ItemStore<T> {
  /// Statuses of containers that are kept of an ended pod. Pods have few containers, and a tenant
  /// can create thousands of pods with thousands of containers.
  private static final int MOST_ENDED = 16;

  /// Shared attributes of GPUs: thousands of GPUs have equal ones.
  private static final Interner<DeviceAttribute> ATTRIBUTES = Interner.newWeakInterner();

  private static final ObjectOutline OUTLINE =
      ObjectOutline.of(OwnerKinds.with(List.of()), List.of());

  private final ConcurrentHashMap<String, T> items = new ConcurrentHashMap<>();
  private final Set<String> records;
  private final Consumer<T> slim;
  private final Space space;
  private final Consumer<T> outline;

  /// The memory of the objects of a store.
  ///
  /// @param kind name of their kind among those that share the memory
  /// @param parts each of them must have space for an object; only the first one may refuse it, as
  ///   the others would count it nevertheless
  private record Space(String kind, List<LargeObjects> parts) {
    static final Space UNBOUNDED = new Space("", List.of());

    boolean takes(String key, HasMetadata object) {
      return parts.stream().allMatch(part -> part.takes(kind + key, object));
    }

    void remove(String key) {
      parts.forEach(part -> part.remove(kind + key));
    }
  }

  /// @param records annotations that are kept in full length
  /// @param slim removes what is not read from an object
  /// @param outline reduces an object for which there is no memory
  private TrimmedStore(Set<String> records, Consumer<T> slim, Space space, Consumer<T> outline) {
    this.records = records;
    this.slim = slim;
    this.space = space;
    this.outline = outline;
  }

  public static TrimmedStore<Pod> ofPods() {
    return ofPods(heap(4), OUTLINE);
  }

  /// @param owners kinds of owners whose names are kept first
  /// @param accelerators resources that are kept first
  public static TrimmedStore<Pod> ofPods(OwnerKinds owners, List<String> accelerators) {
    return ofPods(heap(4), ObjectOutline.of(owners, accelerators));
  }

  /// @param limit estimated bytes of all large pods
  static TrimmedStore<Pod> ofPods(long limit, ObjectOutline outline) {
    return new TrimmedStore<>(
        Set.of(WellKnownNames.VICTIMS),
        TrimmedStore::slimPod,
        new Space("", List.of(new LargeObjects(limit, LargeObjects.SMALL))),
        outline::reduce);
  }

  private static long heap(int parts) {
    return Runtime.getRuntime().maxMemory() / parts;
  }

  /// Creates the memory of the owners of all kinds, or of claims and their templates.
  public static LargeObjects ownerSpace() {
    return new LargeObjects(heap(16), LargeObjects.SMALL_OWNER);
  }

  /// @param kind name of the owners among those that share the memory
  public static TrimmedStore<GenericKubernetesResource> ofOwners(String kind, LargeObjects space) {
    return of(OwnerTrimmer::trim, kind, space, OUTLINE::reduceOwner);
  }

  /// Creates a store of what creates the pods of these owners.
  public static TrimmedStore<GenericKubernetesResource> ofMakers(String kind, LargeObjects space) {
    return of(OwnerTrimmer::trim, kind + "/maker", space, OUTLINE::reduceMaker);
  }

  public static TrimmedStore<ResourceClaim> ofClaims(LargeObjects space) {
    return of(_ -> {}, "ResourceClaim", space, OUTLINE::reduce);
  }

  public static TrimmedStore<ResourceClaimTemplate> ofTemplates(LargeObjects space) {
    return of(_ -> {}, "ResourceClaimTemplate", space, OUTLINE::reduce);
  }

  private static <T extends HasMetadata> TrimmedStore<T> of(
      Consumer<T> slim, String kind, LargeObjects space, Consumer<T> outline) {
    return new TrimmedStore<>(Set.of(), slim, new Space(kind + " ", List.of(space)), outline);
  }

  /// @param counts true for drivers whose devices are read
  static TrimmedStore<ResourceSlice> ofSlices(Predicate<String> counts) {
    return of(slice -> {
      if (slice.getSpec() == null) {
        return;
      }
      if (!counts.test(String.valueOf(slice.getSpec().getDriver()))) {
        slice.getSpec().setDevices(List.of());
      }
      slice.getSpec().getDevices().forEach(TrimmedStore::slimDevice);
    });
  }

  public static <T extends HasMetadata> TrimmedStore<T> of() {
    return of(object -> {});
  }

  /// @param slim removes what is not read from an object
  static <T extends HasMetadata> TrimmedStore<T> of(Consumer<T> slim) {
    return new TrimmedStore<>(Set.of(), slim, Space.UNBOUNDED, _ -> {});
  }

  /// @param slim removes what is not read from a PodGroup
  static TrimmedStore<GenericKubernetesResource> ofGroups(
      Consumer<GenericKubernetesResource> slim) {
    return ofGroups(slim, heap(16), heap(32));
  }

  /// @param limit estimated bytes of all large PodGroups without Muster's records
  /// @param recordLimit estimated bytes of all large records
  static TrimmedStore<GenericKubernetesResource> ofGroups(
      Consumer<GenericKubernetesResource> slim, long limit, long recordLimit) {
    return new TrimmedStore<>(
        LargeObjects.LONG_RECORDS,
        slim,
        new Space(
            "", List.of(LargeObjects.withoutRecords(limit), LargeObjects.ofRecords(recordLimit))),
        OUTLINE::reduceGroup);
  }

  @Override
  public String getKey(T object) {
    return Cache.metaNamespaceKeyFunc(object);
  }

  @Override
  public @Nullable T put(String key, T object) {
    AnnotationTrimmer.trim(object, records);
    slim.accept(object);
    if (!space.takes(key, object)) {
      outline.accept(object);
    }
    return items.put(key, object);
  }

  @Override
  public @Nullable T remove(String key) {
    space.remove(key);
    return items.remove(key);
  }

  @Override
  public Stream<String> keySet() {
    return items.keySet().stream();
  }

  @Override
  public Stream<T> values() {
    return items.values().stream();
  }

  @Override
  public int size() {
    return items.size();
  }

  @Override
  public @Nullable T get(String key) {
    return items.get(key);
  }

  private static void slimPod(Pod pod) {
    PodSpec spec = pod.getSpec();
    PodStatus status = pod.getStatus();
    if (status != null && PodCodec.isOver(pod)) { // they state its start and its end
      status.setContainerStatuses(first(status.getContainerStatuses()));
      status.setInitContainerStatuses(first(status.getInitContainerStatuses()));
    } else if (status != null) {
      status.setContainerStatuses(resized(status.getContainerStatuses(), spec.getContainers()));
      status.setInitContainerStatuses(
          resized(status.getInitContainerStatuses(), spec.getInitContainers()));
    }
  }

  private static List<ContainerStatus> first(List<ContainerStatus> statuses) {
    return statuses.stream().limit(MOST_ENDED).toList();
  }

  /// Returns the statuses of the few containers whose resources differ from their requests.
  private static List<ContainerStatus> resized(
      List<ContainerStatus> statuses, List<Container> containers) {
    Map<String, Container> byName = new HashMap<>();
    containers.forEach(container -> byName.put(container.getName(), container));
    return statuses.stream()
        .filter(status -> {
          Container asks = byName.get(status.getName());
          return asks != null && isResized(asks, status);
        })
        .toList();
  }

  private static boolean isResized(Container asks, ContainerStatus status) {
    return PodRequests.held(status)
        .anyMatch(
            held -> asks.getResources() == null || !held.equals(asks.getResources().getRequests()));
  }

  private static void slimDevice(Device device) {
    if (device.getAttributes() != null) {
      device.getAttributes().replaceAll((_, told) -> ATTRIBUTES.intern(told));
    }
  }
}
