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
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.server.http.access.PageView;
import dev.muster.server.http.extender.LastValueCache;
import dev.muster.server.http.page.BudgetView;
import dev.muster.server.http.page.GangListView;
import dev.muster.server.http.page.GangView;
import dev.muster.server.http.page.ListPart;
import dev.muster.server.http.page.MalformedQuery;
import dev.muster.server.http.page.NodeView;
import dev.muster.server.http.page.PageQuery;
import dev.muster.server.http.page.PreemptionView;
import dev.muster.server.http.page.QueueView;
import dev.muster.server.http.page.UsageView;
import dev.muster.server.http.page.WaitingOrder;
import dev.muster.server.http.page.WaitingView;
import dev.muster.server.usage.UnreadableUsage;
import dev.muster.server.usage.UsageBook;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/// The pages of the read-only API, `api.muster.dev/v1`. Each page is rendered once for each image,
/// view and query, and cached for a short while, so that any number of browsers costs one
/// rendering. What all callers share, such as the order of waiting gangs, is computed once for an
/// image.
final class ApiPages {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final HttpDependencies dependencies;
  private final Supplier<State> image;
  private final Policies policies;
  private final Queues queues;

  private final LastValueCache<State, Cache<String, HttpAnswer>> rendered =
      new LastValueCache<>(_ -> cache(64L << 20, Duration.ofMinutes(1)));
  private final LastValueCache<State, WaitingOrder> waiting;
  private final LastValueCache<State, NodeView> nodes =
      new LastValueCache<>(state -> NodeView.of(state.cluster()));

  /// Usage is written every 10 s, so an answer of a few seconds ago is as new.
  private final Cache<String, HttpAnswer> usage = cache(8L << 20, Duration.ofSeconds(5));

  /// @param image the image that the pages show
  ApiPages(HttpDependencies dependencies, Supplier<State> image) {
    this.dependencies = dependencies;
    this.image = image;
    this.policies = dependencies.policies().get();
    this.queues = policies.queues();
    this.waiting = new LastValueCache<>(state -> WaitingOrder.of(state, policies.order()));
  }

  private static Cache<String, HttpAnswer> cache(long bytes, Duration kept) {
    return Caffeine.newBuilder()
        .maximumWeight(bytes)
        .weigher((String path, HttpAnswer page) -> path.length() + page.weight())
        .expireAfterWrite(kept)
        .build();
  }

  private State image() {
    return image.get();
  }

  /// Returns the gangs that the caller may see, by namespace and name, and the number of others.
  HttpAnswer gangs(PageQuery query, PageView view) {
    return answer(() -> {
      GangListView asked = GangListView.of(query);
      State state = image();
      return page(
          state,
          "gangs" + query.key(),
          view,
          () -> asked.addTo(list("GangList"), state, queues, view));
    });
  }

  /// Reads a query and answers it.
  @FunctionalInterface
  private interface OfQuery {
    HttpAnswer answer() throws MalformedQuery, UnreadableUsage;
  }

  private static HttpAnswer answer(OfQuery reading) {
    try {
      return reading.answer();
    } catch (MalformedQuery malformed) {
      return HttpAnswer.refusal(400, malformed.problem());
    } catch (UnreadableUsage unreadable) {
      return HttpAnswer.refusal(503, String.valueOf(unreadable.getMessage()));
    }
  }

  /// Returns one gang with its members, or 404 when the gang was never seen. If objects of
  /// different kinds declare gangs of one name, the first by [GangId.Origin] is returned, unless
  /// the query names one. A caller who may see nothing in the namespace does not learn whether the
  /// gang exists.
  HttpAnswer gang(PageQuery query, PageView view, String namespace, String name) {
    List<GangId.Origin> origins;
    try {
      origins = GangView.origins(query);
    } catch (MalformedQuery malformed) {
      return HttpAnswer.refusal(400, malformed.problem());
    }
    if (!view.sees(namespace)) {
      return HttpAnswer.refusal(
          403, "You may not list the PodGroups of the namespace %s.".formatted(namespace));
    }
    if (namespace.isBlank() || name.isBlank()) {
      return HttpAnswer.refusal(
          404, "The path names no gang. Its end has the form /gangs/NAMESPACE/NAME.");
    }
    State state = image();
    Optional<Gang> gang =
        origins.stream()
            .map(origin -> new GangId(namespace, origin, name))
            .filter(view::sees)
            .flatMap(id -> state.cluster().gangs().get(id).stream())
            .findFirst();
    return gang.isEmpty()
        ? HttpAnswer.refusal(404, "No gang %s/%s was seen.".formatted(namespace, name))
        : page(
            state,
            "gangs/" + gang.get().id().origin() + "/" + gang.get().id(),
            view,
            () -> whole(gang.get(), state, view));
  }

  private ObjectNode whole(Gang gang, State state, PageView view) {
    ObjectNode json = GangView.whole(gang, state, policies, view);
    waiting.of(state).of(gang.id()).ifPresent(place -> place.addTo(json));
    dependencies.history().addTo(json, gang.id(), view);
    return json;
  }

  /// Returns the waiting gangs in the order in which they are tried, one page of them.
  HttpAnswer waiting(PageQuery query, PageView view) {
    return answer(() -> {
      WaitingView asked = WaitingView.of(query);
      State state = image();
      return page(
          state,
          "waiting" + query.key(),
          view,
          () -> asked.addTo(list("WaitingList"), waiting.of(state), state, view));
    });
  }

  /// Returns the queues that the caller may see, with their quotas, their use and their demand, one
  /// page of them.
  HttpAnswer queues(PageQuery query, PageView view) {
    return answer(() -> {
      ListPart part = QueueView.part(query);
      State state = image();
      return page(
          state,
          "queues" + query.key(),
          view,
          () -> QueueView.addTo(list("QueueList"), state.cluster(), queues, view, part));
    });
  }

  /// Returns the preemptions under way, and the last entries of the ledger, newest first.
  HttpAnswer preemptions(PageView view) {
    State state = image();
    return rendering(
        state,
        PreemptionView.all(list("PreemptionList"), state, dependencies.ledger().get(), view));
  }

  /// Returns all nodes with their GPUs and gangs; only sums for a caller who may not list nodes.
  HttpAnswer nodes(PageQuery query, PageView view) {
    return answer(() -> {
      NodeView.Asked asked = NodeView.Asked.of(query);
      State state = image();
      return page(
          state,
          "nodes" + query.key(),
          view,
          () -> nodes.of(state).addTo(list("NodeList"), state.cluster(), view, asked));
    });
  }

  /// Returns GPU-hours by what the query asks for.
  HttpAnswer usage(PageQuery query, PageView view) {
    return usage(List.of(query), view).getFirst();
  }

  /// Returns the answers to queries that differ only in what they add up by. Usage is read once for
  /// all of them.
  List<HttpAnswer> usage(List<PageQuery> queries, PageView view) {
    List<String> keys = queries.stream().map(query -> query.key() + " " + view.key()).toList();
    Map<String, HttpAnswer> known = usage.getAllPresent(keys);
    if (known.keySet().containsAll(keys)) {
      return keys.stream().map(known::get).toList();
    }
    List<HttpAnswer> answers = new ArrayList<>();
    HttpAnswer first =
        answer(() -> {
          answers.addAll(read(queries, view));
          return answers.getFirst();
        });
    if (answers.isEmpty()) {
      return Collections.nCopies(keys.size(), first); // a refusal
    }
    for (int i = 0; i < keys.size(); i++) {
      if (answers.get(i).status() != 503) { // which may pass
        usage.put(keys.get(i), answers.get(i));
      }
    }
    return answers;
  }

  private List<HttpAnswer> read(List<PageQuery> queries, PageView view)
      throws MalformedQuery, UnreadableUsage {
    State state = image();
    LocalDate today = LocalDate.ofInstant(state.cluster().now(), ZoneOffset.UTC);
    List<UsageView> views = new ArrayList<>();
    for (PageQuery query : queries) {
      views.add(UsageView.of(query));
    }
    UsageBook book = dependencies.usage();
    return UsageView.read(views, book::each, today, view).stream()
        .map(sums -> answer(() -> rendering(state, sums.addTo(list("UsageList"), book))))
        .toList();
  }

  /// Returns the budgets that the caller may see, with what is used of them.
  HttpAnswer budgets(PageView view) {
    return answer(() ->
        rendering(
            image(), BudgetView.addTo(list("BudgetList"), dependencies.usage(), queues, view)));
  }

  /// Returns what this process is and does.
  HttpAnswer server() {
    State state = image();
    return rendering(
        state,
        dependencies
            .server()
            .addTo(
                document("Server"),
                state,
                state.cluster().synced() && dependencies.readiness().decides().getAsBoolean(),
                dependencies.policy().map(policy -> () -> policy.get().revision())));
  }

  /// Returns a list without items.
  private static ObjectNode list(String kind) {
    ObjectNode json = document(kind);
    json.putArray("items");
    return json;
  }

  private static ObjectNode document(String kind) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    return json.put("apiVersion", GangView.API_VERSION).put("kind", kind);
  }

  private HttpAnswer page(State state, String path, PageView view, Supplier<ObjectNode> content) {
    String key = view.isWhole() ? path : path + " " + view.key();
    return rendered.of(state).get(key, _ -> rendering(state, content.get()));
  }

  private static HttpAnswer rendering(State state, ObjectNode content) {
    byte[] timeless = write(content);
    content.put("asOf", state.cluster().now().toString());
    return HttpAnswer.page(write(content.put("version", state.cluster().version())), timeless);
  }

  private static byte[] write(ObjectNode json) {
    try {
      return MAPPER.writeValueAsBytes(json);
    } catch (JsonProcessingException impossible) {
      throw new UncheckedIOException("A JSON tree could not be written.", impossible);
    }
  }
}
