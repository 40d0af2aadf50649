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
/// times a second; what the client says of its length spares all copies but one.
///
/// @param most longer bodies are refused with 413
/// @param whole told the body once it is there
record WholeBody(long most, BiConsumer<RoutingContext, byte[]> whole)
    implements Handler<RoutingContext> {
  /// The length is the client's word only: no more than this is set aside before it has come.
  private static final int AT_ONCE = 1 << 20;

  private static final int UNKNOWN = 1 << 13;

  @Override
  public void handle(RoutingContext ctx) {
    HttpServerRequest request = ctx.request();
    long said = length(request);
    if (said > most) {
      ctx.fail(413);
      return;
    }
    Gathering body = new Gathering(ctx, (int) Math.min(AT_ONCE, said < 0 ? UNKNOWN : said));
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
    private int length;
    private boolean failed;

    Gathering(RoutingContext ctx, int expected) {
      this.ctx = ctx;
      this.bytes = new byte[expected];
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
        bytes = Arrays.copyOf(bytes, Math.max(longer, 2 * bytes.length));
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
      if (!failed) {
        whole.accept(ctx, length == bytes.length ? bytes : Arrays.copyOf(bytes, length));
      }
    }
  }
}
