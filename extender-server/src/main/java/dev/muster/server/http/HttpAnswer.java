package dev.muster.server.http;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.muster.server.http.receive.UnreadAnswers;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;

/// A complete HTTP answer.
///
/// @param status HTTP status
/// @param contentType media type of the body
/// @param body the body
/// @param outcome word for the metrics: `ok`, `error`, `refused`
/// @param tag entity tag of a page, in quotes; absent for other answers
record HttpAnswer(
    int status, String contentType, Bytes body, String outcome, Optional<String> tag) {
  static final String JSON = "application/json";

  static final String HTML = "text/html; charset=utf-8";

  /// The key of the outcome in the context of an answered request.
  static final String OUTCOME = "outcome";

  /// Bytes that are never modified.
  static final class Bytes {
    private final byte[] bytes;

    private Bytes(byte[] bytes) {
      this.bytes = bytes;
    }

    byte[] array() {
      return bytes;
    }
  }

  static HttpAnswer json(byte[] body) {
    return new HttpAnswer(200, JSON, new Bytes(body), "ok", Optional.empty());
  }

  /// Returns a page of the API that never changes.
  static HttpAnswer page(byte[] body) {
    return page(body, body);
  }

  /// Returns a page of the API. A caller who has a page of equal content already gets only the
  /// status 304.
  ///
  /// @param content the page without its moment, which differs each time
  static HttpAnswer page(byte[] body, byte[] content) {
    return page(JSON, body, content);
  }

  /// Returns a file that never changes.
  static HttpAnswer page(String contentType, byte[] body) {
    return page(contentType, body, body);
  }

  /// Returns a page in another format.
  static HttpAnswer page(String contentType, byte[] body, byte[] content) {
    return new HttpAnswer(200, contentType, new Bytes(body), "ok", Optional.of(digest(content)));
  }

  private static String digest(byte[] body) {
    try {
      byte[] whole = MessageDigest.getInstance("SHA-256").digest(body);
      return '"' + HexFormat.of().formatHex(whole, 0, 16) + '"';
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("Every Java has SHA-256.", impossible);
    }
  }

  static HttpAnswer text(String contentType, String body) {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    return new HttpAnswer(200, contentType, new Bytes(bytes), "ok", Optional.empty());
  }

  /// Returns a refusal with one line that states the reason, `{"error":"..."}`.
  static HttpAnswer refusal(int status, String problem) {
    String quoted = String.valueOf(JsonStringEncoder.getInstance().quoteAsString(problem));
    byte[] body = "{\"error\":\"%s\"}\n".formatted(quoted).getBytes(StandardCharsets.UTF_8);
    return new HttpAnswer(status, JSON, new Bytes(body), "refused", Optional.empty());
  }

  HttpAnswer as(String otherOutcome) {
    return new HttpAnswer(status, contentType, body, otherOutcome, tag);
  }

  HttpAnswer withStatus(int other) {
    return new HttpAnswer(other, contentType, body, outcome, tag);
  }

  /// Sends the head with the body: two segments cost 40 ms with delayed acknowledgements.
  void send(RoutingContext ctx) {
    ctx.put(OUTCOME, outcome);
    if (ctx.response().ended() || ctx.response().closed()) {
      return;
    }
    HttpServerResponse response = ctx.response();
    tag.ifPresent(entity ->
        response
            .putHeader(HttpHeaders.ETAG, "W/" + entity) // weak, as bytes differ in their moment
            .putHeader(HttpHeaders.CACHE_CONTROL, "private, no-cache"));
    if (isKnown(ctx)) {
      response.setStatusCode(304).end();
      return;
    }
    response.setStatusCode(status).putHeader(HttpHeaders.CONTENT_TYPE, contentType);
    if (ctx.request().method().equals(HttpMethod.HEAD)) { // over HTTP/2 a body would be sent
      response.putHeader(HttpHeaders.CONTENT_LENGTH, String.valueOf(body.array().length)).end();
    } else {
      UnreadAnswers.send(ctx, body.array());
    }
  }

  /// True if the caller says that it has this page.
  private boolean isKnown(RoutingContext ctx) {
    String known = ctx.request().getHeader(HttpHeaders.IF_NONE_MATCH);
    return known != null
        && tag.isPresent()
        && Arrays.stream(known.split(",", -1))
            .map(each -> each.strip().replaceFirst("^W/", ""))
            .anyMatch(each -> each.equals(tag.get()) || each.equals("*"));
  }
}
