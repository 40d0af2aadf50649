package dev.muster.server.http.receive;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpContent;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.impl.HttpServerConnection;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/// Stands before Vert.x on a connection of HTTP/1, and limits what Vert.x keeps of bodies.
///
/// Parts of bodies are copied into arrays. Vert.x keeps parts that it does not read on, and does
/// not return them to the pool of Netty when the connection closes (5.1.6). A client could so use
/// up all memory outside the heap, 128 KiB with each connection. Vert.x copies each part in any
/// case, just later.
///
/// A pause stops the reads of the connection. Vert.x alone goes on to some hundreds of KiB for each
/// connection, which no limit counts. The rest of what was read at once waits here, so the pauses
/// that Vert.x makes for itself are not disturbed. A client that leaves in a pause is noticed after
/// it.
public final class BodyGate extends ChannelInboundHandlerAdapter {
  private final Deque<Object> held = new ArrayDeque<>();
  private boolean paused;
  private boolean wasRead; // Vert.x wants the connection to be read

  private BodyGate() {}

  /// Limits the bodies of a connection, from now on.
  public static void use(HttpConnection connection) {
    if (connection instanceof HttpServerConnection server) {
      ChannelHandlerContext vertx = server.channelHandlerContext();
      vertx.pipeline().addBefore(vertx.name(), null, new BodyGate());
    }
  }

  /// Reads nothing more of a request. Used on its event loop.
  static void pause(HttpServerRequest request) {
    request.pause();
    ChannelHandlerContext context = context(request);
    if (context != null) {
      ((BodyGate) context.handler()).begin(context.channel().config());
    }
  }

  /// Reads on.
  static void resume(HttpServerRequest request) {
    request.resume();
    ChannelHandlerContext context = context(request);
    if (context != null) {
      ((BodyGate) context.handler()).end(context);
    }
  }

  private static @Nullable ChannelHandlerContext context(HttpServerRequest request) {
    return request.version() != HttpVersion.HTTP_2 // whose connection has other requests
            && request.connection() instanceof HttpServerConnection server
        ? server.channelHandlerContext().pipeline().context(BodyGate.class)
        : null;
  }

  private void begin(ChannelConfig config) {
    if (!paused) {
      paused = true;
      wasRead = config.isAutoRead();
      config.setAutoRead(false);
    }
  }

  private void end(ChannelHandlerContext context) {
    if (!paused) {
      return;
    }
    paused = false;
    if (wasRead) {
      context.channel().config().setAutoRead(true);
    }
    boolean delivers = !held.isEmpty();
    while (!paused && !held.isEmpty()) {
      context.fireChannelRead(held.remove());
    }
    if (delivers) {
      context.fireChannelReadComplete();
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    Object copied = message instanceof HttpContent content ? unpooled(content) : message;
    if (paused || !held.isEmpty()) {
      ChannelConfig config = context.channel().config();
      wasRead |= config.isAutoRead(); // Vert.x has asked for it in the pause
      config.setAutoRead(false);
      held.add(copied);
    } else {
      context.fireChannelRead(copied);
    }
  }

  private static HttpContent unpooled(HttpContent content) {
    ByteBuf part = content.content();
    if (!part.isReadable()) {
      return content;
    }
    byte[] bytes = new byte[part.readableBytes()];
    part.getBytes(part.readerIndex(), bytes);
    HttpContent copy = content.replace(Unpooled.wrappedBuffer(bytes));
    copy.setDecoderResult(content.decoderResult());
    content.release();
    return copy;
  }
}
