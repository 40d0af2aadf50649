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
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
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
        .reduce(madeOfRequests(pod), Resources::plus);
  }

  /// Returns the GPUs of the claim that kube-scheduler made from the requests of containers. GPUs
  /// counted by the request itself are subtracted; a class may offer GPUs under another name.
  private Resources madeOfRequests(Pod pod) {
    Optional<PodExtendedResourceClaimStatus> made =
        Optional.ofNullable(pod.getStatus()).map(PodStatus::getExtendedResourceClaimStatus);
    Optional<ResourceClaim> claim =
        made.flatMap(named ->
            objects.claim(pod.getMetadata().getNamespace() + "/" + named.getResourceClaimName()));
    if (claim.isEmpty()) {
      return Resources.NONE;
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
    return Resources.of(gpus);
  }

  private Resources gpus(Pod pod, PodClaim named, boolean served) {
    Optional<ResourceClaim> claim = named.claim().flatMap(objects::claim);
    if (claim.isPresent() && isCountedElsewhere(pod, claim.get(), named.claim().orElseThrow())) {
      return Resources.NONE;
    }
    if (claim.flatMap(GpuAllocations::allocation).isPresent()) {
      return allocated(claim.get());
    }
    return claim
        .map(ResourceClaim::getSpec)
        .or(() -> named.template().flatMap(objects::template))
        .map(spec -> demand(named.toString(), spec))
        .orElseThrow(() -> served ? named.missing() : named.unreadable());
  }

  private Resources allocated(ResourceClaim claim) {
    return allocations.counted(allocations.whole(claim, _ -> true));
  }

  private Resources demand(String what, ResourceClaimSpec spec) {
    Map<String, Long> gpus = new TreeMap<>();
    for (Wanted wanted : objects.demanded(what, spec)) {
      gpus.merge(wanted.accelerator(), wanted.count(), Long::sum);
      wanted
          .selection()
          .filter(selections::count)
          .ifPresent(selection -> gpus.merge(selection.name(), wanted.count(), Long::sum));
    }
    return Resources.of(gpus);
  }

  /// True if another pod is counted for a shared claim: the first holder, or the first pod that
  /// names it. A further pod without a node is refused, since the node it must use is not known
  /// here.
  private boolean isCountedElsewhere(Pod pod, ResourceClaim claim, String key) {
    Optional<Sharer> first =
        ClaimObjects.user(claim)
            .map(holder -> new Sharer(holder.getName(), holder.getUid()))
            .or(() -> sharers.first(key));
    boolean others = first.isPresent() && !first.get().uid().equals(pod.getMetadata().getUid());
    if (others && Objects.requireNonNullElse(pod.getSpec().getNodeName(), "").isEmpty()) {
      throw new IllegalArgumentException(
          "The ResourceClaim %s is in use by %s; pods that share GPUs are not supported. Name a ResourceClaimTemplate in spec.resourceClaims, so that each pod has its own claim."
              .formatted(claim.getMetadata().getName(), first.orElseThrow().name()));
    }
    return others;
  }
}
