package dev.muster.server.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.policy.config.GatingFields.OwnVisibleDevices;
import dev.muster.server.http.extender.PodReader;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// Hides the GPUs from containers that request none, by `NVIDIA_VISIBLE_DEVICES=none`. Otherwise
/// the container runtime shows all GPUs of the node to images that ask for them.
///
/// @param accelerators resources that are whole GPUs
/// @param own what happens if such a container sets the variable itself
record GpuHiding(Set<String> accelerators, OwnVisibleDevices own) {
  private static final String VISIBLE = "NVIDIA_VISIBLE_DEVICES";

  /// The values by which a container itself asks for no GPU.
  private static final Set<String> NO_GPU = Set.of("none", "void");

  /// Names of shares and slices of GPUs, such as `nvidia.com/mig-1g.10gb`, `volcano.sh/vgpu-number`
  /// and `gpu.nvidia.com`. Their plugins use the variable themselves. A network card is none, as
  /// `rdma/hca`.
  private static final Pattern GPU_NAME = Pattern.compile("gpu|cuda|(?<![a-z0-9])mig(?![a-z])");

  /// Adds the changes to a list of containers. A container with a resource claim is left alone,
  /// because the claim may provide its GPU.
  ///
  /// @param path path of the list in the pod
  /// @param untouchable names of containers that existed before
  /// @return the reason if the pod is refused
  Optional<String> hide(ArrayNode patch, String path, JsonNode pod, Set<String> untouchable) {
    JsonNode containers = pod.at(path);
    for (int i = 0; i < containers.size(); i++) {
      JsonNode container = containers.path(i);
      String name = container.path("name").asText();
      boolean claims = !container.path("resources").path("claims").isEmpty();
      if (container.isObject()
          && !claims
          && !requestsGpus(container)
          && !untouchable.contains(name)
          && hide(patch, path + "/" + i + "/env", container.path("env"))) {
        return Optional.of(
            "Container %s sets %s, but requests no GPU. Remove the variable, or request %s."
                .formatted(name, VISIBLE, String.join(" or ", accelerators)));
      }
    }
    return Optional.empty();
  }

  /// Hides the GPUs by the environment of one container. Returns true if the pod is refused.
  private boolean hide(ArrayNode patch, String path, JsonNode env) {
    boolean set = false;
    for (int i = 0; i < env.size(); i++) {
      JsonNode entry = env.path(i);
      if (!entry.path("name").asText().equals(VISIBLE)) {
        continue;
      }
      set = true;
      if (NO_GPU.contains(entry.path("value").asText())) {
        continue;
      }
      switch (own) {
        case REFUSE -> {
          return true;
        }
        case OVERWRITE -> none(patch.addObject().put("op", "replace").put("path", path + "/" + i));
        case ALLOW -> {}
      }
    }
    if (!set) {
      append(patch, path, env).put("name", VISIBLE).put("value", "none");
    }
    return false;
  }

  private static void none(ObjectNode operation) {
    operation.putObject("value").put("name", VISIBLE).put("value", "none");
  }

  private boolean requestsGpus(JsonNode container) {
    JsonNode resources = container.path("resources");
    return areGpus(resources.path("limits")) || areGpus(resources.path("requests"));
  }

  private boolean areGpus(JsonNode quantities) {
    for (Map.Entry<String, JsonNode> named : quantities.properties()) {
      if (isGpu(named.getKey()) && PodReader.isPositive(named.getValue().asText())) {
        return true;
      }
    }
    return false;
  }

  private boolean isGpu(String resource) {
    return accelerators.contains(resource)
        || (resource.indexOf('/') > 0
            && GPU_NAME.matcher(resource.toLowerCase(Locale.ROOT)).find());
  }

  /// Adds an object to the list at the path, and creates a missing list. Returns the object to
  /// fill.
  static ObjectNode append(ArrayNode patch, String path, JsonNode list) {
    boolean present = list.isArray();
    ObjectNode operation =
        patch.addObject().put("op", "add").put("path", present ? path + "/-" : path);
    return present ? operation.putObject("value") : operation.putArray("value").addObject();
  }
}
