package dev.muster.server.kube.dra;

import dev.muster.core.gang.Resources;
import dev.muster.core.node.GpuModel;
import dev.muster.server.kube.dra.GpuSlice.DeviceId;
import dev.muster.server.kube.dra.GpuSlice.Gpu;
import dev.muster.server.kube.dra.GpuSlice.Pool;
import dev.muster.server.kube.dra.GpuSlice.SharedCounter;
import io.fabric8.kubernetes.api.model.resource.v1.AllocationResult;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceAllocationResult;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimStatus;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/// The GPUs of the slices and their allocation to ResourceClaims.
///
/// Not safe for use by several threads.
final class GpuAllocations {
  private final GpuDeviceClasses offers;
  private final DeviceSelections selections;
  private final SlicePools pools;
  private final Map<DeviceId, String> holders = new HashMap<>();

  GpuAllocations(GpuDeviceClasses offers, DeviceSelections selections, SlicePools pools) {
    this.offers = offers;
    this.selections = selections;
    this.pools = pools;
  }

  // ---- GPUs of claims ----

  /// Records the devices that a claim holds now.
  ///
  /// @param before previous state of the claim; empty if it is new
  /// @param now current state of the claim; empty if it is deleted
  /// @return the nodes to read again
  Set<String> hold(String key, Optional<ResourceClaim> before, Optional<ResourceClaim> now) {
    List<DeviceId> had = before.map(this::devices).orElseGet(List::of);
    List<DeviceId> has = now.map(this::devices).orElseGet(List::of);
    had.forEach(device -> holders.remove(device, key));
    has.forEach(device -> holders.put(device, key));
    return had.equals(has) ? Set.of() : nodes(had, has);
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

  /// Returns the whole GPUs that are allocated to some requests of the claim.
  ///
  /// @param ofRequest true for the name of a request that matters
  List<DeviceId> whole(ResourceClaim claim, Predicate<String> ofRequest) {
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
        .filter(result ->
            offers.acceleratorOf(result.getDriver()).isPresent()
                && ofRequest.test(result.getRequest()))
        .map(result ->
            new DeviceId(new Pool(result.getDriver(), result.getPool()), result.getDevice()))
        .distinct()
        .toList();
  }

  /// Returns the devices that kube-scheduler allocated to the claim; empty before it does.
  static Optional<DeviceAllocationResult> allocation(ResourceClaim claim) {
    return Optional.ofNullable(claim.getStatus())
        .map(ResourceClaimStatus::getAllocation)
        .map(AllocationResult::getDevices);
  }

  /// Counts GPUs as extended resources, including one for each selection that matches them.
  Resources counted(Collection<DeviceId> devices) {
    Map<String, Long> gpus = new TreeMap<>();
    for (DeviceId device : devices) {
      offers
          .acceleratorOf(device.pool().driver())
          .ifPresent(accelerator -> gpus.merge(accelerator, 1L, Long::sum));
      selections
          .taking(device, pools.names(device.pool()))
          .forEach(selection -> gpus.merge(selection, 1L, Long::sum));
    }
    return Resources.of(gpus);
  }

  // ---- GPUs of nodes ----

  /// Returns the GPUs that slices offer on the node.
  NodeGpus of(String node) {
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
}
