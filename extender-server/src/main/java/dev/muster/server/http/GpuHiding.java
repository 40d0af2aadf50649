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
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/// Hides the GPUs from containers that request none, by `NVIDIA_VISIBLE_DEVICES=none`. Otherwise
/// the container runtime shows all GPUs of the node to images that ask for them. A value that a
/// container with a GPU request sets itself is removed: the kubelet would use it instead of the
/// device plugin's value. A pod that requests GPUs and names its node is refused.
///
/// A ResourceClaim makes no difference. Its devices come by CDI, which does not read the variable:
/// the driver of a claimed GPU itself overwrites it in the container.
///
/// @param accelerators resources that are whole GPUs
/// @param own what happens if a container sets the variable itself
record GpuHiding(Set<String> accelerators, OwnVisibleDevices own) {
  private static final String MIRROR = "kubernetes.io/config.mirror";
  private static final String VISIBLE = "NVIDIA_VISIBLE_DEVICES";

  /// The values by which a container itself asks for no GPU.
  private static final Set<String> NO_GPU = Set.of("none", "void");

  /// Names of shares and slices of GPUs, such as `nvidia.com/mig-1g.10gb`, `volcano.sh/vgpu-number`
  /// and `gpu.nvidia.com`. Their plugins use the variable themselves. A network card is none, as
  /// `rdma/hca`.
  private static final Pattern GPU_NAME = Pattern.compile("gpu|cuda|(?<![a-z0-9])mig(?![a-z])");

  /// Adds the changes to a list of containers.
  ///
  /// @param path path of the list in the pod
  /// @param untouchable names of containers that existed before
  /// @return the reason if the pod is refused
  Optional<String> hide(ArrayNode patch, String path, JsonNode pod, Set<String> untouchable) {
    JsonNode containers = pod.at(path);
    for (int i = 0; i < containers.size(); i++) {
      JsonNode container = containers.path(i);
      String name = container.path("name").asText();
      if (!container.isObject() || untouchable.contains(name)) {
        continue;
      }
      JsonNode resources = container.path("resources");
      boolean gpus = requestsAny(this::isGpu, resources);
      if (gpus && isPlaced(pod)) {
        return Optional.of(
            "Container %s requests GPUs, but the pod names its node itself. Remove spec.nodeName."
                .formatted(name));
      }
      JsonNode env = container.path("env");
      if (own == OwnVisibleDevices.REFUSE
          && IntStream.range(0, env.size()).anyMatch(at -> shows(env.path(at)))) {
        return Optional.of(refusal(name, gpus));
      }
      String list = path + "/" + i + "/env";
      if (gpus) {
        clear(patch, list, env);
      } else {
        hide(patch, list, env);
      }
    }
    return Optional.empty();
  }

  private String refusal(String container, boolean gpus) {
    return gpus
        ? "Container %s sets %s, but the device plugin sets it. Remove the variable."
            .formatted(container, VISIBLE)
        : "Container %s sets %s, but requests no GPU. Remove the variable, or request %s."
            .formatted(container, VISIBLE, String.join(" or ", accelerators));
  }

  private static boolean isVisible(JsonNode entry) {
    return entry.path("name").asText().equals(VISIBLE);
  }

  /// True if the entry of an environment may show GPUs.
  private static boolean shows(JsonNode entry) {
    return isVisible(entry) && !NO_GPU.contains(entry.path("value").asText());
  }

  /// Removes values of the variable, the last first: a removal moves the entries behind it.
  private void clear(ArrayNode patch, String path, JsonNode env) {
    for (int i = env.size() - 1; i >= 0; i--) {
      if (own == OwnVisibleDevices.OVERWRITE && shows(env.path(i))) {
        patch.addObject().put("op", "remove").put("path", path + "/" + i);
      }
    }
  }

  /// Hides the GPUs by the environment of one container.
  private void hide(ArrayNode patch, String path, JsonNode env) {
    boolean set = false;
    for (int i = 0; i < env.size(); i++) {
      set |= isVisible(env.path(i));
      if (own == OwnVisibleDevices.OVERWRITE && shows(env.path(i))) {
        none(patch.addObject().put("op", "replace").put("path", path + "/" + i));
      }
    }
    if (!set) {
      append(patch, path, env).put("name", VISIBLE).put("value", "none");
    }
  }

  private static void none(ObjectNode operation) {
    operation.putObject("value").put("name", VISIBLE).put("value", "none");
  }

  /// True if the pod names its node itself. The kubelet then drops requests of resources that the
  /// node does not have. So any such request would show all GPUs.
  ///
  /// A mirror pod shows a static pod of the node. Its own containers never start.
  private static boolean isPlaced(JsonNode pod) {
    return !pod.at("/spec/nodeName").asText().isEmpty()
        && !pod.path("metadata").path("annotations").has(MIRROR);
  }

  private static boolean requestsAny(Predicate<String> names, JsonNode resources) {
    return isAnyOf(names, resources.path("limits")) || isAnyOf(names, resources.path("requests"));
  }

  private static boolean isAnyOf(Predicate<String> names, JsonNode quantities) {
    for (Map.Entry<String, JsonNode> named : quantities.properties()) {
      if (names.test(named.getKey()) && PodReader.isPositive(named.getValue().asText())) {
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
