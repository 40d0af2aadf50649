package dev.muster.server.http;

import dev.muster.server.http.receive.BodyReader;
import dev.muster.server.http.receive.BodyRest;
import dev.muster.server.http.receive.ConnectionLimit;
import dev.muster.server.http.receive.UnreadAnswers;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;

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

  /// Renders the metrics on another thread, because they take milliseconds.
  private void metrics(RoutingContext ctx) {
    ctx.vertx()
        .executeBlocking(() -> dependencies.metrics().scrape())
        .map(text -> HttpAnswer.text("text/plain; version=0.0.4; charset=utf-8", text))
        .onSuccess(answer -> answer.send(ctx))
        .onFailure(ctx::fail);
  }
}
