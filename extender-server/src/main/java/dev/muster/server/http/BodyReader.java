package dev.muster.server.http;

import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.util.Arrays;
import java.util.function.BiConsumer;

/// Gathers the body of a request in one array. Calls of hundreds of kilobytes arrive hundreds of
/// times a second. For bodies with 5,000 names, the announced length saves all copies but one.
///
/// Any client that reaches the port may send anything. So all bodies together have limited memory,
/// and each body has limited time.
///
/// @param most maximum length; longer bodies are refused with 413
/// @param room memory of all bodies together; further bodies are refused with 503
/// @param whole receives the complete body
record BodyReader(long most, BodyMemory room, BiConsumer<RoutingContext, byte[]> whole)
    implements Handler<RoutingContext> {
  /// The maximum that is allocated before data arrives, because the client may announce any length.
  private static final int AT_ONCE = 1 << 18;

  private static final int UNKNOWN = 1 << 13;
  private static final long PATIENCE_MILLIS = 30_000;

  @Override
  public void handle(RoutingContext ctx) {
    HttpServerRequest request = ctx.request();
    long said = length(request);
    if (said > most) {
      ctx.fail(413);
      return;
    }
    Gathering body = new Gathering(ctx, said);
    request.exceptionHandler(problem -> body.fail(400, problem));
    request.handler(body::add);
    request.endHandler(_ -> body.end());
  }

  /// Returns the length that the client announces; -1 without an announcement.
  private static long length(HttpServerRequest request) {
    String text = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    try {
      return text == null ? -1 : Long.parseLong(text);
    } catch (NumberFormatException _) {
      return -1; // already refused by the HTTP parser
    }
  }

  private final class Gathering {
    private final RoutingContext ctx;
    private byte[] bytes;
    private final long said; // announced length
    private final long deadline;
    private int length;
    private long taken;
    private boolean failed;

    Gathering(RoutingContext ctx, long said) {
      this.ctx = ctx;
      this.said = said < 0 ? Long.MAX_VALUE : said;
      this.deadline =
          ctx.vertx()
              .setTimer(
                  PATIENCE_MILLIS, _ -> fail(408, new IOException("the body did not arrive")));
      ctx.addEndHandler(_ -> leave());
      int expected = (int) Math.min(AT_ONCE, said < 0 ? UNKNOWN : said);
      this.bytes = new byte[take(expected) ? expected : 0];
    }

    /// Reserves more bytes; fails the request and returns false if memory is short.
    private boolean take(int more) {
      boolean granted = room.take(more);
      taken += granted ? more : 0;
      if (!granted) {
        fail(503, new IOException("other request bodies use all memory for bodies"));
      }
      return granted;
    }

    private void leave() {
      ctx.vertx().cancelTimer(deadline);
      room.give(taken);
      taken = 0;
    }

    void add(Buffer part) {
      if (failed) {
        return;
      }
      int longer = length + part.length();
      if (longer > most) {
        fail(413, new IOException("the body is too long"));
        return;
      }
      if (longer > bytes.length) {
        int grown = Math.max(longer, (int) Math.min(2L * bytes.length, said));
        if (!take(grown - bytes.length)) {
          return;
        }
        bytes = Arrays.copyOf(bytes, grown);
      }
      part.getBytes(bytes, length);
      length = longer;
    }

    void fail(int status, Throwable problem) {
      if (!failed) {
        failed = true;
        ctx.fail(status, problem);
      }
    }

    void end() {
      ctx.vertx().cancelTimer(deadline);
      if (!failed) {
        whole.accept(ctx, length == bytes.length ? bytes : Arrays.copyOf(bytes, length));
      }
    }
  }
}
