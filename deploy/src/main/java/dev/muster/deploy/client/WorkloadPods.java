package dev.muster.deploy.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.server.kube.client.ApiCalls;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// Finds a pod of a workload of any kind: it follows the owners of the pods, by the caller's
/// rights.
///
/// *Example:* a JobSet owns Jobs, and these own pods. `jobset/llama` is found from the pod
/// `llama-worker-0-0-x7k2p`, whose owner `Job/llama-worker-0` is owned by `JobSet/llama`.
final class WorkloadPods {
  /// Owners that are looked up, the most likely ones first; each costs a call.
  private static final int MOST_OWNERS = 200;

  private static final int DEEPEST = 4;

  private static final int PAGE = 500;

  /// `v1`, or `batch/v1`. The API server does not check this field of an owner reference, and the
  /// owner of a pod must not choose what a reader calls.
  private static final Pattern GROUP_VERSION =
      Pattern.compile("([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?v[a-z0-9]{1,62}");

  private static final Pattern NAME = Pattern.compile("[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?");

  private final ApiCalls api;
  private final Map<String, Optional<JsonNode>> seen = new HashMap<>();

  WorkloadPods(ApiCalls api) {
    this.api = api;
  }

  /// A workload as the caller names it.
  ///
  /// @param kind kind in any case, also in the plural, such as `jobs`
  record Name(String kind, String name) {
    private boolean is(JsonNode owner) {
      String word = kind.split("\\.", 2)[0].toLowerCase(Locale.ROOT);
      String has = owner.path("kind").asText().toLowerCase(Locale.ROOT);
      return owner.path("name").asText().equals(name)
          && (word.equals(has) || word.equals(has + "s"));
    }
  }

  /// Returns the name of a pod of the workload; empty if it has none.
  ///
  /// @throws PageProblem if the caller may not list the pods
  Optional<String> podOf(String namespace, Name workload) {
    Map<String, JsonNode> owners = new LinkedHashMap<>();
    Map<String, String> pods = new HashMap<>();
    for (JsonNode pod : pods(namespace)) {
      controller(pod)
          .ifPresent(owner -> {
            owners.putIfAbsent(key(owner), owner);
            pods.putIfAbsent(key(owner), pod.at("/metadata/name").asText());
          });
    }
    return likelyFirst(owners.values(), workload).stream()
        .limit(MOST_OWNERS)
        .filter(owner -> isOf(owner, namespace, workload, DEEPEST))
        .map(owner -> pods.get(key(owner)))
        .findFirst();
  }

  /// Reads the metadata of all pods, some at a time: an answer has a longest length.
  private Iterable<JsonNode> pods(String namespace) {
    List<JsonNode> pods = new ArrayList<>();
    String next = "";
    do {
      ApiCalls.Answer answer =
          api.metadata(
              "/api/v1/namespaces/%s/pods?limit=%d%s".formatted(part(namespace), PAGE, next));
      if (!answer.isGood()) {
        throw new PageProblem(answer.code(), answer.problem());
      }
      JsonNode list = answer.json();
      list.path("items").forEach(pods::add);
      String token = list.at("/metadata/continue").asText();
      next = token.isEmpty() ? "" : "&continue=" + part(token);
    } while (!next.isEmpty());
    return pods;
  }

  /// Controllers mostly derive the names of what they create from their own.
  private static List<JsonNode> likelyFirst(Iterable<JsonNode> owners, Name workload) {
    List<JsonNode> likely = new ArrayList<>();
    List<JsonNode> others = new ArrayList<>();
    for (JsonNode owner : owners) {
      (owner.path("name").asText().startsWith(workload.name()) ? likely : others).add(owner);
    }
    likely.addAll(others);
    return likely;
  }

  private boolean isOf(JsonNode owner, String namespace, Name workload, int depth) {
    if (workload.is(owner)) {
      return true;
    }
    return depth > 0
        && seen.computeIfAbsent(key(owner), _ -> read(namespace, owner))
            .flatMap(WorkloadPods::controller)
            .filter(above -> isOf(above, namespace, workload, depth - 1))
            .isPresent();
  }

  private static Optional<JsonNode> controller(JsonNode object) {
    for (JsonNode owner : object.at("/metadata/ownerReferences")) {
      if (owner.path("controller").asBoolean()) {
        return Optional.of(owner);
      }
    }
    return Optional.empty();
  }

  private Optional<JsonNode> read(String namespace, JsonNode owner) {
    String version = owner.path("apiVersion").asText();
    String name = owner.path("name").asText();
    if (!GROUP_VERSION.matcher(version).matches() || !NAME.matcher(name).matches()) {
      return Optional.empty();
    }
    String root = (version.contains("/") ? "/apis/" : "/api/") + version;
    for (JsonNode resource : api.get(root).json().path("resources")) {
      String plural = resource.path("name").asText();
      if (resource.path("kind").equals(owner.path("kind")) && !plural.contains("/")) {
        ApiCalls.Answer answer =
            api.get("%s/namespaces/%s/%s/%s".formatted(root, part(namespace), part(plural), name));
        return answer.isGood() ? Optional.of(answer.json()) : Optional.empty();
      }
    }
    return Optional.empty();
  }

  private static String part(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static String key(JsonNode owner) {
    return "%s %s %s"
        .formatted(
            owner.path("apiVersion").asText(),
            owner.path("kind").asText(),
            owner.path("name").asText());
  }
}
