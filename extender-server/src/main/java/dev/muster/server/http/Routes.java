package dev.muster.server.http;

import dev.muster.core.state.State;
import dev.muster.server.http.extender.MalformedRequest;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/// Maps paths to answers. Small requests are answered on the event loop, in microseconds. Large
/// bodies and pages about the whole cluster are handled on a worker thread.
final class Routes {
  private static final String ENDPOINT = "endpoint";
  private static final int LARGE = 1 << 20;

  /// The API server accepts no objects of more than 3 MiB.
  private static final long REVIEW = 4 << 20;

  private final HttpDependencies dependencies;
  private final Vertx vertx;
  private final long maxBody;
  private final long maxReview;
  private final BodyMemory bodies = BodyMemory.ofHeap();

  /// Reads large bodies one at a time: the tree of one body may take fifty times its size.
  private final WorkerExecutor reader;

  private final ExtenderCalls extender;
  private final PodWebhook webhook;
  private final ApiPages pages;
  private final ReadinessPage readiness;
  private final HttpRefusals refusals;

  Routes(HttpDependencies dependencies, Vertx vertx, long maxBody) {
    this.dependencies = dependencies;
    this.vertx = vertx;
    this.maxBody = maxBody;
    this.maxReview = Math.min(maxBody, REVIEW);
    this.reader = vertx.createSharedWorkerExecutor("muster-large-bodies", 1);
    this.pages = new ApiPages(dependencies.policies().get());
    this.readiness = new ReadinessPage(dependencies);
    this.refusals = new HttpRefusals(maxBody, maxReview);
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
    HttpAnswer answer(byte[] body) throws MalformedRequest;
  }

  /// Returns the router of all paths. Additional routes of the caller come first.
  Router router(Consumer<Router> more) {
    Router router = Router.router(vertx);
    router.route().handler(this::clock).failureHandler(refusals::failed);
    more.accept(router);
    route(router, "/scheduler/filter", maxBody, this::filter);
    post(router, "/scheduler/prioritize", maxBody, extender::prioritize);
    post(router, "/scheduler/preempt", maxBody, extender::preempt);
    review(router, "/webhook/gate/pods", PodWebhook.Task.GATE);
    review(router, "/webhook/hide-gpus/pods", PodWebhook.Task.HIDE);
    review(router, "/webhook/pods", PodWebhook.Task.BOTH);
    get(
        router,
        "/healthz",
        "healthz",
        ctx -> HttpAnswer.text("text/plain; charset=utf-8", "ok\n").send(ctx));
    get(router, "/readyz", "readyz", ctx -> readiness.answer().send(ctx));
    get(router, "/metrics", "metrics", ctx -> later(ctx, this::metrics));
    get(router, "/api/v1/gangs", "gangs", ctx -> later(ctx, () -> pages.gangs(image())));
    get(router, "/api/v1/queues", "queues", ctx -> later(ctx, () -> pages.queues(image())));
    get(
        router,
        "/api/v1/preemptions",
        "preemptions",
        ctx -> later(ctx, () -> ApiPages.preemptions(image(), dependencies.ledger().get())));
    get(router, "/api/v1/nodes", "nodes", ctx -> later(ctx, () -> pages.nodes(image())));
    get(router, "/api/v1/gangs/:namespace/:name", "gang", ctx -> later(ctx, () -> gang(ctx)));
    refusals.attach(router);
    return router;
  }

  private State image() {
    return dependencies.image().get();
  }

  private void filter(RoutingContext ctx, byte[] body) {
    if (body.length > LARGE) {
      read(ctx, () -> checked(extender::filter, body));
    } else {
      extender.filterOrWait(ctx, body);
    }
  }

  private HttpAnswer metrics() {
    return HttpAnswer.text(
        "text/plain; version=0.0.4; charset=utf-8", dependencies.metrics().scrape());
  }

  private HttpAnswer gang(RoutingContext ctx) {
    String namespace = Objects.requireNonNullElse(ctx.pathParam("namespace"), "");
    String name = Objects.requireNonNullElse(ctx.pathParam("name"), "");
    return namespace.isBlank() || name.isBlank()
        ? HttpAnswer.refusal(
            404, "The path names no gang. Its form is /api/v1/gangs/NAMESPACE/NAME.")
        : pages.gang(image(), namespace, name);
  }

  private void review(Router router, String path, PodWebhook.Task task) {
    post(router, path, maxReview, body -> HttpAnswer.json(webhook.review(task, body)));
  }

  private void post(Router router, String path, long most, OfBody answer) {
    route(router, path, most, (ctx, body) -> answer(ctx, answer, body));
  }

  private void route(
      Router router, String path, long most, BiConsumer<RoutingContext, byte[]> answer) {
    String endpoint = path.substring(path.lastIndexOf('/') + 1);
    router.post(path).handler(ctx -> named(ctx, endpoint));
    router.post(path).handler(Routes::requireJson);
    router.post(path).handler(new BodyReader(most, bodies, answer));
  }

  private static void get(
      Router router, String path, String endpoint, io.vertx.core.Handler<RoutingContext> answer) {
    router
        .route(path)
        .method(HttpMethod.GET)
        .method(HttpMethod.HEAD)
        .handler(ctx -> named(ctx, endpoint))
        .handler(answer);
  }

  private static void named(RoutingContext ctx, String endpoint) {
    ctx.put(ENDPOINT, endpoint);
    ctx.next();
  }

  private static void requireJson(RoutingContext ctx) {
    String type = ctx.request().getHeader(HttpHeaders.CONTENT_TYPE);
    String media = type == null ? "" : type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    if (media.equals(HttpAnswer.JSON)) {
      ctx.next();
    } else {
      ctx.fail(415);
    }
  }

  private void answer(RoutingContext ctx, OfBody answer, byte[] body) {
    if (body.length > LARGE) {
      read(ctx, () -> checked(answer, body));
    } else {
      checked(answer, body).send(ctx);
    }
  }

  private static HttpAnswer checked(OfBody answer, byte[] body) {
    try {
      return answer.answer(body);
    } catch (MalformedRequest malformed) {
      return HttpAnswer.refusal(400, malformed.problem());
    }
  }

  private void later(RoutingContext ctx, Callable<HttpAnswer> answer) {
    vertx.executeBlocking(answer, false).onSuccess(ready -> ready.send(ctx)).onFailure(ctx::fail);
  }

  private void read(RoutingContext ctx, Callable<HttpAnswer> answer) {
    reader.executeBlocking(answer).onSuccess(ready -> ready.send(ctx)).onFailure(ctx::fail);
  }

  private void clock(RoutingContext ctx) {
    long start = System.nanoTime();
    ctx.addEndHandler(_ ->
        dependencies
            .metrics()
            .answered(
                ctx.get(ENDPOINT, "other"),
                ctx.get(HttpAnswer.OUTCOME, "broken"),
                Duration.ofNanos(System.nanoTime() - start)));
    ctx.next();
  }
}
