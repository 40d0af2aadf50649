package dev.muster.server.kube;

import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClass;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimTemplate;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.V1DynamicresourceAllocationAPIGroupDSL;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
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
  private static final long PAGE = 1000;

  /// What a watch reads from and tells.
  ///
  /// @param client where the objects are
  /// @param served whether the cluster serves an API version
  /// @param devices told of every object
  /// @param readers who must look again at what these objects say
  record World(
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

  private final World world;
  private final Complaints complaints = new Complaints();
  private volatile List<Watched<?>> watched = List.of();
  private volatile boolean asked;

  DeviceWatch(World world) {
    this.world = world;
  }

  /// Asks whether the objects are served now, and follows them if they are.
  void check() {
    try {
      boolean served = world.served().test(API_VERSION);
      if (served && watched.isEmpty()) {
        log.info("Dynamic Resource Allocation: {}", API_VERSION);
        watched = watch(world.client().dynamicResourceAllocation().v1());
      } else if (!served) {
        watched.forEach(kind -> kind.close(true));
        watched = List.of();
      }
      asked = true;
    } catch (KubernetesClientException e) {
      if (complaints.isNew(String.valueOf(e.getMessage()))) {
        log.warn("Whether {} is served could not be asked: {}", API_VERSION, e.getMessage());
      }
    }
  }

  private List<Watched<?>> watch(V1DynamicresourceAllocationAPIGroupDSL api) {
    return List.of(
        new Watched<>(
            "device classes",
            () -> api.deviceClasses().runnableInformer(0),
            SlimStore.of(),
            new Classes()),
        new Watched<>(
            "ResourceSlices",
            () -> api.resourcesSlices().withLimit(PAGE).runnableInformer(0),
            SlimStore.ofSlices(),
            new Slices()),
        new Watched<>(
            "ResourceClaimTemplates",
            () -> api.resourceClaimTemplates().inAnyNamespace().withLimit(PAGE).runnableInformer(0),
            SlimStore.of(),
            new Templates()),
        new Watched<>(
            "ResourceClaims",
            () -> api.resourceClaims().inAnyNamespace().withLimit(PAGE).runnableInformer(0),
            SlimStore.of(),
            new Claims()));
  }

  boolean isAsked() {
    return asked;
  }

  /// Whether it is known if the objects are served, and all of them were listed.
  boolean isSynced() {
    return asked && watched.stream().allMatch(Watched::isSynced);
  }

  boolean isLost() {
    return watched.stream().anyMatch(Watched::isLost);
  }

  void reconcile() {
    watched.forEach(Watched::reconcile);
  }

  @Override
  public void close() {
    watched.forEach(Watched::close);
  }

  private void tell(Set<String> nodes) {
    nodes.forEach(world.readers()::node);
  }

  private static boolean names(Pod pod, String claimOrTemplate) {
    return PodClaim.of(pod).stream()
        .anyMatch(entry ->
            entry.claim().filter(claimOrTemplate::equals).isPresent()
                || entry.template().filter(claimOrTemplate::equals).isPresent());
  }

  private final class Classes implements Watched.Sink<DeviceClass> {
    @Override
    public void seen(String key, DeviceClass object) {
      changed(world.devices().deviceClass(key, Optional.of(object)));
    }

    @Override
    public void gone(String key) {
      changed(world.devices().deviceClass(key, Optional.empty()));
    }

    private void changed(boolean news) {
      if (news) {
        world.readers().pods(pod -> !pod.getSpec().getResourceClaims().isEmpty());
      }
    }
  }

  private final class Slices implements Watched.Sink<ResourceSlice> {
    @Override
    public void seen(String key, ResourceSlice object) {
      tell(world.devices().slice(key, Optional.of(object)));
    }

    @Override
    public void gone(String key) {
      tell(world.devices().slice(key, Optional.empty()));
    }
  }

  private final class Templates implements Watched.Sink<ResourceClaimTemplate> {
    @Override
    public void seen(String key, ResourceClaimTemplate object) {
      changed(key, world.devices().template(key, Optional.of(object)));
    }

    @Override
    public void gone(String key) {
      changed(key, world.devices().template(key, Optional.empty()));
    }

    private void changed(String key, boolean news) {
      if (news) {
        world.readers().pods(pod -> names(pod, key));
      }
    }
  }

  private final class Claims implements Watched.Sink<ResourceClaim> {
    /// Those that pods name themselves; each of the others belongs to one pod.
    private final Set<String> named = ConcurrentHashMap.newKeySet();

    @Override
    public void seen(String key, ResourceClaim claim) {
      tell(world.devices().claim(key, Optional.of(claim)));
      Optional<String> maker = maker(claim);
      if (maker.isPresent()) {
        world.readers().pod(maker.get());
      } else {
        named.add(key);
        world.readers().pods(pod -> names(pod, key));
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

    @Override
    public void gone(String key) {
      tell(world.devices().claim(key, Optional.empty()));
      if (named.remove(key)) {
        world.readers().pods(pod -> names(pod, key));
      }
    }
  }
}
