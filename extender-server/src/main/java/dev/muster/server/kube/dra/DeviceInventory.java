package dev.muster.server.kube.dra;

import dev.muster.core.gang.Resources;
import dev.muster.core.node.GpuModel;
import dev.muster.server.kube.client.ReadResult;
import dev.muster.server.kube.dra.ClaimDemand.Wanted;
import dev.muster.server.kube.dra.GpuSlice.DeviceId;
import dev.muster.server.kube.dra.GpuSlice.Gpu;
import dev.muster.server.kube.dra.GpuSlice.Pool;
import dev.muster.server.kube.dra.GpuSlice.SharedCounter;
import io.fabric8.kubernetes.api.model.ContainerExtendedResourceRequest;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodExtendedResourceClaimStatus;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.resource.v1.AllocationResult;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceAllocationResult;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClass;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimConsumerReference;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimSpec;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimStatus;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimTemplate;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Counts GPUs from the objects of Dynamic Resource Allocation.
///
/// - ResourceSlices: the GPUs of each node.
/// - ResourceClaims: the pods that hold GPUs.
/// - Claims and their templates: the number of GPUs that a pod requests.
///
/// kube-scheduler's own plugin allocates the devices, after Muster has chosen the node. Here they
/// are only counted, as the extended resource of their vendor (`nvidia.com/gpu`), as if the pod had
/// requested it. GPUs that match the selectors of claims are counted a second time, as a separate
/// resource ([DeviceSelections]). A pod whose resource request kube-scheduler turns into a claim is
/// counted once, by its request.
///
/// Safe for use by several threads. Keys are `namespace/name`, or `name`.
public final class DeviceInventory {
  private final GpuDeviceClasses offers;
  private final DeviceSelections selections;
  private final SlicePools pools = new SlicePools();
  private final Map<String, ResourceClaim> claims = new ConcurrentHashMap<>();
  private final Map<DeviceId, String> holders = new HashMap<>();
  private final Map<String, ResourceClaimTemplate> templates = new ConcurrentHashMap<>();
  private final Map<String, DeviceClass> classes = new ConcurrentHashMap<>();
  private final Set<String> selectedAnew = new TreeSet<>();
  private boolean served = true;

  public DeviceInventory(List<String> accelerators) {
    offers = new GpuDeviceClasses(accelerators);
    selections = new DeviceSelections(offers);
  }

  /// True if devices of the driver are GPUs.
  public boolean areGpusOf(String driver) {
    return offers.acceleratorOf(driver).isPresent();
  }

  /// Records if the cluster serves the API version; true if that changed.
  public synchronized boolean served(boolean now) {
    boolean isNews = now != served;
    served = now;
    return isNews;
  }

  // ---- Objects seen; each method returns the nodes to read again ----

  /// Records the current state of a slice; empty if it is deleted.
  public synchronized Set<String> slice(String name, Optional<ResourceSlice> slice) {
    Optional<GpuSlice> read =
        slice.filter(known -> areGpusOf(known.getSpec().getDriver())).map(GpuSlice::of);
    Optional<GpuSlice> before = pools.get(name);
    if (read.equals(before)) {
      return Set.of();
    }
    before.ifPresent(selections::forget);
    return pools.put(name, read);
  }

  /// Records the current state of a claim; empty if it is deleted.
  ///
  /// @return the nodes to read again; absent if nothing relevant changed
  public synchronized Optional<Set<String>> claim(String key, Optional<ResourceClaim> claim) {
    Optional<ResourceClaim> before =
        Optional.ofNullable(claim.isPresent() ? claims.put(key, claim.get()) : claims.remove(key));
    if (before.map(DeviceInventory::said).equals(claim.map(DeviceInventory::said))) {
      return Optional.empty();
    }
    claim.map(ResourceClaim::getSpec).ifPresent(this::select);
    List<DeviceId> had = before.map(this::devices).orElseGet(List::of);
    List<DeviceId> has = claim.map(this::devices).orElseGet(List::of);
    had.forEach(device -> holders.remove(device, key));
    has.forEach(device -> holders.put(device, key));
    return Optional.of(had.equals(has) ? Set.of() : nodes(had, has));
  }

  /// Returns the relevant parts of a claim: its request and its allocation. The metadata also
  /// change for other reasons.
  private static List<Optional<Object>> said(ResourceClaim claim) {
    return List.of(
        Optional.ofNullable(claim.getSpec()),
        Optional.ofNullable(claim.getStatus()),
        Optional.ofNullable(claim.getMetadata().getUid()));
  }

  private Set<String> nodes(List<DeviceId> some, List<DeviceId> others) {
    Set<String> nodes = new TreeSet<>();
    for (List<DeviceId> devices : List.of(some, others)) {
      for (DeviceId device : devices) {
        pools.of(device.pool()).forEach(slice -> nodes.add(slice.node()));
      }
    }
    nodes.remove(GpuSlice.NO_NODE);
    return nodes;
  }

  /// Records the current state of a template, empty if it is deleted; true if it changed.
  public synchronized boolean template(String key, Optional<ResourceClaimTemplate> template) {
    boolean isNews = isNews(templates, key, template);
    template.ifPresent(known -> select(known.getSpec().getSpec()));
    return isNews;
  }

  /// Records the current state of a device class, empty if it is deleted; true if it changed.
  public synchronized boolean deviceClass(String name, Optional<DeviceClass> known) {
    boolean isNews = isNews(classes, name, known);
    if (isNews) {
      specs().forEach(this::select);
    }
    return isNews;
  }

  private static <T> boolean isNews(Map<String, T> all, String key, Optional<T> one) {
    T before = one.isPresent() ? all.put(key, one.get()) : all.remove(key);
    return !one.equals(Optional.ofNullable(before));
  }

  private Stream<ResourceClaimSpec> specs() {
    return Stream.concat(
        templates.values().stream().map(template -> template.getSpec().getSpec()),
        claims.values().stream().map(ResourceClaim::getSpec).filter(Objects::nonNull));
  }

  /// Starts counting the GPUs that match the selectors of the claim.
  private void select(ResourceClaimSpec spec) {
    for (DeviceSelection selection : selections(spec)) {
      selectedAnew.addAll(
          selections.add(
              selection,
              pools.all(),
              () ->
                  specs()
                      .flatMap(each -> selections(each).stream())
                      .map(DeviceSelection::name)
                      .collect(Collectors.toSet())));
    }
  }

  private List<DeviceSelection> selections(ResourceClaimSpec spec) {
    try {
      return demanded("", spec).stream().map(Wanted::selection).flatMap(Optional::stream).toList();
    } catch (IllegalArgumentException _) {
      return List.of(); // the error is reported for the pod
    }
  }

  /// Returns, once, the nodes to read again because the selectors of claims changed. Their pods
  /// must be read again too.
  public synchronized Set<String> selectedAnew() {
    Set<String> nodes = Set.copyOf(selectedAnew);
    selectedAnew.clear();
    return nodes;
  }

  // ---- GPUs of nodes ----

  /// Returns the GPUs that slices offer on the node.
  public synchronized NodeGpus of(String node) {
    List<GpuSlice> slices = pools.current(node);
    List<SharedCounter> given =
        slices.stream()
            .flatMap(slice -> slice.parts().stream())
            .filter(part -> holders.containsKey(part.id()))
            .toList();
    List<Gpu> gpus =
        slices.stream()
            .flatMap(slice -> slice.gpus().stream())
            .filter(gpu -> holders.containsKey(gpu.id()) || isOpen(gpu, given))
            .toList();
    return gpus.isEmpty()
        ? NodeGpus.NONE
        : new NodeGpus(counted(gpus.stream().map(Gpu::id).toList()), free(gpus), model(gpus));
  }

  private static boolean isOpen(Gpu gpu, List<SharedCounter> given) {
    return gpu.open() && given.stream().noneMatch(gpu::mayHave);
  }

  private Resources counted(Collection<DeviceId> devices) {
    Map<String, Long> gpus = new TreeMap<>();
    for (DeviceId device : devices) {
      offers
          .acceleratorOf(device.pool().driver())
          .ifPresent(accelerator -> gpus.merge(accelerator, 1L, Long::sum));
      selections
          .taking(device, pools.of(device.pool()))
          .forEach(selection -> gpus.merge(selection, 1L, Long::sum));
    }
    return Resources.of(gpus);
  }

  private Optional<SortedSet<Integer>> free(List<Gpu> gpus) {
    Set<Integer> all =
        gpus.stream().map(Gpu::index).flatMap(Optional::stream).collect(Collectors.toSet());
    return all.size() < gpus.size()
        ? Optional.empty()
        : Optional.of(
            gpus.stream()
                .filter(gpu -> !holders.containsKey(gpu.id()))
                .map(gpu -> gpu.index().orElseThrow())
                .collect(Collectors.toCollection(TreeSet::new)));
  }

  private static GpuModel model(List<Gpu> gpus) {
    List<GpuModel> models = gpus.stream().map(Gpu::model).distinct().toList();
    return models.size() == 1 ? models.getFirst() : GpuModel.UNKNOWN;
  }

  // ---- Demand of pods ----

  /// Returns the GPUs that a pod holds or requests by claims, as extended resources. The result is
  /// a problem if their number is unknown.
  public synchronized ReadResult<Resources> claimedBy(Pod pod) {
    return ReadResult.of(
        pod,
        () ->
            PodClaim.of(pod).stream()
                .map(named -> gpus(pod, named))
                .reduce(madeOfRequests(pod), Resources::plus));
  }

  /// Returns the GPUs of the claim that kube-scheduler made from the requests of containers. GPUs
  /// counted by the request itself are subtracted; a class may offer GPUs under another name.
  private Resources madeOfRequests(Pod pod) {
    Optional<PodExtendedResourceClaimStatus> made =
        Optional.ofNullable(pod.getStatus()).map(PodStatus::getExtendedResourceClaimStatus);
    Optional<ResourceClaim> claim =
        made.map(named ->
            claims.get(pod.getMetadata().getNamespace() + "/" + named.getResourceClaimName()));
    if (claim.isEmpty()) {
      return Resources.NONE;
    }
    Set<String> counted =
        made.get().getRequestMappings().stream()
            .filter(mapping -> offers.isAccelerator(mapping.getResourceName()))
            .map(ContainerExtendedResourceRequest::getRequestName)
            .collect(Collectors.toSet());
    SortedMap<String, Long> gpus = counted(whole(claim.get(), _ -> true)).asMap();
    for (DeviceId device : whole(claim.get(), counted::contains)) {
      offers
          .acceleratorOf(device.pool().driver())
          .ifPresent(accelerator -> gpus.merge(accelerator, -1L, Long::sum));
    }
    return Resources.of(gpus);
  }

  /// True if a new pod with all these claims and templates is known to request countable GPUs.
  ///
  /// Never blocks: the webhook calls it on a thread that serves other requests. Evaluating a new
  /// selection for all GPUs would take too long here.
  public boolean areGpus(Collection<String> claimKeys, Collection<String> templateKeys) {
    List<Optional<ResourceClaimSpec>> specs =
        Stream.concat(
                claimKeys.stream()
                    .map(key -> Optional.ofNullable(claims.get(key)))
                    .map(claim -> claim.filter(known -> user(known).isEmpty()))
                    .map(claim -> claim.map(ResourceClaim::getSpec)),
                templateKeys.stream()
                    .map(key -> Optional.ofNullable(templates.get(key)))
                    .map(template -> template.map(known -> known.getSpec().getSpec())))
            .toList();
    try {
      return specs.stream().allMatch(Optional::isPresent)
          && specs.stream()
                  .flatMap(spec -> demanded("", spec.orElseThrow()).stream())
                  .mapToLong(Wanted::count)
                  .sum()
              > 0;
    } catch (IllegalArgumentException _) {
      return false;
    }
  }

  private Resources gpus(Pod pod, PodClaim named) {
    Optional<ResourceClaim> claim = named.claim().map(claims::get);
    if (claim.flatMap(DeviceInventory::allocation).isPresent()) {
      return isCountedElsewhere(pod, claim.get())
          ? Resources.NONE
          : counted(whole(claim.get(), _ -> true));
    }
    return claim
        .map(ResourceClaim::getSpec)
        .or(() -> named.template().map(templates::get).map(known -> known.getSpec().getSpec()))
        .map(spec -> demand(named.toString(), spec))
        .orElseThrow(() -> served ? named.missing() : named.unreadable());
  }

  private Resources demand(String what, ResourceClaimSpec spec) {
    Map<String, Long> gpus = new TreeMap<>();
    for (Wanted wanted : demanded(what, spec)) {
      gpus.merge(wanted.accelerator(), wanted.count(), Long::sum);
      wanted
          .selection()
          .filter(selections::count)
          .ifPresent(selection -> gpus.merge(selection.name(), wanted.count(), Long::sum));
    }
    return Resources.of(gpus);
  }

  private List<Wanted> demanded(String what, ResourceClaimSpec spec) {
    return new ClaimDemand(
            what, (name, own) -> offers.offer(name, own, Optional.ofNullable(classes.get(name))))
        .of(spec);
  }

  /// True if another pod is counted for a shared claim: only the first holder is counted. A further
  /// pod without a node is refused, since the node it must use is not known here.
  private static boolean isCountedElsewhere(Pod pod, ResourceClaim claim) {
    Optional<ResourceClaimConsumerReference> first = user(claim);
    boolean others = first.isPresent() && !first.get().getUid().equals(pod.getMetadata().getUid());
    if (others && Objects.requireNonNullElse(pod.getSpec().getNodeName(), "").isEmpty()) {
      throw new IllegalArgumentException(
          "The ResourceClaim %s is in use by %s; pods that share GPUs are not supported. Name a ResourceClaimTemplate in spec.resourceClaims, so that each pod has its own claim."
              .formatted(claim.getMetadata().getName(), first.orElseThrow().getName()));
    }
    return others;
  }

  /// Returns the first holder of the claim.
  private static Optional<ResourceClaimConsumerReference> user(ResourceClaim claim) {
    return Optional.ofNullable(claim.getStatus()).stream()
        .flatMap(status -> status.getReservedFor().stream())
        .findFirst();
  }

  private List<DeviceId> whole(ResourceClaim claim, Predicate<String> ofRequest) {
    return devices(claim, ofRequest).stream().filter(this::isWhole).toList();
  }

  private boolean isWhole(DeviceId device) {
    List<GpuSlice> pool = pools.of(device.pool());
    return pool.isEmpty()
        || pool.stream()
            .flatMap(slice -> slice.gpus().stream())
            .anyMatch(gpu -> gpu.id().equals(device));
  }

  /// Returns the GPU devices that are allocated to the claim exclusively.
  private List<DeviceId> devices(ResourceClaim claim) {
    return devices(claim, _ -> true);
  }

  private List<DeviceId> devices(ResourceClaim claim, Predicate<String> ofRequest) {
    return allocation(claim).map(DeviceAllocationResult::getResults).orElseGet(List::of).stream()
        .filter(result -> !Boolean.TRUE.equals(result.getAdminAccess()))
        .filter(result -> areGpusOf(result.getDriver()) && ofRequest.test(result.getRequest()))
        .map(result ->
            new DeviceId(new Pool(result.getDriver(), result.getPool()), result.getDevice()))
        .distinct()
        .toList();
  }

  private static Optional<DeviceAllocationResult> allocation(ResourceClaim claim) {
    return Optional.ofNullable(claim.getStatus())
        .map(ResourceClaimStatus::getAllocation)
        .map(AllocationResult::getDevices);
  }
}
