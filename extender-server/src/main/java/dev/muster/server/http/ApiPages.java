package dev.muster.server.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.muster.core.admission.Queues;
import dev.muster.core.cluster.Gang;
import dev.muster.core.gang.GangId;
import dev.muster.core.node.NodeState;
import dev.muster.core.state.Policies;
import dev.muster.core.state.Preemption;
import dev.muster.core.state.State;
import dev.muster.server.http.extender.LastValueCache;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/// The pages of the read-only API, `api.muster.dev/v1`. Each page is rendered once for each image
/// and cached for a short while, so that any number of browsers costs one rendering.
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

  /// Returns all gangs, by namespace and name.
  HttpAnswer gangs(State state) {
    return page(
        state,
        "gangs",
        () ->
            list(
                "GangList",
                array ->
                    state
                        .cluster()
                        .gangs()
                        .forEach(g -> array.add(GangView.of(g, state, queues)))));
  }

  /// Returns one gang with its members, or 404 when the gang was never seen. If objects of
  /// different kinds declare gangs of one name, the first by [GangId.Origin] is returned.
  HttpAnswer gang(State state, String namespace, String name) {
    Optional<Gang> gang = find(state, namespace, name);
    return gang.isEmpty()
        ? HttpAnswer.refusal(404, "No gang %s/%s was seen.".formatted(namespace, name))
        : page(
            state,
            "gangs/" + gang.get().id().origin() + "/" + gang.get().id(),
            () -> GangView.whole(gang.get(), state, policies));
  }

  private static Optional<Gang> find(State state, String namespace, String name) {
    for (GangId.Origin origin : GangId.Origin.values()) {
      Optional<Gang> found = state.cluster().gangs().get(new GangId(namespace, origin, name));
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }

  /// Returns all queues with their quotas, their use and their demand.
  HttpAnswer queues(State state) {
    return page(
        state,
        "queues",
        () -> list("QueueList", array -> QueueView.all(array, state.cluster(), queues)));
  }

  /// Returns the preemptions under way, and the last entries of the ledger, newest first.
  static HttpAnswer preemptions(State state, List<ObjectNode> ledger) {
    ObjectNode json = list("PreemptionList", array -> underWay(array, state));
    json.put("version", state.cluster().version());
    ArrayNode acts = json.putArray("ledger");
    ledger.reversed().forEach(acts::add);
    return HttpAnswer.json(write(json));
  }

  private static void underWay(ArrayNode array, State state) {
    for (Preemption preemption : state.preemptions().underWay()) {
      ObjectNode json = array.addObject();
      json.put("gang", preemption.gang().toString());
      json.put("evicting", preemption.evicting()).put("calledOff", preemption.over());
      ArrayNode victims = json.putArray("victims");
      for (Preemption.Stop stop : preemption.stops()) {
        ObjectNode victim =
            victims
                .addObject()
                .put("gang", stop.victim().gang().toString())
                .put("pods", stop.victim().members().size())
                .put("rule", stop.victim().rule())
                .put("lostGpuSeconds", stop.victim().lostWork())
                .put("told", stop.notified());
        stop.deadline().ifPresent(at -> victim.put("deadline", at.toString()));
      }
    }
  }

  /// Returns all nodes with their GPUs.
  HttpAnswer nodes(State state) {
    return page(
        state,
        "nodes",
        () -> list("NodeList", array -> state.cluster().nodes().forEach(n -> array.add(node(n)))));
  }

  private static ObjectNode node(NodeState state) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("name", state.id().name());
    json.put("domain", String.join("/", state.path().values()));
    json.put("model", state.node().model().toString());
    json.put("cordoned", state.node().cordoned());
    state.node().faults().forEach(json.putArray("faults")::add);
    json.putObject("gpus")
        .put("total", state.node().gpus())
        .put("free", state.unpromisedGpus())
        .put("used", state.usedGpus())
        .put("promised", state.promisedGpus());
    return json;
  }

  private interface Items {
    void addTo(ArrayNode array);
  }

  private static ObjectNode list(String kind, Items items) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("apiVersion", API_VERSION).put("kind", kind);
    items.addTo(json.putArray("items"));
    return json;
  }

  private HttpAnswer page(State state, String path, Supplier<ObjectNode> content) {
    return rendered.of(state).get(path, _ -> rendering(state, content));
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
