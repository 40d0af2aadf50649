package dev.muster.server.http;

import dev.muster.server.http.access.GangScope;
import dev.muster.server.http.access.PageAccess;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.RoutingContext;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// Finds what the caller of a request may see.
record CallerReview(HttpDependencies dependencies, QueuedAnswers queued) {
  /// Returns the token of the caller. The API server's proxy of services removes the usual header,
  /// so a caller behind it sends the token in a second one.
  static Optional<String> authorization(RoutingContext ctx) {
    return Optional.ofNullable(ctx.request().getHeader(HttpHeaders.AUTHORIZATION))
        .or(() -> Optional.ofNullable(ctx.request().getHeader(PageAccess.FORWARDED)));
  }

  /// Returns the scopes of all gangs.
  Set<GangScope> scopes() {
    Set<GangScope> scopes = new HashSet<>();
    dependencies
        .image()
        .get()
        .cluster()
        .gangs()
        .forEach(gang -> scopes.add(GangScope.of(gang.id())));
    return scopes;
  }

  /// Decides about a request of the current thread, and continues there.
  ///
  /// @param asked scopes of the gangs that the page shows
  void decide(
      Optional<String> authorization,
      Supplier<Set<GangScope>> asked,
      Consumer<PageAccess.Answer> answer) {
    Executor loop = queued.loop();
    dependencies
        .access()
        .decide(authorization, asked, decided -> loop.execute(() -> answer.accept(decided)));
  }
}
