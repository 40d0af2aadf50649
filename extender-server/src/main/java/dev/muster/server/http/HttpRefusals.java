package dev.muster.server.http;

import dev.muster.policy.file.NearestWord;
import dev.muster.policy.yaml.ShownValue;
import dev.muster.server.http.receive.BodyFormat;
import dev.muster.server.http.receive.BodyReader;
import dev.muster.server.http.receive.CertificateRefusals;
import dev.muster.server.logging.LogThrottle;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The answers to requests that match no route or fail, each with the reason and a remedy.
final class HttpRefusals {
  private static final Logger log = LoggerFactory.getLogger(HttpRefusals.class);
  private static final Set<Integer> STATUSES =
      Set.of(400, 401, 404, 405, 408, 413, 414, 415, 500, 503);

  private final long maxBody;
  private final CertificateRefusals uncertified = new CertificateRefusals(InstantSource.system());

  private final LogThrottle faults = new LogThrottle();

  /// The paths without variables, for suggestions after a mistyped path.
  private List<String> served = List.of();

  /// @param maxBody maximum length of a body, in bytes
  HttpRefusals(long maxBody) {
    this.maxBody = maxBody;
  }

  /// Refuses what the routes of the router do not serve. All routes must be present.
  void attach(Router router) {
    served =
        router.getRoutes().stream()
            .flatMap(route -> Stream.ofNullable(route.getPath()))
            .filter(path -> path.indexOf(':') < 0)
            .toList();
    for (int status : STATUSES) {
      router.errorHandler(status, ctx -> refuse(ctx, status));
    }
  }

  /// Refuses a request that failed in a route.
  void failed(RoutingContext ctx) {
    refuse(ctx, ctx.statusCode() < 400 ? 500 : ctx.statusCode());
  }

  private void refuse(RoutingContext ctx, int status) {
    boolean callerLeft = ctx.response().closed() || ctx.failure() instanceof IOException;
    if (status == 500 && !callerLeft && faults.isNew(fault(ctx.failure()))) {
      log.error("{} {} failed", ctx.request().method(), brief(ctx), ctx.failure());
    }
    if (status == 405 && !ctx.response().headWritten()) {
      ctx.response().putHeader(HttpHeaders.ALLOW, isPosted(ctx) ? "POST" : "GET, HEAD");
    }
    if (status == 401) { // a caller of Go or Java shows no certificate of another authority
      uncertified.note(
          BodyReader.caller(ctx).address(),
          "it called %s without a certificate of server.tls.clientAuthority"
              .formatted(ShownValue.text(ctx.normalizedPath())));
    }
    HttpAnswer.refusal(status, problem(ctx, status)).send(ctx);
  }

  /// True if the path expects a body; all other paths are read-only.
  private static boolean isPosted(RoutingContext ctx) {
    String path = ctx.normalizedPath();
    return path.startsWith("/scheduler/")
        || path.startsWith("/webhook/")
        || path.startsWith("/session");
  }

  private String problem(RoutingContext ctx, int status) {
    return switch (status) {
      case 400 -> malformed(ctx);
      case 401 ->
          "%s answers only callers with a certificate that server.tls.clientAuthority has signed, over HTTPS. docs/install.md says how kube-scheduler and the API server get one."
              .formatted(brief(ctx));
      case 404 ->
          "Nothing is served at %s. Did you mean %s?".formatted(brief(ctx), nearest(brief(ctx)));
      case 405 ->
          "%s is not served at %s. Did you mean %s?"
              .formatted(ctx.request().method(), brief(ctx), isPosted(ctx) ? "POST" : "GET");
      case 408 ->
          "The body was not complete within 30 s. It came slowly, or after many large bodies of other callers.";
      case 413 ->
          "The body is too long. The maximum is %d bytes. nodeCacheCapable: true makes calls shorter; maxBody raises the maximum."
              .formatted(maxBody);
      case 415 -> BodyFormat.problem(ctx.request());
      case 503 ->
          "No memory for bodies is left for your address: requests under way use it. Try again later; a NetworkPolicy can exclude other clients.";
      default -> "Internal error. The log of the server has the details.";
    };
  }

  private static String malformed(RoutingContext ctx) {
    int hosts = ctx.request().headers().getAll(HttpHeaders.HOST).size();
    if (hosts != 1) {
      return "The request has %d Host headers. It needs exactly one.".formatted(hosts);
    }
    if (ctx.request().authority() == null) {
      return "The header Host is malformed. Write it like muster.example:8080.";
    }
    return ctx.failure() instanceof BodyReader.SmallPieces
        ? "The body comes in pieces of less than 64 bytes."
        : "The request is not valid HTTP, or its path has a broken escape.";
  }

  private String nearest(String path) {
    boolean looksAround = path.equals("/") || path.startsWith("/api");
    String usual = looksAround ? "/api/v1/gangs" : "/scheduler/filter";
    return NearestWord.to(path, served).orElse(served.contains(usual) ? usual : "/healthz");
  }

  /// The kind of a fault and its place. A caller may cause one again and again.
  private static String fault(@Nullable Throwable failure) {
    return failure == null
        ? ""
        : Stream.of(failure.getStackTrace())
            .findFirst()
            .map(place -> failure.getClass().getName() + " at " + place)
            .orElse(failure.getClass().getName());
  }

  private static String brief(RoutingContext ctx) {
    String path = ctx.normalizedPath();
    return path.length() > 100 ? path.substring(0, 100) + "..." : path;
  }
}
