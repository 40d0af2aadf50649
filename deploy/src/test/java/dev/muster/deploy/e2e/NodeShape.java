package dev.muster.deploy.e2e;

import java.util.LinkedHashMap;
import java.util.Map;

/// A node to create.
///
/// @param resources its capacity and allocatable, as Kubernetes quantities by resource name
public record NodeShape(String name, Map<String, String> labels, Map<String, String> resources) {
  /// The resource name of a whole NVIDIA GPU.
  public static final String GPU = "nvidia.com/gpu";

  public NodeShape {
    labels = Map.copyOf(labels);
    resources = Map.copyOf(resources);
  }

  /// A node with so many GPUs and ample room for everything else.
  public static NodeShape withGpus(String name, int gpus) {
    return new NodeShape(
        name,
        Map.of("kubernetes.io/hostname", name),
        Map.of("cpu", "96", "memory", "1Ti", "pods", "110", GPU, Integer.toString(gpus)));
  }

  public NodeShape withLabel(String key, String value) {
    return new NodeShape(name, with(labels, key, value), resources);
  }

  public NodeShape withResource(String resource, String quantity) {
    return new NodeShape(name, labels, with(resources, resource, quantity));
  }

  private static Map<String, String> with(Map<String, String> map, String key, String value) {
    var more = new LinkedHashMap<>(map);
    more.put(key, value);
    return more;
  }
}
