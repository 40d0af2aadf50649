package dev.muster.server.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.muster.core.admission.Queues;
import dev.muster.core.cluster.Gang;
import dev.muster.core.gang.GangId;
import dev.muster.core.node.NodeState;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.server.http.access.PageView;
import dev.muster.server.http.extender.LastValueCache;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/// The pages of the read-only API, `api.muster.dev/v1`. Each page is rendered once for each image
/// and view, and cached for a short while, so that any number of browsers costs one rendering.
final class ApiPages {
  static final String API_VERSION = "api.muster.dev/v1";

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final Policies policies;
  private final Queues queues;

  private final LastValueCache<State, Cache<String, HttpAnswer>> rendered =
      new LastValueCache<>(_ -> cache());

  /// @param policies configuration that gangs are scheduled by
  ApiPages(Policies policies) {
    this.policies = policies;
    this.queues = policies.queues();
  }

  private static Cache<String, HttpAnswer> cache() {
    return Caffeine.newBuilder()
        .maximumWeight(64L << 20)
        .weigher((String path, HttpAnswer page) -> path.length() + page.body().array().length)
        .expireAfterWrite(Duration.ofMinutes(1))
        .build();
  }

  /// Returns the gangs that the caller may see, by namespace and name, and the number of others.
  HttpAnswer gangs(State state, PageView view) {
    return page(state, "gangs", view, () -> gangList(state, view));
  }

  private ObjectNode gangList(State state, PageView view) {
    int gangs = 0;
    int pods = 0;
    ObjectNode json = list("GangList");
    for (Gang gang : state.cluster().gangs()) {
      if (view.sees(gang.id())) {
        json.withArray("items").add(GangView.of(gang, state, queues));
      } else {
        gangs++;
        pods += gang.presentCount();
      }
    }
    if (!view.isWhole()) {
      json.putObject("others").put("gangs", gangs).put("pods", pods);
    }
    return json;
  }

  /// Returns one gang with its members, or 404 when the gang was never seen. If objects of
  /// different kinds declare gangs of one name, the first by [GangId.Origin] is returned. A caller
  /// who may see nothing in the namespace does not learn whether the gang exists.
  HttpAnswer gang(State state, PageView view, String namespace, String name) {
    if (!view.sees(namespace)) {
      return HttpAnswer.refusal(
          403, "You may not list the PodGroups of the namespace %s.".formatted(namespace));
    }
    Optional<Gang> gang = find(state, view, namespace, name);
    return gang.isEmpty()
        ? HttpAnswer.refusal(404, "No gang %s/%s was seen.".formatted(namespace, name))
        : page(
            state,
            "gangs/" + gang.get().id().origin() + "/" + gang.get().id(),
            view,
            () -> GangView.whole(gang.get(), state, policies, view));
  }

  private static Optional<Gang> find(State state, PageView view, String namespace, String name) {
    for (GangId.Origin origin : GangId.Origin.values()) {
      GangId id = new GangId(namespace, origin, name);
      Optional<Gang> found = state.cluster().gangs().get(id);
      if (found.isPresent() && view.sees(id)) {
        return found;
      }
    }
    return Optional.empty();
  }

  /// Returns the queues that the caller may see, with their quotas, their use and their demand.
  HttpAnswer queues(State state, PageView view) {
    return page(
        state,
        "queues",
        view,
        () -> QueueView.all(list("QueueList"), state.cluster(), queues, view));
  }

  /// Returns the preemptions under way, and the last entries of the ledger, newest first.
  static HttpAnswer preemptions(State state, List<ObjectNode> ledger, PageView view) {
    ObjectNode json = PreemptionView.all(list("PreemptionList"), state, ledger, view);
    return HttpAnswer.json(write(json.put("version", state.cluster().version())));
  }

  /// Returns all nodes with their GPUs; only sums for a caller who may not list nodes.
  HttpAnswer nodes(State state, PageView view) {
    return page(state, "nodes", view, () -> nodeList(state, view));
  }

  private static ObjectNode nodeList(State state, PageView view) {
    ObjectNode json = list("NodeList");
    if (view.nodes()) {
      state.cluster().nodes().forEach(node -> json.withArray("items").add(node(node)));
      return json;
    }
    int[] sums = new int[5];
    for (NodeState node : state.cluster().nodes()) {
      sums[0]++;
      sums[1] += node.node().gpus();
      sums[2] += node.unpromisedGpus();
      sums[3] += node.usedGpus();
      sums[4] += node.promisedGpus();
    }
    gpus(json.putObject("others").put("nodes", sums[0]), sums[1], sums[2], sums[3], sums[4]);
    return json;
  }

  private static ObjectNode node(NodeState state) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("name", state.id().name());
    json.put("domain", String.join("/", state.path().values()));
    json.put("model", state.node().model().toString());
    json.put("cordoned", state.node().cordoned());
    state.node().faults().forEach(json.putArray("faults")::add);
    gpus(json, state.node().gpus(), state.unpromisedGpus(), state.usedGpus(), state.promisedGpus());
    return json;
  }

  private static void gpus(ObjectNode json, int total, int free, int used, int promised) {
    json.putObject("gpus")
        .put("total", total)
        .put("free", free)
        .put("used", used)
        .put("promised", promised);
  }

  /// Returns a list without items.
  private static ObjectNode list(String kind) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("apiVersion", API_VERSION).put("kind", kind).putArray("items");
    return json;
  }

  private HttpAnswer page(State state, String path, PageView view, Supplier<ObjectNode> content) {
    String key = view.isWhole() ? path : path + " " + view.key();
    return rendered.of(state).get(key, _ -> rendering(state, content));
  }

  private static HttpAnswer rendering(State state, Supplier<ObjectNode> content) {
    return HttpAnswer.json(write(content.get().put("version", state.cluster().version())));
  }

  private static byte[] write(ObjectNode json) {
    try {
      return MAPPER.writeValueAsBytes(json);
    } catch (JsonProcessingException impossible) {
      throw new UncheckedIOException("A JSON tree could not be written.", impossible);
    }
  }
}
