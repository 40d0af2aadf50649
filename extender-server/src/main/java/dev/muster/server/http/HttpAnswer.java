package dev.muster.server.http;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.muster.server.http.receive.UnreadAnswers;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

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

  /// Shorter answers fit into one packet, so compression would not bring them sooner.
  private static final int SHORT = 1_400;

  /// Bytes that are never modified.
  static final class Bytes {
    private final byte[] bytes;
    private volatile byte @Nullable [] packed;

    private Bytes(byte[] bytes) {
      this.bytes = bytes;
    }

    byte[] array() {
      return bytes;
    }

    /// Keeps the bytes also in the format gzip.
    private void pack() {
      if (packed == null) {
        packed = gzip(bytes);
      }
    }

    private static byte[] gzip(byte[] bytes) {
      ByteArrayOutputStream out = new ByteArrayOutputStream(bytes.length / 8 + 64);
      try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
        gzip.write(bytes);
      } catch (IOException impossible) {
        throw new UncheckedIOException("Bytes could not be written to memory.", impossible);
      }
      return out.toByteArray();
    }
  }

  /// What a caller takes.
  ///
  /// @param gzip true if it takes compressed answers
  /// @param known entity tags of pages that it has; empty if it has none
  private record Wish(boolean gzip, String known) {
    static Wish of(RoutingContext ctx) {
      return new Wish(
          words(ctx, HttpHeaders.ACCEPT_ENCODING).anyMatch(Wish::isGzip),
          Objects.requireNonNullElse(ctx.request().getHeader(HttpHeaders.IF_NONE_MATCH), ""));
    }

    private static Stream<String> words(RoutingContext ctx, CharSequence header) {
      return ctx.request().headers().getAll(header).stream()
          .flatMap(each -> Arrays.stream(each.split(",", -1)));
    }

    /// False for other formats, and if gzip has the weight 0.
    private static boolean isGzip(String word) {
      String[] parts = word.toLowerCase(Locale.ROOT).replace(" ", "").split(";", 2);
      return Set.of("gzip", "x-gzip").contains(parts[0])
          && (parts.length < 2 || !parts[1].matches("q=0(\\.0*)?"));
    }

    /// True if the caller says that it has this page.
    boolean has(Optional<String> tag) {
      return tag.isPresent()
          && Arrays.stream(known.split(",", -1))
              .map(each -> each.strip().replaceFirst("^W/", ""))
              .anyMatch(each -> each.equals(tag.get()) || each.equals("*"));
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

  /// True for answers that can be compressed: pages and files that do not depend on a cookie.
  ///
  /// A screen comes for the cookie of a browser, which other sites of the same domain can make it
  /// send, and repeats text of the request. So the length of a compressed screen would tell an
  /// eavesdropper what it shows (BREACH). A page of the API repeats no text of the request.
  private boolean canBePacked() {
    return tag.isPresent() && !contentType.equals(HTML) && body.array().length > SHORT;
  }

  /// Makes ready what the caller of the current request takes.
  ///
  /// @return does the work of compression, on any thread, for the answer that it is given
  static Consumer<HttpAnswer> packing(RoutingContext ctx) {
    Wish wish = Wish.of(ctx);
    return answer -> {
      if (wish.gzip() && answer.canBePacked() && !wish.has(answer.tag)) {
        answer.body.pack();
      }
    };
  }

  /// Returns the answer, which is compressed from now on for those who take it.
  HttpAnswer packed() {
    if (canBePacked()) {
      body.pack();
    }
    return this;
  }

  /// Returns the memory in bytes that the answer takes, also if it is compressed later.
  int weight() {
    return body.array().length + body.array().length / 4;
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
    if (canBePacked()) {
      response.putHeader(HttpHeaders.VARY, HttpHeaders.ACCEPT_ENCODING);
    }
    Wish wish = Wish.of(ctx);
    if (wish.has(tag)) {
      response.setStatusCode(304).end();
      return;
    }
    response.setStatusCode(status).putHeader(HttpHeaders.CONTENT_TYPE, contentType);
    byte[] packed = wish.gzip() ? body.packed : null;
    if (packed != null) {
      response.putHeader(HttpHeaders.CONTENT_ENCODING, "gzip");
    }
    byte[] sent = packed == null ? body.array() : packed;
    if (ctx.request().method().equals(HttpMethod.HEAD)) {
      response.putHeader(HttpHeaders.CONTENT_LENGTH, String.valueOf(sent.length)).end();
    } else {
      UnreadAnswers.send(ctx, sent);
    }
  }
}
