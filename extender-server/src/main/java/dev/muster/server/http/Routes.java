package dev.muster.server.http;

import dev.muster.core.state.State;
import dev.muster.server.http.access.GangScope;
import dev.muster.server.http.access.PageAccess;
import dev.muster.server.http.access.PageView;
import dev.muster.server.http.access.SealedTokens;
import dev.muster.server.http.extender.MalformedRequest;
import dev.muster.server.http.extender.ReviewReader;
import dev.muster.server.http.extender.ReviewWriter;
import dev.muster.server.http.page.ApiDescription;
import dev.muster.server.http.page.MalformedQuery;
import dev.muster.server.http.page.PageParameters;
import dev.muster.server.http.page.PageQuery;
import dev.muster.server.http.receive.BodyFormat;
import dev.muster.server.http.receive.BodyReader;
import dev.muster.server.http.receive.BodyRest;
import dev.muster.server.http.receive.Caller;
import dev.muster.server.http.receive.ConnectionLimit;
import dev.muster.server.http.receive.FlowControl;
import dev.muster.server.http.receive.Intake;
import dev.muster.server.http.receive.ReceivedBody;
import dev.muster.server.http.receive.UnreadAnswers;
import dev.muster.server.http.stream.ChangeStreams;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/// Maps paths to answers. Small extender calls of known callers are answered on the event loop, in
/// microseconds. Strangers, reviews, large bodies and pages take turns on other threads
/// ([CallQueue][dev.muster.server.http.receive.CallQueue]).
final class Routes {
  static final String ENDPOINT = "endpoint";

  private final HttpDependencies dependencies;
  private final Vertx vertx;
  private final long maxBody;
  private final ConnectionLimit connections;
  private final Intake intake;
  private final boolean demandsCertificates;

  private final ExtenderCalls extender;
  private final PodWebhook webhook;
  private final ApiPages pages;
  private final HttpRefusals refusals;
  private final QueuedAnswers queued;
  private final CallerReview review;
  private final ScreenRoutes screens;
  private final ChangeStreams streams;

  /// @param connections open connections
  /// @param intake limits of all request bodies
  /// @param streams open streams of changes
  Routes(
      HttpDependencies dependencies,
      Vertx vertx,
      ListenOptions listen,
      ConnectionLimit connections,
      Intake intake,
      ChangeStreams streams) {
    this.streams = streams;
    this.connections = connections;
    this.dependencies = dependencies;
    this.vertx = vertx;
    this.maxBody = listen.maxBody();
    this.demandsCertificates = listen.demandsCertificates();
    this.intake = intake;
    PageImage image = new PageImage(dependencies.image());
    this.queued = new QueuedAnswers(intake.queue(), image);
    this.pages = new ApiPages(dependencies, image);
    this.review = new CallerReview(dependencies);
    this.screens =
        new ScreenRoutes(
            dependencies,
            pages,
            queued,
            review,
            new BrowserTokens(new SealedTokens(InstantSource.system()), intake),
            streams);
    this.refusals = new HttpRefusals(maxBody);
    this.extender = new ExtenderCalls(dependencies);
    this.webhook =
        new PodWebhook(
            dependencies.scope(),
            dependencies.webhook(),
            gpus -> extender.isConsulted() && GateExemption.isAmple(image(), gpus));
  }

  /// Answers a request by its body.
  @FunctionalInterface
  interface OfBody {
    HttpAnswer answer(Caller caller, byte[] body) throws MalformedRequest;
  }

  /// Returns the router of all paths. Additional routes of the caller come first.
  Router router(Consumer<Router> more) {
    Router router = Router.router(vertx);
    router.route().handler(this::clock).failureHandler(refusals::failed);
    more.accept(router);
    route(router, "/scheduler/filter", this::filter);
    post(router, "/scheduler/prioritize", extender::prioritize);
    post(router, "/scheduler/preempt", extender::preempt);
    review(router, "/webhook/gate/pods", PodWebhook.Task.GATE);
    review(router, "/webhook/hide-gpus/pods", PodWebhook.Task.HIDE);
    review(router, "/webhook/pods", PodWebhook.Task.BOTH);
    new ProbeRoutes(dependencies, connections).addTo(router);
    page(router, "gangs", PageParameters.GANGS, pages::gangs);
    page(router, "waiting", PageParameters.WAITING, pages::waiting);
    page(router, "queues", PageParameters.PART, pages::queues);
    page(router, "preemptions", PageParameters.NONE, (_, view) -> pages.preemptions(view));
    page(router, "nodes", PageParameters.PART, pages::nodes);
    page(router, "usage", PageParameters.USAGE, pages::usage);
    page(router, "budgets", PageParameters.NONE, (_, view) -> pages.budgets(view));
    get(
        router,
        "/api/v1/changes",
        "changes",
        strict(
            PageParameters.NONE,
            (ctx, _) -> review.stream(ctx, CallerReview.authorization(ctx), streams)));
    get(router, "/api/v1/server", "server", strict(PageParameters.NONE, this::server));
    HttpAnswer description = HttpAnswer.page(ApiDescription.bytes()).packed();
    get(
        router,
        "/api/v1/openapi.json",
        "openapi",
        strict(PageParameters.NONE, (ctx, _) -> description.send(ctx)));
    get(router, "/api/v1/gangs/:namespace/:name", "gang", strict(PageParameters.GANG, this::gang));
    screens.addTo(router);
    refusals.attach(router);
    return router;
  }

  private State image() {
    return dependencies.image().get();
  }

  private void filter(RoutingContext ctx, ReceivedBody body) {
    Caller caller = BodyReader.caller(ctx);
    Executor loop = FlowControl.thread(ctx.request());
    if (isQueued(caller, body)) {
      Executor queue = queued.ofBody(ctx, body.length());
      queue.execute(() -> extender.filterOrWait(ctx, body.take(), loop, queue));
    } else {
      extender.filterOrWait(ctx, body.take(), Runnable::run, Runnable::run);
    }
  }

  /// True if the call is answered in its turn, on another thread than the one that reads.
  private static boolean isQueued(Caller caller, ReceivedBody body) {
    return !caller.isKnown() || body.length() > Intake.SMALL;
  }

  private void gang(RoutingContext ctx, PageQuery query) {
    String namespace = Objects.requireNonNullElse(ctx.pathParam("namespace"), "");
    String name = Objects.requireNonNullElse(ctx.pathParam("name"), "");
    page(ctx, () -> GangScope.all(namespace), view -> pages.gang(query, view, namespace, name));
  }

  private void review(Router router, String path, PodWebhook.Task task) {
    OfBody answer = (_, body) -> HttpAnswer.json(webhook.review(task, body));
    BodyReader.Refusal refusal =
        new BodyReader.Refusal(
            ReviewReader.HEAD, (ctx, status, begin) -> refuse(ctx, task, status, begin));
    BodyReader.WholeBody whole = (ctx, body) -> queued(ctx, body, answer);
    route(router, path, BodyReader.ofReviews(maxBody, intake, whole, refusal));
  }

  /// Refuses the pod of a review that is not read. Returns false if it is no review.
  private boolean refuse(RoutingContext ctx, PodWebhook.Task task, int status, byte[] begin) {
    ReviewWriter.Refusal reason =
        status == 413
            ? ReviewWriter.Refusal.forbidden(
                "The review of the pod is longer than %d bytes, server.maxBody of Muster. Each <, > and & of the pod takes six bytes in it."
                    .formatted(maxBody))
            : ReviewWriter.Refusal.forNow(
                "Muster has no memory for more reviews now. Try again later.");
    Optional<byte[]> answer = webhook.unread(task, begin, reason);
    answer.ifPresent(body -> HttpAnswer.json(body).as("refused").send(ctx));
    return answer.isPresent();
  }

  private void post(Router router, String path, OfBody answer) {
    route(router, path, (ctx, body) -> answer(ctx, answer, body));
  }

  private void route(Router router, String path, BodyReader.WholeBody answer) {
    route(router, path, new BodyReader(maxBody, intake, answer));
  }

  private void route(Router router, String path, BodyReader reader) {
    String endpoint = path.substring(path.lastIndexOf('/') + 1);
    router.post(path).handler(ctx -> named(ctx, endpoint));
    if (demandsCertificates) {
      router.post(path).handler(Routes::requireCertificate);
    }
    router.post(path).handler(Routes::requireJson);
    router.post(path).handler(reader);
  }

  static void get(Router router, String path, String endpoint, Handler<RoutingContext> answer) {
    router
        .route(path)
        .method(HttpMethod.GET)
        .method(HttpMethod.HEAD)
        .handler(ctx -> {
          BodyReader.caller(ctx).ask(ctx);
          named(ctx, endpoint);
        })
        .handler(answer);
  }

  private static void named(RoutingContext ctx, String endpoint) {
    ctx.put(ENDPOINT, endpoint);
    ctx.next();
  }

  /// Refuses a caller without certificate before its body is read, and ends its connection.
  private static void requireCertificate(RoutingContext ctx) {
    if (BodyReader.caller(ctx).isCertified()) {
      ctx.next();
    } else {
      ctx.fail(401);
    }
  }

  private static void requireJson(RoutingContext ctx) {
    if (BodyFormat.isPlainJson(ctx.request())) {
      ctx.next();
    } else {
      ctx.fail(415);
    }
  }

  private void answer(RoutingContext ctx, OfBody answer, ReceivedBody body) {
    if (isQueued(BodyReader.caller(ctx), body)) {
      queued(ctx, body, answer);
    } else {
      checked(ctx, answer, body).send(ctx);
    }
  }

  private void queued(RoutingContext ctx, ReceivedBody body, OfBody answer) {
    queued.send(ctx, body.length(), () -> checked(ctx, answer, body));
  }

  private static HttpAnswer checked(RoutingContext ctx, OfBody answer, ReceivedBody body) {
    try {
      return answer.answer(BodyReader.caller(ctx), body.take());
    } catch (MalformedRequest malformed) {
      return HttpAnswer.refusal(400, malformed.problem());
    }
  }

  private void page(
      Router router,
      String name,
      PageParameters known,
      BiFunction<PageQuery, PageView, HttpAnswer> answer) {
    get(
        router,
        "/api/v1/" + name,
        name,
        strict(
            known, (ctx, query) -> page(ctx, review::scopes, view -> answer.apply(query, view))));
  }

  private void server(RoutingContext ctx, PageQuery query) {
    page(ctx, Set::of, _ -> pages.server());
  }

  /// Refuses parameters that the page does not know.
  private static Handler<RoutingContext> strict(
      PageParameters known, BiConsumer<RoutingContext, PageQuery> answer) {
    return ctx -> {
      try {
        answer.accept(ctx, PageQuery.of(ctx.queryParams(), known));
      } catch (MalformedQuery malformed) {
        HttpAnswer.refusal(400, malformed.problem()).send(ctx);
      }
    };
  }

  /// Answers with what the caller may see, once this is known.
  private void page(
      RoutingContext ctx, Supplier<Set<GangScope>> asked, Function<PageView, HttpAnswer> answer) {
    review.decide(
        ctx, CallerReview.authorization(ctx), asked, decided -> decided(ctx, decided, answer));
  }

  private void decided(
      RoutingContext ctx, PageAccess.Answer decided, Function<PageView, HttpAnswer> answer) {
    switch (decided) {
      case PageAccess.Granted(PageView view, long _) ->
          queued.sendPage(ctx, () -> answer.apply(view));
      case PageAccess.Denied(int status, String problem) ->
          HttpAnswer.refusal(status, problem).send(ctx);
    }
  }

  private void clock(RoutingContext ctx) {
    ctx.put(BodyReader.CALLER, connections.asked(ctx.request().connection()));
    ctx.put(UnreadAnswers.KEY, intake.unread());
    BodyRest.limit(ctx);
    long start = System.nanoTime();
    boolean ambiguous = ctx.request().headers().getAll(HttpHeaders.HOST).size() > 1;
    ctx.addEndHandler(_ ->
        dependencies
            .metrics()
            .answered(
                ctx.get(ENDPOINT, "other"),
                ctx.get(HttpAnswer.OUTCOME, "broken"),
                Duration.ofNanos(System.nanoTime() - start)));
    if (ambiguous) {
      ctx.fail(400);
    } else {
      ctx.next();
    }
  }
}
