package dev.muster.server.kube.codec;

import dev.muster.core.gang.Resources;
import dev.muster.server.kube.client.Quantities;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Computes the resources that a pod takes from its node, by the rules of Kubernetes.
///
/// - Containers and restartable init containers (sidecars) run together.
/// - A plain init container runs beside only the sidecars started before it.
/// - The pod takes the larger of the two sums, or its pod-level request, plus its overhead, plus
///   one pod slot.
/// - During an in-place resize, it takes the maximum of its actual, allocated and requested
///   resources. The requested ones are ignored if the node can never provide them.
public final class PodRequests {
  private PodRequests() {}

  static Resources of(Pod pod) {
    PodSpec spec = pod.getSpec();
    Map<String, Long> together = new TreeMap<>();
    Map<String, Long> sidecars = new TreeMap<>();
    Map<String, Long> starting = new TreeMap<>();
    for (Container container : spec.getInitContainers()) {
      boolean sidecar = "Always".equals(container.getRestartPolicy());
      Map<String, Long> own =
          sidecar ? requests(pod, container) : requests(container.getResources());
      own.forEach((name, amount) ->
          starting.merge(name, amount + sidecars.getOrDefault(name, 0L), Long::max));
      if (sidecar) {
        add(sidecars, own);
      }
    }
    spec.getContainers().forEach(container -> add(together, requests(pod, container)));
    add(together, sidecars);
    starting.forEach((name, amount) -> together.merge(name, amount, Long::max));
    askedForWhole(pod).forEach(together::put);
    add(together, Quantities.amounts(spec.getOverhead()));
    together.merge(Resources.PODS, 1L, Long::sum);
    return Resources.of(together);
  }

  private static Map<String, Long> askedForWhole(Pod pod) {
    PodSpec spec = pod.getSpec();
    Map<String, Long> asked =
        spec.getResources() == null
            ? new TreeMap<>()
            : Quantities.amounts(spec.getResources().getRequests());
    PodStatus status = Objects.requireNonNullElseGet(pod.getStatus(), PodStatus::new);
    Map<String, Long> has = most(held(status.getAllocatedResources(), status.getResources()));
    has.keySet().retainAll(asked.keySet());
    resize(asked, has, status);
    asked
        .keySet()
        .removeIf(name ->
            !name.equals(Resources.CPU)
                && !name.equals(Resources.MEMORY)
                && !name.startsWith("hugepages-"));
    return asked;
  }

  // The API server sets absent requests to the limits; objects it has not defaulted count alike.
  private static Map<String, Long> requests(@Nullable ResourceRequirements resources) {
    if (resources == null) {
      return new TreeMap<>();
    }
    Map<String, Long> requests = Quantities.amounts(resources.getLimits());
    requests.putAll(Quantities.amounts(resources.getRequests()));
    return requests;
  }

  private static Map<String, Long> requests(Pod pod, Container container) {
    Map<String, Long> asked = requests(container.getResources());
    if (pod.getStatus() == null) {
      return asked;
    }
    Map<String, Long> has =
        most(
            Stream.concat(
                    pod.getStatus().getContainerStatuses().stream(),
                    pod.getStatus().getInitContainerStatuses().stream())
                .filter(status ->
                    status.getName() != null && status.getName().equals(container.getName()))
                .flatMap(PodRequests::held));
    resize(asked, has, pod.getStatus());
    return asked;
  }

  private static Map<String, Long> most(Stream<Map<String, Quantity>> all) {
    Map<String, Long> most = new TreeMap<>();
    all.forEach(
        each -> Quantities.amounts(each).forEach((name, n) -> most.merge(name, n, Long::max)));
    return most;
  }

  private static void resize(Map<String, Long> asked, Map<String, Long> has, PodStatus status) {
    boolean never = isInfeasible(status);
    has.forEach(
        (name, n) -> asked.merge(name, n, (spec, held) -> never ? held : Math.max(spec, held)));
  }

  /// Returns the allocated and the actual resources of the container.
  public static Stream<Map<String, Quantity>> held(ContainerStatus status) {
    return held(status.getAllocatedResources(), status.getResources());
  }

  private static Stream<Map<String, Quantity>> held(
      @Nullable Map<String, Quantity> given, @Nullable ResourceRequirements has) {
    return Stream.of(
            Optional.ofNullable(given),
            Optional.ofNullable(has).map(ResourceRequirements::getRequests))
        .flatMap(Optional::stream)
        .filter(held -> !held.isEmpty());
  }

  private static boolean isInfeasible(PodStatus status) {
    return status.getConditions().stream()
        .anyMatch(condition ->
            "PodResizePending".equals(condition.getType())
                && "Infeasible".equals(condition.getReason()));
  }

  private static void add(Map<String, Long> sum, Map<String, Long> more) {
    more.forEach((name, amount) -> sum.merge(name, amount, Long::sum));
  }
}
