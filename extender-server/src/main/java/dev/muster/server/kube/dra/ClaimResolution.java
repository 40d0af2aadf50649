package dev.muster.server.kube.dra;

import dev.muster.core.gang.Resources;
import dev.muster.server.kube.dra.ClaimDemand.Wanted;
import dev.muster.server.kube.dra.ClaimSharers.Sharer;
import dev.muster.server.kube.dra.GpuSlice.DeviceId;
import io.fabric8.kubernetes.api.model.ContainerExtendedResourceRequest;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodExtendedResourceClaimStatus;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimSpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/// Resolves the ResourceClaims of a pod to the GPUs that it holds or requests.
///
/// @param offers drivers and device classes of GPUs
/// @param selections counted selections of GPUs
/// @param objects known claims and templates
/// @param allocations GPUs allocated to claims
/// @param sharers pods that name each claim
record ClaimResolution(
    GpuDeviceClasses offers,
    DeviceSelections selections,
    ClaimObjects objects,
    GpuAllocations allocations,
    ClaimSharers sharers) {
  /// Returns the GPUs of the pod as extended resources.
  ///
  /// @param served true if the cluster serves claims, so that a missing one does not exist
  /// @throws IllegalArgumentException if their number is unknown
  Resources gpus(Pod pod, boolean served) {
    return PodClaim.of(pod).stream()
        .map(named -> gpus(pod, named, served))
        .reduce(madeOfRequests(pod).orElseGet(() -> ofClasses(pod)), Resources::plus);
  }

  /// True if the pod may take GPUs that are not counted for another pod, also if their number is
  /// unknown. A claim that does not exist may be for GPUs.
  boolean mayTakeGpus(Pod pod) {
    Predicate<String> isCountedElsewhere =
        key -> objects.claim(key).filter(claim -> isCountedElsewhere(pod, claim, key)).isPresent();
    return ClassRequests.of(pod).filter(objects::mayTakeGpus).isPresent()
        || PodClaim.of(pod).stream()
            .anyMatch(named -> mayTakeGpus(named.claim(), named.template(), isCountedElsewhere));
  }

  /// True if a pod with this claim, or one of this template, may take GPUs. It takes none of a
  /// claim that has them, and is counted for another pod.
  boolean mayTakeGpus(
      Optional<String> key, Optional<String> template, Predicate<String> isCountedElsewhere) {
    Optional<ResourceClaim> claim = key.flatMap(objects::claim);
    if (claim.flatMap(GpuAllocations::allocation).isPresent()
        && isCountedElsewhere.test(key.orElseThrow())) {
      return false;
    }
    return claim
        .map(ResourceClaim::getSpec)
        .or(() -> template.flatMap(objects::template))
        .map(objects::mayTakeGpus)
        .orElse(true);
  }

  /// Returns the GPUs that the pod requests by the names of device classes. kube-scheduler makes a
  /// claim for them.
  private Resources ofClasses(Pod pod) {
    Optional<ResourceClaimSpec> spec = ClassRequests.of(pod);
    return spec.isPresent()
        ? demand(objects.demanded(ClassRequests.NAME, spec.get()))
        : Resources.NONE;
  }

  /// Returns the GPUs of the claim that kube-scheduler made from requests of containers. It is
  /// empty while the claim has none. GPUs that a request itself counts are subtracted; a class may
  /// offer GPUs under another name.
  private Optional<Resources> madeOfRequests(Pod pod) {
    Optional<PodExtendedResourceClaimStatus> made =
        Optional.ofNullable(pod.getStatus()).map(PodStatus::getExtendedResourceClaimStatus);
    Optional<ResourceClaim> claim =
        made.flatMap(named ->
                objects.claim(
                    pod.getMetadata().getNamespace() + "/" + named.getResourceClaimName()))
            .filter(found -> GpuAllocations.allocation(found).isPresent());
    if (claim.isEmpty()) {
      return Optional.empty();
    }
    Set<String> counted =
        made.get().getRequestMappings().stream()
            .filter(mapping -> offers.isAccelerator(mapping.getResourceName()))
            .map(ContainerExtendedResourceRequest::getRequestName)
            .collect(Collectors.toSet());
    SortedMap<String, Long> gpus = allocated(claim.get()).asMap();
    for (DeviceId device : allocations.whole(claim.get(), counted::contains)) {
      offers
          .acceleratorOf(device.pool().driver())
          .ifPresent(accelerator -> gpus.merge(accelerator, -1L, Long::sum));
    }
    return Optional.of(Resources.of(gpus));
  }

  private Resources gpus(Pod pod, PodClaim named, boolean served) {
    Optional<ResourceClaim> claim = named.claim().flatMap(objects::claim);
    Optional<ResourceClaim> kept =
        named
            .claim()
            .flatMap(key -> sharers.kept(pod, key))
            .filter(deleted -> claim.filter(now -> ClaimObjects.isSame(now, deleted)).isEmpty());
    if (kept.isPresent()) {
      boolean counts =
          sharers
              .keeper(kept.get(), named.claim().orElseThrow())
              .filter(first -> first.uid().equals(pod.getMetadata().getUid()))
              .isPresent();
      return counts ? allocated(kept.get()) : Resources.NONE;
    }
    if (claim.isPresent() && isCountedElsewhere(pod, claim.get(), named.claim().orElseThrow())) {
      if (ClaimSharers.hasNode(pod)) {
        return Resources.NONE;
      }
      throw shared(claim.get(), named.claim().orElseThrow());
    }
    if (claim.flatMap(GpuAllocations::allocation).isPresent()) {
      return allocated(claim.get());
    }
    String what = named.toString();
    return named
        .claim()
        .flatMap(key -> objects.ofClaim(what, key))
        .or(() -> named.template().flatMap(key -> objects.ofTemplate(what, key)))
        .map(this::demand)
        .orElseThrow(() -> served ? named.missing() : named.unreadable());
  }

  private Resources allocated(ResourceClaim claim) {
    return allocations.counted(allocations.whole(claim, _ -> true));
  }

  private Resources demand(List<Wanted> requests) {
    Map<String, Long> gpus = new TreeMap<>();
    for (Wanted wanted : requests) {
      gpus.merge(wanted.accelerator(), wanted.count(), Long::sum);
      wanted
          .selection()
          .filter(selections::count)
          .ifPresent(selection -> gpus.merge(selection.name(), wanted.count(), Long::sum));
    }
    return Resources.of(gpus);
  }

  /// True if another pod is counted for a shared claim: the first holder, or the first pod that
  /// names it.
  private boolean isCountedElsewhere(Pod pod, ResourceClaim claim, String key) {
    return counted(claim, key)
        .filter(first -> !first.uid().equals(pod.getMetadata().getUid()))
        .isPresent();
  }

  /// True if some pod is counted for the claim.
  boolean isTaken(String key) {
    return objects.claim(key).flatMap(claim -> counted(claim, key)).isPresent();
  }

  private Optional<Sharer> counted(ResourceClaim claim, String key) {
    return ClaimObjects.holders(claim).findFirst().or(() -> sharers.first(key));
  }

  /// Returns the refusal of a further pod without a node: the node that it must use is not known
  /// here.
  private IllegalArgumentException shared(ResourceClaim claim, String key) {
    return new IllegalArgumentException(
        "The ResourceClaim %s is in use by %s; pods that share GPUs are not supported. Name a ResourceClaimTemplate in spec.resourceClaims, so that each pod has its own claim."
            .formatted(
                claim.getMetadata().getName(), counted(claim, key).map(Sharer::name).orElse("")));
  }
}
