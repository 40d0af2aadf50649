package dev.muster.server.kube;

import dev.muster.core.gang.Resources;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What a pod takes of its node, by the rule of Kubernetes.
///
/// Containers and restartable init containers (sidecars) run together; a plain init container runs
/// beside the sidecars started before it only. The pod takes the larger of the two, or what it asks
/// for as a whole, plus its overhead, plus one pod slot.
final class PodRequests {
  private PodRequests() {}

  static Resources of(PodSpec spec) {
    Map<String, Long> together = new TreeMap<>();
    Map<String, Long> sidecars = new TreeMap<>();
    Map<String, Long> starting = new TreeMap<>();
    for (Container container : spec.getInitContainers()) {
      Map<String, Long> own = requests(container.getResources());
      boolean sidecar = "Always".equals(container.getRestartPolicy());
      Map<String, Long> beside = new TreeMap<>(sidecars);
      add(beside, own);
      beside.forEach((name, amount) -> starting.merge(name, amount, Long::max));
      if (sidecar) {
        add(sidecars, own);
      }
    }
    spec.getContainers().forEach(container -> add(together, requests(container.getResources())));
    add(together, sidecars);
    starting.forEach((name, amount) -> together.merge(name, amount, Long::max));
    askedForWhole(spec).forEach(together::put);
    add(together, Quantities.amounts(spec.getOverhead()));
    together.merge(Resources.PODS, 1L, Long::sum);
    return Resources.of(together);
  }

  private static Map<String, Long> askedForWhole(PodSpec spec) {
    Map<String, Long> asked =
        spec.getResources() == null
            ? new TreeMap<>()
            : Quantities.amounts(spec.getResources().getRequests());
    asked
        .keySet()
        .removeIf(name ->
            !name.equals(Resources.CPU)
                && !name.equals(Resources.MEMORY)
                && !name.startsWith("hugepages-"));
    return asked;
  }

  // The API server sets absent requests to the limits; before it did so they count all the same.
  private static Map<String, Long> requests(@Nullable ResourceRequirements resources) {
    if (resources == null) {
      return new TreeMap<>();
    }
    Map<String, Long> requests = Quantities.amounts(resources.getLimits());
    requests.putAll(Quantities.amounts(resources.getRequests()));
    return requests;
  }

  private static void add(Map<String, Long> sum, Map<String, Long> more) {
    more.forEach((name, amount) -> sum.merge(name, amount, Long::sum));
  }
}
