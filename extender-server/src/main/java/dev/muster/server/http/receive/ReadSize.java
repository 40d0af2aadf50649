package dev.muster.server.http.receive;

import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.impl.HttpServerConnection;
import org.jspecify.annotations.Nullable;

/// The bytes that are read of a connection at once. All of them are decoded before another
/// connection is read.
///
/// Small requests and chunks cost much for each byte, so little is read of them. A body of known
/// length costs little for each byte, and more reads would delay it.
///
/// Vert.x would read as much at once as the kernel keeps. A kernel that keeps little stalls large
/// bodies, so the two differ here. Vert.x has no option for that.
///
/// Netty asks for the size before the first read. So it has no effect on connections with TLS,
/// whose handshake comes before, and HTTP/2 without TLS must be off.
public final class ReadSize extends DefaultMaxMessagesRecvByteBufAllocator {
  static final int SMALL = 1 << 11;
  static final int LARGE = 1 << 14;

  private int size = SMALL; // used by the connection's event loop only

  private ReadSize() {}

  /// Reads little of a connection, from its first byte on.
  public static void limit(HttpConnection connection) {
    if (connection instanceof HttpServerConnection server) {
      server.channelHandlerContext().channel().config().setRecvByteBufAllocator(new ReadSize());
    }
  }

  /// Chooses how much is read at once from now on, for the body of this request.
  public static void adapt(HttpServerRequest request) {
    if (request.connection() instanceof HttpServerConnection server
        && server.channelHandlerContext().channel().config().getRecvByteBufAllocator()
            instanceof ReadSize read) {
      read.size = isLong(request.getHeader(HttpHeaders.CONTENT_LENGTH)) ? LARGE : SMALL;
    }
  }

  /// True if this is a length of more than one small read. Other texts are refused elsewhere.
  private static boolean isLong(@Nullable String length) {
    try {
      return length != null && Long.parseLong(length) > SMALL;
    } catch (NumberFormatException _) {
      return false;
    }
  }

  @Override
  @SuppressWarnings("deprecation") // the type is, and Netty names no other
  public Handle newHandle() {
    return new MaxMessageHandle() {
      @Override
      public int guess() {
        return size;
      }
    };
  }
}
