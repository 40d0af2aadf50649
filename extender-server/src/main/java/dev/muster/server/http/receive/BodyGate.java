package dev.muster.server.http.receive;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpContent;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.impl.HttpServerConnection;

/// Copies the parts of bodies from the memory that Netty pools into arrays.
///
/// Vert.x keeps some parts while it does not read on, and does not return them to the pool when the
/// connection closes then (5.1.6). A client could so use up all memory outside the heap, 128 KiB
/// with each connection. Vert.x copies each part into an array in any case, just later.
public final class UnpooledContent extends ChannelInboundHandlerAdapter {
  private UnpooledContent() {}

  /// Copies the parts of all bodies of a connection, from now on.
  public static void use(HttpConnection connection) {
    if (connection instanceof HttpServerConnection server) {
      ChannelHandlerContext vertx = server.channelHandlerContext();
      vertx.pipeline().addBefore(vertx.name(), null, new UnpooledContent());
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (message instanceof HttpContent content && content.content().isReadable()) {
      ByteBuf copy = Unpooled.wrappedBuffer(bytes(content.content()));
      HttpContent copied = content.replace(copy);
      copied.setDecoderResult(content.decoderResult());
      content.release();
      context.fireChannelRead(copied);
    } else {
      context.fireChannelRead(message);
    }
  }

  private static byte[] bytes(ByteBuf buffer) {
    byte[] bytes = new byte[buffer.readableBytes()];
    buffer.getBytes(buffer.readerIndex(), bytes);
    return bytes;
  }
}
