package dev.muster.server.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.muster.core.state.State;
import dev.muster.server.http.access.GangScope;
import dev.muster.server.http.access.PageAccess;
import dev.muster.server.http.access.PageView;
import dev.muster.server.http.extender.LastValueCache;
import dev.muster.server.http.page.MalformedQuery;
import dev.muster.server.http.page.PageParameters;
import dev.muster.server.http.page.PageQuery;
import dev.muster.server.http.page.WhyReport;
import dev.muster.server.http.screen.Frame;
import dev.muster.server.http.screen.ScreenAssets;
import dev.muster.server.http.screen.Screens;
import dev.muster.server.http.stream.ChangeStreams;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/// The web pages for browsers. Each shows answers of the API to the same caller, so a page can show
/// nothing that the API would not.
final class ScreenRoutes {
  /// Nothing runs or loads but the files of Muster.
  private static final String CONTENT_POLICY =
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src"
          + " 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

  /// What the screen about usage adds up by.
  private static final List<String> WORDS = List.of("queue", "user", "project", "model", "day");

  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final PageQuery FIRST = PageQuery.NONE.with(PageParameters.LIMIT, "1");
  private static final long MOST_KEPT = 16L << 20;

  /// As long as the time between two messages of a stream of changes.
  private static final Duration KEPT = Duration.ofSeconds(1);

  private final ApiPages pages;
  private final QueuedAnswers queued;
  private final CallerReview review;
  private final BrowserTokens tokens;
  private final ReadinessPage readiness;
  private final ChangeStreams streams;
  private final LastValueCache<State, Cache<String, HttpAnswer>> rendered =
      new LastValueCache<>(_ -> cache());

  ScreenRoutes(
      HttpDependencies dependencies,
      ApiPages pages,
      QueuedAnswers queued,
      CallerReview review,
      BrowserTokens tokens,
      ChangeStreams streams) {
    this.streams = streams;
    this.pages = pages;
    this.queued = queued;
    this.review = review;
    this.tokens = tokens;
    this.readiness = new ReadinessPage(dependencies);
  }

  private static Cache<String, HttpAnswer> cache() {
    return Caffeine.newBuilder()
        .maximumWeight(MOST_KEPT)
        .weigher((String key, HttpAnswer page) -> key.length() + page.body().array().length)
        .expireAfterWrite(KEPT)
        .build();
  }

  /// What a caller asked for.
  private record Asked(Frame frame, PageQuery query, PageView view) {
    String key() {
      return "%s%s %s %s".formatted(frame.path(), query.key(), frame.hasToken(), view.key());
    }
  }

  /// Adds all paths to the router.
  void addTo(Router router) {
    ScreenAssets.TYPES.forEach((name, type) -> {
      HttpAnswer file = HttpAnswer.page(type, ScreenAssets.bytes(name)).packed();
      Routes.get(
          router,
          "/assets/" + name,
          "asset",
          ctx -> {
            guard(ctx);
            file.send(ctx);
          });
    });
    tokens.addTo(router);
    Routes.get(
        router,
        "/changes",
        "changes",
        ctx -> {
          guard(ctx);
          review.stream(ctx, tokens.shown(ctx).authorization(), streams);
        });
    screen(router, "/", "Cluster", PageParameters.MAP, kept(this::cluster));
    screen(router, "/queue", "Queue", PageParameters.WAITING_SCREEN, kept(this::board));
    screen(router, "/gangs", "Gangs", PageParameters.GANGS_SCREEN, kept(this::gangs));
    screen(router, "/usage", "Usage", PageParameters.USAGE_SCREEN, this::usage);
    screen(router, "/share", "Share", PageParameters.NONE, kept(this::share));
    screen(router, "/preemptions", "Preemptions", PageParameters.NONE, this::preemptions);
    screen(router, "/server", "Server", PageParameters.NONE, this::server);
    Routes.get(router, "/gangs/:namespace/:name", "screen", this::gang);
  }

  /// Adds the headers that keep a screen from others.
  static void guard(RoutingContext ctx) {
    ctx.response()
        .putHeader("Content-Security-Policy", CONTENT_POLICY)
        .putHeader("Cross-Origin-Opener-Policy", "same-origin")
        .putHeader("Cross-Origin-Resource-Policy", "same-origin")
        .putHeader("Referrer-Policy", "no-referrer")
        .putHeader("X-Content-Type-Options", "nosniff");
  }

  private void screen(
      Router router,
      String path,
      String title,
      PageParameters known,
      Function<Asked, HttpAnswer> content) {
    Routes.get(router, path, "screen", ctx -> screen(ctx, title, known, review::scopes, content));
  }

  private void screen(
      RoutingContext ctx,
      String title,
      PageParameters known,
      Supplier<Set<GangScope>> scopes,
      Function<Asked, HttpAnswer> content) {
    guard(ctx);
    BrowserTokens.Shown shown = tokens.shown(ctx);
    Frame frame = new Frame(title, ctx.normalizedPath(), shown.fromBrowser());
    try {
      PageQuery query = query(ctx, known);
      review.decide(
          ctx,
          shown.authorization(),
          scopes,
          decided -> {
            switch (decided) {
              case PageAccess.Granted(PageView view, long _) ->
                  queued.sendPage(ctx, () -> content.apply(new Asked(frame, query, view)));
              case PageAccess.Denied(int status, String problem) ->
                  denied(ctx, frame, shown, status, problem).send(ctx);
            }
          });
    } catch (MalformedQuery malformed) {
      problem(frame, 400, malformed.problem()).send(ctx);
    }
  }

  /// Returns the parameters; empty fields of a form count as absent.
  private static PageQuery query(RoutingContext ctx, PageParameters known) throws MalformedQuery {
    List<Map.Entry<String, String>> given =
        ctx.queryParams().entries().stream().filter(each -> !each.getValue().isEmpty()).toList();
    return PageQuery.of(given, known);
  }

  private HttpAnswer denied(
      RoutingContext ctx, Frame frame, BrowserTokens.Shown shown, int status, String problem) {
    if (status != 401) {
      return problem(frame, status, problem);
    }
    tokens.forget(ctx);
    String text = shown.authorization().isEmpty() ? shown.remedy() : problem;
    return html(status, Screens.login(frame, text, BrowserTokens.returnPath(ctx)));
  }

  private static HttpAnswer problem(Frame frame, int status, String problem) {
    return html(status, Screens.problem(frame, problem));
  }

  private static HttpAnswer html(int status, String html) {
    return HttpAnswer.text(HttpAnswer.HTML, html).withStatus(status).as("refused");
  }

  /// Returns a rendering that all callers share for a second, unless a stream tells of a change
  /// before. The content must depend on the image alone.
  ///
  /// Each image has its own rendering otherwise, and a busy cluster has many images in a second.
  private Function<Asked, HttpAnswer> kept(Function<Asked, HttpAnswer> content) {
    return asked -> rendered.of(streams.told()).get(asked.key(), _ -> content.apply(asked));
  }

  /// Returns the screen of an answer, or its problem.
  private static HttpAnswer shown(
      Asked asked, HttpAnswer answer, Function<JsonNode, String> rendering) {
    JsonNode json = json(answer);
    if (answer.status() != 200) {
      return problem(asked.frame(), answer.status(), json.path("error").asText());
    }
    String html = rendering.apply(json);
    return HttpAnswer.page(
        HttpAnswer.HTML,
        Screens.at(html, json).getBytes(StandardCharsets.UTF_8),
        html.getBytes(StandardCharsets.UTF_8));
  }

  private static JsonNode json(HttpAnswer answer) {
    try {
      return MAPPER.readTree(answer.body().array());
    } catch (IOException impossible) {
      throw new UncheckedIOException("An answer of the API is no JSON.", impossible);
    }
  }

  private HttpAnswer cluster(Asked asked) {
    JsonNode line = json(pages.waiting(FIRST, asked.view()));
    return shown(
        asked,
        pages.nodes(PageQuery.NONE, asked.view()),
        nodes -> Screens.cluster(asked.frame(), nodes, line, asked.query()));
  }

  /// Shows the first gangs only, since a list of all is megabytes long in a large cluster.
  private HttpAnswer gangs(Asked asked) {
    PageQuery first = asked.query().with(PageParameters.LIMIT, String.valueOf(Screens.MOST_GANGS));
    PageQuery running =
        asked.query().with(PageParameters.VERDICT, "Runs").with(PageParameters.LIMIT, "1");
    int count = json(pages.gangs(running, asked.view())).at("/total/gangs").asInt();
    return shown(
        asked,
        pages.gangs(first, asked.view()),
        gangs -> Screens.gangs(asked.frame(), gangs, count, asked.query()));
  }

  /// Shows usage by each word. The first answer tells if the query is refused.
  private HttpAnswer usage(Asked asked) {
    List<PageQuery> queries =
        WORDS.stream().map(word -> asked.query().with(PageParameters.BY, word)).toList();
    List<HttpAnswer> usage = pages.usage(queries, asked.view());
    SequencedMap<String, JsonNode> answers = new LinkedHashMap<>();
    for (int i = 0; i < WORDS.size(); i++) {
      answers.put(WORDS.get(i), json(usage.get(i)));
    }
    HttpAnswer budgets = pages.budgets(asked.view());
    return shown(
        asked,
        usage.getFirst().status() == 200 && budgets.status() != 200 ? budgets : usage.getFirst(),
        _ -> Screens.usage(asked.frame(), answers, json(budgets), asked.query()));
  }

  /// Shows the first queues only: where none is configured, users choose their names.
  private HttpAnswer share(Asked asked) {
    return shown(
        asked,
        pages.queues(PageQuery.NONE.with(PageParameters.SORT, "gpus"), asked.view()),
        queues -> Screens.share(asked.frame(), queues));
  }

  private HttpAnswer preemptions(Asked asked) {
    return shown(
        asked, pages.preemptions(asked.view()), acts -> Screens.preemptions(asked.frame(), acts));
  }

  private HttpAnswer server(Asked asked) {
    JsonNode ready = json(readiness.answer());
    return shown(asked, pages.server(), server -> Screens.server(asked.frame(), server, ready));
  }

  private void gang(RoutingContext ctx) {
    String namespace = Objects.requireNonNullElse(ctx.pathParam("namespace"), "");
    String name = Objects.requireNonNullElse(ctx.pathParam("name"), "");
    screen(
        ctx,
        namespace + "/" + name,
        PageParameters.GANG,
        () -> GangScope.all(namespace),
        asked -> gang(asked, namespace, name));
  }

  private HttpAnswer gang(Asked asked, String namespace, String name) {
    PageView view = asked.view();
    return shown(
        asked,
        pages.gang(asked.query(), view, namespace, name),
        gang -> {
          boolean planned = gang.has("planned");
          WhyReport report =
              new WhyReport(
                  gang,
                  planned ? json(pages.nodes(PageQuery.NONE, view)) : MissingNode.getInstance(),
                  json(pages.preemptions(view)),
                  json(pages.server()));
          return Screens.gang(asked.frame(), report);
        });
  }

  private HttpAnswer board(Asked asked) {
    return shown(
        asked,
        pages.waiting(asked.query(), asked.view()),
        line -> Screens.board(asked.frame(), line, asked.query()));
  }
}
