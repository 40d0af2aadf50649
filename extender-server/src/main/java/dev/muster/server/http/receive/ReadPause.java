package dev.muster.server.http.receive;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.impl.HttpServerConnection;

/// Stops to read a body. Its client notices that when the kernel keeps no more.
///
/// A request of Vert.x that is paused is still read, up to about 256 KiB. With a thousand of them
/// that would be much memory, which no limit counts.
final class ReadPause {
  private ReadPause() {}

  /// Reads nothing more of a request. Used on its event loop.
  static void begin(HttpServerRequest request) {
    request.pause();
    read(request, false);
  }

  /// Reads on.
  static void end(HttpServerRequest request) {
    read(request, true);
    request.resume();
  }

  private static void read(HttpServerRequest request, boolean reads) {
    if (request.version() != HttpVersion.HTTP_2 // whose connection has other requests
        && request.connection() instanceof HttpServerConnection server) {
      server.channelHandlerContext().channel().config().setAutoRead(reads);
    }
  }
}
