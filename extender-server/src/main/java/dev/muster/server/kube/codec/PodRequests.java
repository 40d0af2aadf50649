package dev.muster.server.kube.codec;

import dev.muster.core.gang.Resources;
import dev.muster.server.kube.client.Quantities;
import dev.muster.server.kube.dra.ClassRequests;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
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
  /// Different resources of a pod that are kept if its containers are merged. No node has as many.
  private static final int MOST_MERGED = 64;

  /// Resources of which each pod takes some.
  static final Set<String> USUAL = Set.of(Resources.CPU, Resources.MEMORY, Resources.PODS);

  private PodRequests() {}

  static Resources of(Pod pod) {
    Map<String, Long> together = sum(pod);
    together.merge(Resources.PODS, 1L, Long::sum);
    together.keySet().removeIf(ClassRequests::isOne); // claims
    return Resources.of(together);
  }

  /// Replaces the containers of the pod by one that requests as much as the pod takes. Of many
  /// resources, GPUs are kept first, then CPU and memory, then classes of devices.
  public static void merge(Pod pod, Collection<String> accelerators) {
    List<Predicate<String>> first =
        List.of(accelerators::contains, USUAL::contains, ClassRequests::isOne, _ -> true);
    Map<String, Quantity> requests = new TreeMap<>();
    sum(pod).entrySet().stream()
        .filter(asked -> asked.getValue() > 0)
        .sorted(
            Comparator.<Map.Entry<String, Long>>comparingLong(
                    asked -> first.stream().takeWhile(sort -> !sort.test(asked.getKey())).count())
                .thenComparingInt(asked -> asked.getKey().length()))
        .limit(MOST_MERGED)
        .forEach(asked ->
            requests.put(
                asked.getKey(),
                new Quantity(
                    asked.getValue() + (asked.getKey().equals(Resources.CPU) ? "m" : ""))));
    ResourceRequirements all = new ResourceRequirements();
    all.setRequests(requests);
    Container one = new Container();
    one.setResources(all);
    PodSpec spec = pod.getSpec();
    spec.setContainers(List.of(one));
    spec.setInitContainers(List.of());
    spec.setResources(null);
    spec.setOverhead(null);
  }

  private static Map<String, Long> sum(Pod pod) {
    PodSpec spec = pod.getSpec();
    Resizes resizes = Resizes.of(Objects.requireNonNullElseGet(pod.getStatus(), PodStatus::new));
    Map<String, Long> together = new TreeMap<>();
    Map<String, Long> sidecars = new TreeMap<>();
    Map<String, Long> starting = new TreeMap<>();
    for (Container container : spec.getInitContainers()) {
      boolean sidecar = "Always".equals(container.getRestartPolicy());
      Map<String, Long> own =
          sidecar ? resizes.requests(container) : requests(container.getResources());
      own.forEach((name, amount) ->
          starting.merge(name, amount + sidecars.getOrDefault(name, 0L), Long::max));
      if (sidecar) {
        add(sidecars, own);
      }
    }
    spec.getContainers().forEach(container -> add(together, resizes.requests(container)));
    add(together, sidecars);
    starting.forEach((name, amount) -> together.merge(name, amount, Long::max));
    resizes.requestsOfPod(spec).forEach(together::put);
    add(together, Quantities.amounts(spec.getOverhead()));
    return together;
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

  /// In-place resizes of a pod, in one pass over its status.
  ///
  /// @param byContainer what each container has, by its name
  /// @param ofPod what the pod as a whole has
  /// @param never true if the node can never provide what is requested
  private record Resizes(
      Map<String, Map<String, Long>> byContainer, Map<String, Long> ofPod, boolean never) {
    static Resizes of(PodStatus status) {
      Map<String, Map<String, Long>> byContainer = new HashMap<>();
      Stream.of(status.getContainerStatuses(), status.getInitContainerStatuses())
          .flatMap(List::stream)
          .filter(container -> container.getName() != null)
          .forEach(container ->
              most(PodRequests.held(container))
                  .forEach((name, n) ->
                      byContainer
                          .computeIfAbsent(container.getName(), _ -> new TreeMap<>())
                          .merge(name, n, Long::max)));
      Map<String, Long> ofPod = most(held(status.getAllocatedResources(), status.getResources()));
      return new Resizes(byContainer, ofPod, isInfeasible(status));
    }

    Map<String, Long> requests(Container container) {
      Map<String, Long> has = byContainer.getOrDefault(container.getName(), Map.of());
      return resized(PodRequests.requests(container.getResources()), has);
    }

    Map<String, Long> requestsOfPod(PodSpec spec) {
      Map<String, Long> asked =
          spec.getResources() == null
              ? new TreeMap<>()
              : Quantities.amounts(spec.getResources().getRequests());
      Map<String, Long> has = new TreeMap<>(ofPod);
      has.keySet().retainAll(asked.keySet());
      resized(asked, has)
          .keySet()
          .removeIf(name ->
              !name.equals(Resources.CPU)
                  && !name.equals(Resources.MEMORY)
                  && !name.startsWith("hugepages-"));
      return asked;
    }

    private Map<String, Long> resized(Map<String, Long> asked, Map<String, Long> has) {
      has.forEach(
          (name, n) -> asked.merge(name, n, (spec, held) -> never ? held : Math.max(spec, held)));
      return asked;
    }
  }

  private static Map<String, Long> most(Stream<Map<String, Quantity>> all) {
    Map<String, Long> most = new TreeMap<>();
    all.forEach(
        each -> Quantities.amounts(each).forEach((name, n) -> most.merge(name, n, Long::max)));
    return most;
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
