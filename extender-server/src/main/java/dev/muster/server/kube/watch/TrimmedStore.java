package dev.muster.server.kube.watch;

import com.github.benmanes.caffeine.cache.Interner;
import dev.muster.server.kube.budget.AnnotationTrimmer;
import dev.muster.server.kube.budget.LargeObjects;
import dev.muster.server.kube.client.WellKnownNames;
import dev.muster.server.kube.codec.PodCodec;
import dev.muster.server.kube.codec.PodRequests;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.resource.v1.Device;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceAttribute;
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

  private final ConcurrentHashMap<String, T> items = new ConcurrentHashMap<>();
  private final Set<String> records;
  private final Consumer<T> slim;
  private final LargeObjects large;
  private final Consumer<T> outline;

  /// @param records annotations that are kept in full length
  /// @param slim removes what is not read from an object
  /// @param outline reduces an object for which there is no memory
  private TrimmedStore(
      Set<String> records, Consumer<T> slim, LargeObjects large, Consumer<T> outline) {
    this.records = records;
    this.slim = slim;
    this.large = large;
    this.outline = outline;
  }

  public static TrimmedStore<Pod> ofPods() {
    return ofPods(Runtime.getRuntime().maxMemory() / 4);
  }

  /// @param limit estimated bytes of all large pods
  public static TrimmedStore<Pod> ofPods(long limit) {
    return new TrimmedStore<>(
        Set.of(WellKnownNames.VICTIMS),
        TrimmedStore::slimPod,
        new LargeObjects(limit),
        ObjectOutline::reduce);
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
    return new TrimmedStore<>(Set.of(), slim, new LargeObjects(Long.MAX_VALUE), _ -> {});
  }

  /// @param slim removes what is not read from a PodGroup
  static TrimmedStore<GenericKubernetesResource> ofGroups(
      Consumer<GenericKubernetesResource> slim) {
    return new TrimmedStore<>(
        Set.of(WellKnownNames.RESERVATION, WellKnownNames.VICTIMS),
        slim,
        new LargeObjects(Runtime.getRuntime().maxMemory() / 16),
        ObjectOutline::reduce);
  }

  @Override
  public String getKey(T object) {
    return Cache.metaNamespaceKeyFunc(object);
  }

  @Override
  public @Nullable T put(String key, T object) {
    AnnotationTrimmer.trim(object, records);
    slim.accept(object);
    if (!large.takes(key, object)) {
      outline.accept(object);
    }
    return items.put(key, object);
  }

  @Override
  public @Nullable T remove(String key) {
    large.remove(key);
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
