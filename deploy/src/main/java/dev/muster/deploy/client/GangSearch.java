package dev.muster.deploy.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/// Finds the gang that a caller means: by its name, by a pod, or by the workload that made it.
///
/// @param pages pages of Muster
/// @param namespace namespace of the gang
record GangSearch(PageSource pages, String namespace) {
  private static final Set<String> GANGS = Set.of("gang", "podgroup", "podgroups");
  private static final Set<String> PODS = Set.of("pod", "pods", "po");

  /// Returns the page of the gang.
  ///
  /// @param target a name, `pod/NAME`, or `KIND/NAME` of any controller
  /// @throws PageProblem if there is none
  /// @throws IllegalArgumentException if the target has no name
  JsonNode find(String target) {
    int slash = target.indexOf('/');
    if (slash == 0 || slash == target.length() - 1) {
      throw new IllegalArgumentException(
          "TARGET is \"%s\". It must be NAME or KIND/NAME.".formatted(target));
    }
    if (slash < 0) {
      return named(target);
    }
    String kind = target.substring(0, slash).toLowerCase(Locale.ROOT);
    String name = target.substring(slash + 1);
    if (GANGS.contains(kind)) {
      return named(name);
    }
    return PODS.contains(kind) ? ofPod(name) : ofWorkload(new WorkloadPods.Name(kind, name));
  }

  private JsonNode named(String name) {
    try {
      return pages.get(path(name));
    } catch (PageProblem problem) {
      if (problem.status() != 404) {
        throw problem;
      }
      throw new PageProblem(404, problem.getMessage() + elsewhere(name));
    }
  }

  private String path(String name) {
    return "/api/v1/gangs/%s/%s".formatted(part(namespace), part(name));
  }

  /// Returns the other namespaces with a gang of this name.
  private String elsewhere(String name) {
    List<String> others = new ArrayList<>();
    for (JsonNode gang : pages.get("/api/v1/gangs?name=" + part(name)).path("items")) {
      others.add("-n " + gang.path("namespace").asText());
    }
    return others.isEmpty() ? "" : " There is one with %s.".formatted(String.join(" or ", others));
  }

  private JsonNode ofPod(String pod) {
    JsonNode gangs =
        pages.get("/api/v1/gangs?namespace=%s&pod=%s".formatted(part(namespace), part(pod)));
    JsonNode gang = gangs.path("items").path(0);
    if (gang.isMissingNode()) {
      throw new PageProblem(
          404,
          "No gang has the pod %s/%s. Muster places pods with GPUs, or with a PodGroup."
              .formatted(namespace, pod));
    }
    return pages.get( // a PodGroup can have the name of a lone pod
        path(gang.path("name").asText()) + "?origin=" + part(gang.path("origin").asText()));
  }

  private JsonNode ofWorkload(WorkloadPods.Name workload) {
    WorkloadPods pods =
        pages
            .workloads()
            .orElseThrow(() ->
                new PageProblem(
                    404,
                    "With --server only gangs and pods are found: why NAME or why pod/NAME. The owners of pods are known to the API server."));
    return ofPod(
        pods.podOf(namespace, workload)
            .orElseThrow(() ->
                new PageProblem(
                    404,
                    "No pod in the namespace %s is of %s/%s."
                        .formatted(namespace, workload.kind(), workload.name()))));
  }

  private static String part(String name) {
    return URLEncoder.encode(name, StandardCharsets.UTF_8);
  }
}
