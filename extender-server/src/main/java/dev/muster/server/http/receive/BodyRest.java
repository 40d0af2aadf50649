package dev.muster.server.http.receive;

import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;

/// The part of a body that nobody needs, because the answer does not depend on it.
///
/// A request with a wrong path, method or type is answered before its body is read, and the body of
/// a GET request is never used. A client could send such a body without end. So little of it is
/// dropped, then nothing more is read, and the connection ends soon after the answer.
public final class BodyRest implements Handler<Buffer> {
  /// The time in which a refused client may read the refusal, before the connection is closed.
  private static final long FAREWELL_MILLIS = 1_000;

  /// A piece of one byte takes as long to decode as one of so many.
  private static final int LEAST = 256;

  private final HttpServerRequest request;
  private long dropped;

  /// @param request gives its body to this
  BodyRest(HttpServerRequest request) {
    this.request = request;
  }

  /// Drops the body of the request, unless a [BodyReader] reads it.
  public static void limit(RoutingContext ctx) {
    HttpServerRequest request = ctx.request();
    request.handler(new BodyRest(request));
    ctx.addEndHandler(_ -> {
      if (!request.isEnded() && ctx.response().ended()) {
        ctx.vertx().setTimer(FAREWELL_MILLIS, _ -> leave(request));
      }
    });
  }

  @Override
  public void handle(Buffer part) {
    dropped += Math.max(part.length(), LEAST);
    if (dropped > Intake.SMALL) {
      FlowControl.pause(request);
    }
  }

  /// Ends the call if its body still goes on.
  private static void leave(HttpServerRequest request) {
    if (!request.isEnded()) {
      request.connection().close();
    }
  }
}
