package dev.muster.server.http.receive;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpContent;

/// Copies parts of bodies into arrays, before Vert.x has them.
///
/// Vert.x keeps parts that it does not read on, and does not return them to the pool of Netty when
/// the connection closes (5.1.6). A client could so use up all memory outside the heap, 128 KiB
/// with each connection. Vert.x copies each part in any case, just later.
@Sharable
final class UnpooledBodies extends ChannelInboundHandlerAdapter {
  static final UnpooledBodies INSTANCE = new UnpooledBodies();

  private UnpooledBodies() {}

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    context.fireChannelRead(message instanceof HttpContent content ? unpooled(content) : message);
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
