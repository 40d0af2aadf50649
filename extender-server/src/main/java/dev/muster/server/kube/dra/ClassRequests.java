package dev.muster.server.kube.dra;

import dev.muster.server.kube.client.Quantities;
import dev.muster.server.kube.client.WellKnownNames;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceRequest;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceRequestBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimSpec;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimSpecBuilder;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/// Requests of containers by the name of a device class
/// (`deviceclass.resource.kubernetes.io/CLASS`), for which kube-scheduler makes a claim.
public final class ClassRequests {
  /// The part of such a resource name before the class.
  public static final String PREFIX = WellKnownNames.DEVICES_OF_CLASS;

  /// The name of the claim in errors.
  static final String NAME = "The claim for containers";

  private ClassRequests() {}

  /// True if the resource has the name of a device class.
  public static boolean isOne(String resource) {
    return resource.startsWith(PREFIX);
  }

  /// True if the pod has claims, or kube-scheduler makes one for it.
  public static boolean mayClaim(Pod pod) {
    return !pod.getSpec().getResourceClaims().isEmpty() || isNamedBy(pod.getSpec());
  }

  /// True if a container has such a request. Looks at names alone, since every pod is asked.
  private static boolean isNamedBy(PodSpec spec) {
    return Stream.of(spec.getContainers(), spec.getInitContainers())
        .flatMap(List::stream)
        .map(Container::getResources)
        .filter(Objects::nonNull)
        .flatMap(resources -> Stream.of(resources.getLimits(), resources.getRequests()))
        .filter(Objects::nonNull)
        .anyMatch(amounts -> amounts.keySet().stream().anyMatch(ClassRequests::isOne));
  }

  /// Returns the claim that asks for the sum of these requests; empty if no container has one. Init
  /// containers are in the sum, so it may ask for more than the pod needs.
  static Optional<ResourceClaimSpec> of(Pod pod) {
    PodSpec spec = pod.getSpec();
    if (!isNamedBy(spec)) {
      return Optional.empty();
    }
    Map<String, Long> counts = new TreeMap<>();
    Stream.of(spec.getContainers(), spec.getInitContainers())
        .flatMap(List::stream)
        .map(ClassRequests::requests)
        .forEach(requests ->
            requests.forEach((name, count) -> {
              if (isOne(name) && count > 0) {
                counts.merge(name.substring(PREFIX.length()), count, Long::sum);
              }
            }));
    List<DeviceRequest> requests =
        counts.entrySet().stream().map(each -> request(each.getKey(), each.getValue())).toList();
    return requests.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new ResourceClaimSpecBuilder()
                .withNewDevices()
                .withRequests(requests)
                .endDevices()
                .build());
  }

  private static Map<String, Long> requests(Container container) {
    ResourceRequirements resources =
        Objects.requireNonNullElseGet(container.getResources(), ResourceRequirements::new);
    Map<String, Long> requests = Quantities.amounts(resources.getLimits());
    requests.putAll(Quantities.amounts(resources.getRequests()));
    return requests;
  }

  private static DeviceRequest request(String name, long count) {
    return new DeviceRequestBuilder()
        .withName(name)
        .withNewExactly()
        .withDeviceClassName(name)
        .withCount(count)
        .endExactly()
        .build();
  }
}
