package dev.muster.server.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.state.State;
import dev.muster.policy.file.NearestWord;
import dev.muster.policy.preemption.load.PolicyWatch;
import dev.muster.server.http.extender.ExtenderAnswers;
import dev.muster.server.http.extender.ExtenderArgs;
import dev.muster.server.http.extender.ExtenderReader;
import dev.muster.server.http.extender.ExtenderWriter;
import dev.muster.server.http.extender.FilterAnswer;
import dev.muster.server.http.extender.MalformedRequest;
import dev.muster.server.http.extender.PreemptionArgs;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Maps paths to answers. Small requests are answered on the event loop, in microseconds. Large
/// bodies and pages about the whole cluster are handled on a worker thread.
final class Routes {
  private static final Logger log = LoggerFactory.getLogger(Routes.class);
  private static final String ENDPOINT = "endpoint";
  private static final String OUTCOME = "outcome";
  private static final int LARGE = 1 << 20;

  /// The API server accepts no objects of more than 3 MiB.
  private static final long REVIEW = 4 << 20;

  private static final Duration PATIENCE = Duration.ofMillis(100);
  private static final int LOOK_AGAIN_MILLIS = 1;

  private final HttpDependencies dependencies;
  private final Vertx vertx;
  private final long maxBody;
  private final BodyMemory bodies = BodyMemory.ofHeap();

  /// Reads large bodies one at a time: the tree of one body may take fifty times its size.
  private final WorkerExecutor reader;

  private final ExtenderAnswers extender;
  private final PodWebhook webhook;
  private final ApiPages pages;

  /// The paths without variables, for suggestions after a mistyped path.
  private List<String> served = List.of();

  /// True once kube-scheduler has asked about a pod that Muster places. Until then, only gates keep
  /// pods from starting.
  private volatile boolean consulted;

  Routes(HttpDependencies dependencies, Vertx vertx, long maxBody) {
    this.dependencies = dependencies;
    this.vertx = vertx;
    this.maxBody = maxBody;
    this.reader = vertx.createSharedWorkerExecutor("muster-large-bodies", 1);
    this.pages = new ApiPages(dependencies.policies().get());
    this.extender = new ExtenderAnswers(dependencies.scope());
    this.webhook =
        new PodWebhook(
            dependencies.scope(),
            dependencies.webhook(),
            gpus -> consulted && GateExemption.isAmple(image(), gpus));
  }

  /// Answers a request by its body.
  @FunctionalInterface
  interface OfBody {
    HttpAnswer answer(byte[] body) throws MalformedRequest;
  }

  /// Returns the router of all paths. Additional routes of the caller come first.
  Router router(Consumer<Router> more) {
    Router router = Router.router(vertx);
    router.route().handler(this::clock).failureHandler(this::failed);
    more.accept(router);
    route(router, "/scheduler/filter", maxBody, this::filter);
    post(router, "/scheduler/prioritize", maxBody, this::prioritize);
    post(router, "/scheduler/preempt", maxBody, this::preempt);
    review(router, "/webhook/gate/pods", PodWebhook.Task.GATE);
    review(router, "/webhook/hide-gpus/pods", PodWebhook.Task.HIDE);
    review(router, "/webhook/pods", PodWebhook.Task.BOTH);
    get(
        router,
        "/healthz",
        "healthz",
        ctx -> send(ctx, HttpAnswer.text("text/plain; charset=utf-8", "ok\n")));
    get(router, "/readyz", "readyz", ctx -> send(ctx, readiness()));
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
    refusals(router);
    return router;
  }

  private State image() {
    return dependencies.image().get();
  }

  private void filter(RoutingContext ctx, byte[] body) {
    if (body.length > LARGE) {
      read(ctx, () -> checked(large -> filter(args(large)), body));
      return;
    }
    try {
      settle(ctx, args(body), System.nanoTime() + PATIENCE.toNanos());
    } catch (MalformedRequest malformed) {
      send(ctx, HttpAnswer.refusal(400, malformed.problem()));
    }
  }

  private ExtenderArgs args(byte[] body) throws MalformedRequest {
    return ExtenderReader.args(body, dependencies.scope().accelerators());
  }

  /// Answers a filter call, after a short wait if the pod is still unknown. A refusal would cost
  /// kube-scheduler a patch, an Event and another attempt. The wait blocks no thread.
  private void settle(RoutingContext ctx, ExtenderArgs args, long until) {
    try {
      if (System.nanoTime() < until && extender.isUndecided(image(), args)) {
        vertx.setTimer(LOOK_AGAIN_MILLIS, _ -> settle(ctx, args, until));
      } else {
        send(ctx, filter(args));
      }
    } catch (RuntimeException bug) {
      ctx.fail(bug); // an exception in a timer would leave the request without answer
    }
  }

  private HttpAnswer filter(ExtenderArgs args) {
    consulted = consulted || extender.knows(image(), args);
    FilterAnswer answer = extender.filter(image(), args);
    return HttpAnswer.json(ExtenderWriter.filter(answer, args.casing()))
        .as(answer.error().isEmpty() ? "ok" : "error");
  }

  private HttpAnswer prioritize(byte[] body) throws MalformedRequest {
    ExtenderArgs args = args(body);
    refuse(extender.problem(args));
    return HttpAnswer.json(
        ExtenderWriter.scores(extender.prioritize(image(), args), args.casing()));
  }

  private HttpAnswer preempt(byte[] body) throws MalformedRequest {
    PreemptionArgs args = ExtenderReader.preemption(body, dependencies.scope().accelerators());
    refuse(extender.problem(args.pod()));
    return HttpAnswer.json(
        ExtenderWriter.preemption(
            extender.preempt(image(), dependencies.policies().get(), args), args.casing()));
  }

  /// Refuses by the status, because these answers have no field for an error.
  private static void refuse(Optional<String> problem) throws MalformedRequest {
    if (problem.isPresent()) {
      throw new MalformedRequest(problem.get());
    }
  }

  private HttpAnswer readiness() {
    boolean synced = image().cluster().synced();
    boolean able = dependencies.isReady().getAsBoolean();
    boolean ready = synced && able;
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("ready", ready).put("synced", synced).put("informers", able);
    dependencies.policy().ifPresent(policy -> tell(policy.get(), json.putObject("policy")));
    byte[] body = (json + "\n").getBytes(StandardCharsets.UTF_8);
    return ready ? HttpAnswer.json(body) : HttpAnswer.json(body).withStatus(503).as("refused");
  }

  /// Adds the policy status. An invalid policy file does not stop the service: the last valid one
  /// stays in force.
  private static void tell(PolicyWatch.Status policy, ObjectNode json) {
    json.put("revision", policy.revision())
        .put("loadedAt", policy.loadedAt().toString())
        .put("checkedAt", policy.checkedAt().toString());
    ArrayNode problems = json.putArray("problems");
    policy.problems().forEach(problem -> problems.add(problem.render()));
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
    post(
        router,
        path,
        Math.min(maxBody, REVIEW),
        body -> HttpAnswer.json(webhook.review(task, body)));
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
      send(ctx, checked(answer, body));
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
    vertx.executeBlocking(answer, false).onSuccess(ready -> send(ctx, ready)).onFailure(ctx::fail);
  }

  private void read(RoutingContext ctx, Callable<HttpAnswer> answer) {
    reader.executeBlocking(answer).onSuccess(ready -> send(ctx, ready)).onFailure(ctx::fail);
  }

  /// Sends head and body in one segment: two segments cost 40 ms with delayed acknowledgements.
  private static void send(RoutingContext ctx, HttpAnswer answer) {
    ctx.put(OUTCOME, answer.outcome());
    if (ctx.response().ended() || ctx.response().closed()) {
      return;
    }
    HttpServerResponse response =
        ctx.response()
            .setStatusCode(answer.status())
            .putHeader(HttpHeaders.CONTENT_TYPE, answer.contentType());
    Buffer body = Buffer.buffer(answer.body().array());
    if (ctx.request().method().equals(HttpMethod.HEAD)) { // over HTTP/2 a body would be sent
      response.putHeader(HttpHeaders.CONTENT_LENGTH, String.valueOf(body.length())).end();
    } else {
      response.end(body);
    }
  }

  private void clock(RoutingContext ctx) {
    long start = System.nanoTime();
    ctx.addEndHandler(_ ->
        dependencies
            .metrics()
            .answered(
                ctx.get(ENDPOINT, "other"),
                ctx.get(OUTCOME, "broken"),
                Duration.ofNanos(System.nanoTime() - start)));
    ctx.next();
  }

  private void refusals(Router router) {
    served =
        router.getRoutes().stream()
            .flatMap(route -> Stream.ofNullable(route.getPath()))
            .filter(path -> path.indexOf(':') < 0)
            .toList();
    Set<Integer> statuses = Set.of(400, 404, 405, 408, 413, 414, 415, 500, 503);
    for (int status : statuses) {
      router.errorHandler(status, ctx -> refuse(ctx, status));
    }
  }

  private void failed(RoutingContext ctx) {
    refuse(ctx, ctx.statusCode() < 400 ? 500 : ctx.statusCode());
  }

  private void refuse(RoutingContext ctx, int status) {
    boolean callerLeft = ctx.response().closed() || ctx.failure() instanceof IOException;
    if (status == 500 && !callerLeft) {
      log.error("{} {} failed", ctx.request().method(), ctx.normalizedPath(), ctx.failure());
    }
    if (status == 405 && !ctx.response().headWritten()) {
      ctx.response().putHeader(HttpHeaders.ALLOW, isPosted(ctx) ? "POST" : "GET, HEAD");
    }
    send(ctx, HttpAnswer.refusal(status, problem(ctx, status)));
  }

  /// True if the path expects a body; all other paths are read-only.
  private static boolean isPosted(RoutingContext ctx) {
    String path = ctx.normalizedPath();
    return path.startsWith("/scheduler/") || path.startsWith("/webhook/");
  }

  private String problem(RoutingContext ctx, int status) {
    return switch (status) {
      case 400 -> "The request is not valid HTTP, or its path has a broken escape.";
      case 404 ->
          "Nothing is served at %s. Did you mean %s?".formatted(brief(ctx), nearest(brief(ctx)));
      case 405 ->
          "%s is not served at %s. Did you mean %s?"
              .formatted(ctx.request().method(), brief(ctx), isPosted(ctx) ? "POST" : "GET");
      case 408 -> "The body did not arrive in time.";
      case 413 ->
          "The body is too long. The maximum is %d bytes for an extender call and %d for an admission review. nodeCacheCapable: true makes calls shorter; maxBody raises the maximum."
              .formatted(maxBody, Math.min(maxBody, REVIEW));
      case 415 -> "The header Content-Type must be application/json.";
      case 503 ->
          "Other request bodies use all memory for bodies. Try again later; a NetworkPolicy can exclude other clients.";
      default -> "Internal error. The log of the server has the details.";
    };
  }

  private String nearest(String path) {
    boolean looksAround = path.equals("/") || path.startsWith("/api");
    return NearestWord.to(path, served).orElse(looksAround ? "/api/v1/gangs" : "/scheduler/filter");
  }

  private static String brief(RoutingContext ctx) {
    String path = ctx.normalizedPath();
    return path.length() > 100 ? path.substring(0, 100) + "..." : path;
  }
}
