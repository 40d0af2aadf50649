package dev.muster.server.http;

import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.util.Arrays;
import java.util.function.BiConsumer;

/// Gathers the body of a request in one array. Calls of hundreds of kilobytes come hundreds of
/// times a second; of 5,000 names, what the client says of the length spares all copies but one.
///
/// Anybody who reaches the port may send anything, so all bodies together have only so much room,
/// and each only so much time.
///
/// @param most longer bodies are refused with 413
/// @param room what all bodies may take together; 503 for those beyond it
/// @param whole told the body once it is there
record BodyReader(long most, BodyMemory room, BiConsumer<RoutingContext, byte[]> whole)
    implements Handler<RoutingContext> {
  /// The length is the client's word only: no more than this is set aside before it has come.
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

  /// As the client says; -1 when it does not.
  private static long length(HttpServerRequest request) {
    String text = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    try {
      return text == null ? -1 : Long.parseLong(text);
    } catch (NumberFormatException _) {
      return -1; // the HTTP parser has refused it already
    }
  }

  private final class Gathering {
    private final RoutingContext ctx;
    private byte[] bytes;
    private final long said; // its length, as far as is known
    private final long deadline;
    private int length;
    private long taken;
    private boolean failed;

    Gathering(RoutingContext ctx, long said) {
      this.ctx = ctx;
      this.said = said < 0 ? Long.MAX_VALUE : said;
      this.deadline =
          ctx.vertx()
              .setTimer(PATIENCE_MILLIS, _ -> fail(408, new IOException("the body did not come")));
      ctx.addEndHandler(_ -> leave());
      int expected = (int) Math.min(AT_ONCE, said < 0 ? UNKNOWN : said);
      this.bytes = new byte[take(expected) ? expected : 0];
    }

    /// Whether there is room for so many bytes more; the request has failed if not.
    private boolean take(int more) {
      boolean granted = room.take(more);
      taken += granted ? more : 0;
      if (!granted) {
        fail(503, new IOException("the bodies of other requests take all room"));
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
