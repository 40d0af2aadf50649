package dev.muster.server.http;

import dev.muster.server.http.receive.BodyReader;
import dev.muster.server.http.receive.BodyRest;
import dev.muster.server.http.receive.ConnectionLimit;
import dev.muster.server.http.receive.FlowControl;
import dev.muster.server.http.receive.UnreadAnswers;
import dev.muster.server.metrics.SharedResult;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.concurrent.Executor;

/// The paths that answer whether and how the server runs: `/healthz`, `/readyz`, `/available`, and
/// `/metrics`.
///
/// @param dependencies readiness and metrics
/// @param connections open connections of the port
record ProbeRoutes(HttpDependencies dependencies, ConnectionLimit connections) {
  /// Returns the router of a port that serves nothing else.
  Router router(Vertx vertx) {
    Router router = Router.router(vertx);
    HttpRefusals refusals = new HttpRefusals(0);
    UnreadAnswers unread = UnreadAnswers.ofHeap();
    router
        .route()
        .handler(ctx -> {
          ctx.put(BodyReader.CALLER, connections.asked(ctx.request().connection()));
          ctx.put(UnreadAnswers.KEY, unread);
          BodyRest.limit(ctx);
          ctx.next();
        })
        .failureHandler(refusals::failed);
    addTo(router);
    refusals.attach(router);
    return router;
  }

  /// Adds the paths to a router.
  void addTo(Router router) {
    ReadinessPage readiness = new ReadinessPage(dependencies);
    Routes.get(router, "/healthz", "healthz", ProbeRoutes::healthy);
    Routes.get(router, "/readyz", "readyz", ctx -> readiness.answer().send(ctx));
    Routes.get(router, "/available", "available", this::available);
    Routes.get(router, "/metrics", "metrics", this::metrics);
  }

  private static void healthy(RoutingContext ctx) {
    HttpAnswer.text("text/plain; charset=utf-8", "ok\n").send(ctx);
  }

  /// Answers the readiness probe, which a standby passes too. The Service selects the leader by its
  /// label.
  private void available(RoutingContext ctx) {
    boolean available = dependencies.readiness().isAvailable().getAsBoolean();
    HttpAnswer answer =
        HttpAnswer.text("text/plain; charset=utf-8", available ? "ok\n" : "not available\n");
    (available ? answer : answer.withStatus(503).as("refused")).send(ctx);
  }

  /// Sends the metrics, unless the caller leaves before they are rendered.
  private void metrics(RoutingContext ctx) {
    if (ctx.response().closed()) {
      return;
    }
    Executor loop = FlowControl.thread(ctx.request());
    SharedResult<HttpAnswer> page = dependencies.metrics().page();
    SharedResult.Caller<HttpAnswer> caller = new SharedResult.Caller<>();
    ctx.addEndHandler(_ -> page.remove(caller));
    var _ =
        caller
            .result()
            .whenComplete((answer, failure) ->
                loop.execute(() -> {
                  if (failure == null) {
                    answer.send(ctx);
                  } else {
                    ctx.fail(failure);
                  }
                }));
    page.add(caller);
  }
}
