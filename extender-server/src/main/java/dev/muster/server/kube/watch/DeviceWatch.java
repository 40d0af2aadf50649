package dev.muster.server.kube.watch;

import dev.muster.server.kube.budget.LargeObjects;
import dev.muster.server.kube.client.ApiErrorText;
import dev.muster.server.kube.client.ResourceKind;
import dev.muster.server.kube.dra.ClassRequests;
import dev.muster.server.kube.dra.DeviceInventory;
import dev.muster.server.kube.dra.PodClaim;
import dev.muster.server.logging.LogThrottle;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClass;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimTemplate;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Watches the objects of Dynamic Resource Allocation if the cluster serves them
/// (`resource.k8s.io/v1`, Kubernetes 1.34 and newer). Other clusters are only asked for the
/// version.
public final class DeviceWatch implements AutoCloseable {
  /// Kind that is looked up to find out if the version is served.
  public static final String KIND = "ResourceSlice";

  private static final Logger log = LoggerFactory.getLogger(DeviceWatch.class);

  /// CPU time for the selectors of claims before scheduling starts, in each round of reading.
  private static final Duration SELECTING = Duration.ofSeconds(5);

  /// Number of consecutive negative answers, a minute apart, after which the API counts as removed.
  /// During an upgrade, any one of several API servers may answer.
  static final int GONE = 5;

  /// The inputs and outputs of a watch.
  ///
  /// @param client source of the objects
  /// @param health receiver of the faults of the watches
  /// @param served true for an API version that the cluster serves
  /// @param devices receiver of every object
  /// @param readers objects to read again after a change
  public record Ends(
      KubernetesClient client,
      WatchHealth health,
      Predicate<String> served,
      DeviceInventory devices,
      Readers readers) {}

  /// Receiver of notices that nodes and pods must be read again, because their devices changed.
  public interface Readers {
    /// The node has other GPUs, or other free GPUs.
    void node(String name);

    /// The claims of the pod `namespace/name` changed.
    void pod(String key);

    /// The claims of these pods may have changed.
    void pods(Predicate<Pod> which);

    /// The claim or template `namespace/name`, which any number of pods may name, changed.
    void users(String claimOrTemplate);
  }

  private final Ends ends;
  private final LogThrottle throttle = new LogThrottle();

  private volatile List<ResourceWatch<?>> users = List.of();
  private volatile Optional<ResourceWatch<?>> slices = Optional.empty();
  private volatile boolean asked;
  private volatile boolean closed;
  private volatile int unserved;

  public DeviceWatch(Ends ends) {
    this.ends = ends;
  }

  /// Asks if the API is served, and watches its objects if so. The claims, classes and templates
  /// come first. The slices follow at a later call, once all claims are listed.
  public void check() {
    try {
      boolean served = ends.served().test(PodClaim.API_VERSION);
      unserved = served ? 0 : unserved + 1;
      if (served) {
        follow();
      } else if (unserved >= GONE || users.isEmpty()) {
        watched().forEach(kind -> kind.close(true));
        slices = Optional.empty();
        users = List.of();
        reportServed(false);
        asked = true;
      }
    } catch (KubernetesClientException e) {
      if (!closed && throttle.isNew(ApiErrorText.brief(e))) {
        log.warn(
            "Cannot find out if the API server serves {}: {}",
            PodClaim.API_VERSION,
            ApiErrorText.brief(e));
      }
    }
  }

  private void reportServed(boolean served) {
    if (ends.devices().served(served)) {
      if (!served) {
        log.info("Dynamic Resource Allocation: {} is not served", PodClaim.API_VERSION);
      }
      ends.readers().pods(ClassRequests::mayClaim);
    }
  }

  /// Starts the watches, claims before slices: in the opposite order, allocated GPUs would look
  /// free.
  private synchronized void follow() {
    if (closed) {
      return;
    }
    if (users.isEmpty()) {
      log.info("Dynamic Resource Allocation: {}", PodClaim.API_VERSION);
      reportServed(true);
      users = users();
    } else if (slices.isEmpty() && users.stream().allMatch(ResourceWatch::isSynced)) {
      slices = Optional.of(slices());
      asked = true;
    }
  }

  /// Returns the active watches, the slices first.
  public Stream<ResourceWatch<?>> watched() {
    return Stream.concat(slices.stream(), users.stream());
  }

  private ResourceWatch<ResourceSlice> slices() {
    return new ResourceWatch<>(
        kind("ResourceSlices", ResourceSlice.class),
        TrimmedStore.ofSlices(ends.devices()::areGpusOf),
        new Told<>(this::slice),
        ends.health());
  }

  private List<ResourceWatch<?>> users() {
    LargeObjects space = TrimmedStore.ownerSpace();
    return List.of(
        new ResourceWatch<>(
            kind("DeviceClasses", DeviceClass.class),
            TrimmedStore.of(),
            new Told<>(this::deviceClass),
            ends.health()),
        new ResourceWatch<>(
            kind("ResourceClaimTemplates", ResourceClaimTemplate.class),
            TrimmedStore.ofTemplates(space),
            new Told<>(this::template),
            ends.health()),
        new ResourceWatch<>(
            kind("ResourceClaims", ResourceClaim.class),
            TrimmedStore.ofClaims(space),
            new Told<>(this::claim),
            ends.health()));
  }

  private <T extends HasMetadata> ResourceKind<T> kind(String name, Class<T> type) {
    String path = "/apis/%s/%s".formatted(PodClaim.API_VERSION, name.toLowerCase(Locale.ROOT));
    return ResourceKind.of(name, ends.client(), path, type);
  }

  public boolean isAsked() {
    return asked;
  }

  /// True if the API was looked up and all of its objects were listed.
  public boolean isSynced() {
    return asked && watched().allMatch(ResourceWatch::isSynced);
  }

  /// Returns how long any of the objects have not been watched.
  public Duration blindFor() {
    return unserved == 0
        ? watched()
            .map(ResourceWatch::blindFor)
            .max(Comparator.naturalOrder())
            .orElse(Duration.ZERO)
        : Duration.ZERO;
  }

  /// True if a watch is down. An API that is not served is no outage.
  public boolean isLost() {
    return unserved == 0 && watched().anyMatch(ResourceWatch::isLost);
  }

  @Override
  public synchronized void close() {
    closed = true;
    watched().forEach(ResourceWatch::close);
  }

  private void emit(Set<String> nodes) {
    nodes.forEach(ends.readers()::node);
  }

  /// Handles present and deleted objects by one function.
  private record Told<T>(BiConsumer<String, Optional<T>> change) implements ResourceWatch.Sink<T> {
    @Override
    public void seen(String key, T object) {
      change.accept(key, Optional.of(object));
    }

    @Override
    public void gone(String key) {
      change.accept(key, Optional.empty());
    }
  }

  /// Reads again some of the nodes whose selected GPUs changed, with their pods. To be called every
  /// second: claims of tenants cause this work, so it is bounded, however many claims come.
  public void reread() {
    reread(ends.devices().selectAgain(), DeviceInventory.NODES_AT_A_TIME);
  }

  /// Reads again all nodes whose selected GPUs have changed by now, with their pods. Selectors are
  /// evaluated before, for some seconds at most: the promises of a gang that was starting are
  /// restored only where its GPUs match.
  public void rereadAll() {
    reread(ends.devices().selectFor(SELECTING), Integer.MAX_VALUE);
  }

  private void reread(boolean isNews, int nodes) {
    emitWithPods(ends.devices().selectedAnew(nodes));
    if (isNews) {
      ends.readers().pods(ClassRequests::mayClaim);
    }
  }

  /// Reads the nodes again, then their pods: the GPUs of a pod depend on the slices of its node.
  private void emitWithPods(Set<String> nodes) {
    if (!nodes.isEmpty()) {
      emit(nodes);
      ends.readers().pods(pod -> nodes.contains(String.valueOf(pod.getSpec().getNodeName())));
    }
  }

  private void deviceClass(String key, Optional<DeviceClass> object) {
    boolean isNews = ends.devices().deviceClass(key, object);
    if (isNews) {
      ends.readers().pods(ClassRequests::mayClaim);
    }
  }

  private void slice(String key, Optional<ResourceSlice> object) {
    emitWithPods(ends.devices().slice(key, object));
  }

  private void template(String key, Optional<ResourceClaimTemplate> object) {
    boolean isNews = ends.devices().template(key, object);
    if (isNews) {
      ends.readers().users(key);
    }
  }

  private void claim(String key, Optional<ResourceClaim> object) {
    Optional<Set<String>> nodes = ends.devices().claim(key, object);
    if (nodes.isEmpty()) {
      return;
    }
    emit(nodes.get());
    object.flatMap(DeviceWatch::maker).ifPresent(ends.readers()::pod);
    ends.readers().users(key);
  }

  /// Returns the pod for which the claim was made from a template.
  private static Optional<String> maker(ResourceClaim claim) {
    return claim.getMetadata().getOwnerReferences().stream()
        .filter(owner -> owner.getKind().equals("Pod"))
        .map(OwnerReference::getName)
        .map(name -> claim.getMetadata().getNamespace() + "/" + name)
        .findFirst();
  }
}
