package dev.muster.server.http;

import dev.muster.core.cluster.Gang;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.server.http.access.GangScope;
import dev.muster.server.http.access.PageAccess;
import dev.muster.server.http.extender.LastValueCache;
import dev.muster.server.http.receive.BodyReader;
import dev.muster.server.http.receive.FairPermits;
import dev.muster.server.http.receive.FlowControl;
import dev.muster.server.http.stream.ChangeStreams;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.net.HostAndPort;
import io.vertx.ext.web.RoutingContext;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// Finds what the caller of a request may see.
final class CallerReview {
  /// Each keeps at most ten virtual threads.
  private static final int MOST = 128;

  private final HttpDependencies dependencies;

  /// One for each page whose caller is being reviewed.
  private final FairPermits permits = new FairPermits(MOST);

  private final LastValueCache<SortedTable<GangId, Gang>, Set<GangScope>> scopes =
      new LastValueCache<>(CallerReview::scopes);

  CallerReview(HttpDependencies dependencies) {
    this.dependencies = dependencies;
  }

  /// Returns the token of the caller. The API server's proxy of services removes the usual header,
  /// so a caller behind it sends the token in a second one.
  static Optional<String> authorization(RoutingContext ctx) {
    return Optional.ofNullable(ctx.request().getHeader(HttpHeaders.AUTHORIZATION))
        .or(() -> Optional.ofNullable(ctx.request().getHeader(PageAccess.FORWARDED)));
  }

  private static String host(RoutingContext ctx) {
    HostAndPort named = ctx.request().authority();
    return named == null ? "" : named.host();
  }

  /// Returns the scopes of all gangs.
  Set<GangScope> scopes() {
    return scopes.of(dependencies.image().get().cluster().gangs());
  }

  private static Set<GangScope> scopes(SortedTable<GangId, Gang> gangs) {
    Set<GangScope> scopes = new HashSet<>();
    gangs.forEach(gang -> scopes.add(GangScope.of(gang.id())));
    return Set.copyOf(scopes);
  }

  /// Decides about a request of the current thread, and continues there.
  ///
  /// @param asked scopes of the gangs that the page shows
  void decide(
      RoutingContext ctx,
      Optional<String> authorization,
      Supplier<Set<GangScope>> asked,
      Consumer<PageAccess.Answer> answer) {
    Executor loop = FlowControl.thread(ctx.request());
    String address = BodyReader.caller(ctx).address();
    if (!permits.tryAcquire(address)) {
      answer.accept(
          new PageAccess.Denied(
              503, "Too many callers of your address are being reviewed. Try again later."));
      return;
    }
    dependencies
        .access()
        .decide(
            new PageAccess.Request(address, host(ctx), authorization, asked),
            decided -> {
              permits.release(address);
              loop.execute(() -> answer.accept(decided));
            });
  }

  /// Answers a request of the current thread with the stream of changes that its caller may see.
  void stream(RoutingContext ctx, Optional<String> authorization, ChangeStreams streams) {
    ChangeStreams.Review review = answer -> decide(ctx, authorization, this::scopes, answer);
    review.decide(decided -> {
      switch (decided) {
        case PageAccess.Granted granted -> {
          if (ctx.request().method().equals(HttpMethod.HEAD)) {
            ctx.response().putHeader(HttpHeaders.CONTENT_TYPE, ChangeStreams.TYPE).end();
          } else if (ctx.response().closed()
              || streams.open(ctx, BodyReader.caller(ctx).address(), granted, review)) {
            ctx.put(HttpAnswer.OUTCOME, "ok"); // it is the caller that ends a stream
          } else {
            HttpAnswer.refusal(
                    503,
                    "Too many streams of your address are open. Read the lists again from time to time.")
                .send(ctx);
          }
        }
        case PageAccess.Denied(int status, String problem) ->
            HttpAnswer.refusal(status, problem).send(ctx);
      }
    });
  }
}
