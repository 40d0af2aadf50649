package dev.muster.server.kube;

import dev.muster.server.logging.Complaints;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClass;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimTemplate;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.fabric8.kubernetes.client.dsl.V1DynamicresourceAllocationAPIGroupDSL;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The objects of Dynamic Resource Allocation, followed where the cluster serves them
/// (`resource.k8s.io/v1`, Kubernetes 1.34 and newer); nothing is asked of it elsewhere.
final class DeviceWatch implements AutoCloseable {
  /// The version that we read.
  static final String API_VERSION = "resource.k8s.io/v1";

  /// The kind by which it is told whether they are served.
  static final String KIND = "ResourceSlice";

  private static final Logger log = LoggerFactory.getLogger(DeviceWatch.class);

  /// So many times in a row, a minute apart, they are said not to be served until that is believed:
  /// during an upgrade any of several API servers answers.
  static final int GONE = 5;

  /// What a watch reads from and tells.
  ///
  /// @param client where the objects are
  /// @param served whether the cluster serves an API version
  /// @param devices told of every object
  /// @param readers who must look again at what these objects say
  record Ends(
      KubernetesClient client, Predicate<String> served, Devices devices, Readers readers) {}

  /// Who must look again at objects about which the devices say something else now.
  interface Readers {
    /// The node has other GPUs, or other free ones.
    void node(String name);

    /// The claims of the pod `namespace/name` changed.
    void pod(String key);

    /// The claims of these pods may have changed.
    void pods(Predicate<Pod> which);
  }

  private final Ends ends;
  private final Complaints complaints = new Complaints();

  /// The claims that pods name themselves; each of the others belongs to one pod.
  private final Set<String> named = ConcurrentHashMap.newKeySet();

  private volatile List<Watched<?>> users = List.of();
  private volatile Optional<Watched<?>> slices = Optional.empty();
  private volatile boolean asked;
  private volatile boolean closed;
  private volatile int unserved;

  DeviceWatch(Ends ends) {
    this.ends = ends;
  }

  /// Asks whether the objects are served now, and follows them if they are: first those that say
  /// who has GPUs, and at a later call, once these are known, the GPUs themselves.
  void check() {
    try {
      boolean served = ends.served().test(API_VERSION);
      unserved = served ? 0 : unserved + 1;
      if (served) {
        follow(ends.client().dynamicResourceAllocation().v1());
      } else if (unserved >= GONE || users.isEmpty()) {
        watched().forEach(kind -> kind.close(true));
        slices = Optional.empty();
        users = List.of();
        tellServed(false);
        asked = true;
      }
    } catch (KubernetesClientException e) {
      if (!closed && complaints.isNew(Refusal.brief(e))) {
        log.warn("Whether {} is served could not be asked: {}", API_VERSION, Refusal.brief(e));
      }
    }
  }

  private void tellServed(boolean served) {
    if (ends.devices().served(served)) {
      if (!served) {
        log.info("Dynamic Resource Allocation: {} is not served", API_VERSION);
      }
      ends.readers().pods(pod -> !pod.getSpec().getResourceClaims().isEmpty());
    }
  }

  /// Who has GPUs is known before what GPUs there are: the other way round, those in use would look
  /// free.
  private synchronized void follow(V1DynamicresourceAllocationAPIGroupDSL api) {
    if (closed) {
      return;
    }
    if (users.isEmpty()) {
      log.info("Dynamic Resource Allocation: {}", API_VERSION);
      tellServed(true);
      users = users(api);
    } else if (slices.isEmpty() && users.stream().allMatch(Watched::isSynced)) {
      slices = Optional.of(slices(api));
      asked = true;
    }
  }

  /// What is followed, the slices first.
  Stream<Watched<?>> watched() {
    return Stream.concat(slices.stream(), users.stream());
  }

  private Watched<ResourceSlice> slices(V1DynamicresourceAllocationAPIGroupDSL api) {
    return new Watched<>(
        kind("ResourceSlices", api.resourcesSlices()),
        SlimStore.ofSlices(ends.devices()::areGpusOf),
        new Told<>(this::slice));
  }

  private List<Watched<?>> users(V1DynamicresourceAllocationAPIGroupDSL api) {
    var templates = api.resourceClaimTemplates().inAnyNamespace();
    var claims = api.resourceClaims().inAnyNamespace();
    return List.of(
        new Watched<>(
            kind("DeviceClasses", api.deviceClasses()),
            SlimStore.of(),
            new Told<>(this::deviceClass)),
        new Watched<>(
            kind("ResourceClaimTemplates", templates), SlimStore.of(), new Told<>(this::template)),
        new Watched<>(kind("ResourceClaims", claims), SlimStore.of(), new Told<>(this::claim)));
  }

  private <T extends HasMetadata> Kind<T> kind(String name, Informable<T> objects) {
    String path = "/apis/%s/%s".formatted(API_VERSION, name.toLowerCase(Locale.ROOT));
    return Kind.of(name, ends.client(), path, objects);
  }

  boolean isAsked() {
    return asked;
  }

  /// Whether it is known if the objects are served, and all of them were listed.
  boolean isSynced() {
    return asked && watched().allMatch(Watched::isSynced);
  }

  /// Whether they are out of sight; that their API is not served is no outage.
  boolean isLost() {
    return unserved == 0 && watched().anyMatch(Watched::isLost);
  }

  @Override
  public synchronized void close() {
    closed = true;
    watched().forEach(Watched::close);
  }

  private void tell(Set<String> nodes) {
    nodes.forEach(ends.readers()::node);
  }

  private static boolean names(Pod pod, String claimOrTemplate) {
    return PodClaim.of(pod).stream()
        .anyMatch(entry ->
            entry.claim().equals(Optional.of(claimOrTemplate))
                || entry.template().equals(Optional.of(claimOrTemplate)));
  }

  /// Takes what stands and what is gone alike.
  private record Told<T>(BiConsumer<String, Optional<T>> change) implements Watched.Sink<T> {
    @Override
    public void seen(String key, T object) {
      change.accept(key, Optional.of(object));
    }

    @Override
    public void gone(String key) {
      change.accept(key, Optional.empty());
    }
  }

  /// What nodes have is known before what pods want of it.
  private void tellSelected() {
    tellWithPods(ends.devices().selectedAnew());
  }

  /// What the pods on these nodes have of them hangs on what the nodes are said to have.
  private void tellWithPods(Set<String> nodes) {
    if (!nodes.isEmpty()) {
      tell(nodes);
      ends.readers().pods(pod -> nodes.contains(String.valueOf(pod.getSpec().getNodeName())));
    }
  }

  private void deviceClass(String key, Optional<DeviceClass> object) {
    boolean isNews = ends.devices().deviceClass(key, object);
    tellSelected();
    if (isNews) {
      ends.readers().pods(pod -> !pod.getSpec().getResourceClaims().isEmpty());
    }
  }

  private void slice(String key, Optional<ResourceSlice> object) {
    tellWithPods(ends.devices().slice(key, object));
  }

  private void template(String key, Optional<ResourceClaimTemplate> object) {
    boolean isNews = ends.devices().template(key, object);
    tellSelected();
    if (isNews) {
      ends.readers().pods(pod -> names(pod, key));
    }
  }

  private void claim(String key, Optional<ResourceClaim> object) {
    Optional<Set<String>> nodes = ends.devices().claim(key, object);
    tellSelected();
    if (nodes.isEmpty()) {
      return;
    }
    tell(nodes.get());
    Optional<String> maker = object.flatMap(DeviceWatch::maker);
    maker.ifPresent(ends.readers()::pod);
    if (object.isPresent() && maker.isEmpty()) {
      named.add(key);
    }
    if (named.contains(key)) {
      ends.readers().pods(pod -> names(pod, key));
    }
    if (object.isEmpty()) {
      named.remove(key);
    }
  }

  /// The pod for which the claim was made of a template.
  private static Optional<String> maker(ResourceClaim claim) {
    return claim.getMetadata().getOwnerReferences().stream()
        .filter(owner -> owner.getKind().equals("Pod"))
        .map(OwnerReference::getName)
        .map(name -> claim.getMetadata().getNamespace() + "/" + name)
        .findFirst();
  }
}
