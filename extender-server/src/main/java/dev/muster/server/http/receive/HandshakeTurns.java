package dev.muster.server.http.receive;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslHandler;
import org.jspecify.annotations.Nullable;

/// Gives the bytes of a TLS handshake to Netty in turns ([ReadTurns]).
///
/// A handshake costs about a millisecond for 200 bytes of a client, which may then leave and begin
/// another one. Vert.x gives a connection to [FlowControl] when its handshake is complete. So this
/// handler is there from the first byte until then. The connection is not read while bytes wait.
final class HandshakeTurns extends ChannelDuplexHandler {
  private final NewConnections connections;
  private @Nullable ByteBuf waiting;
  private boolean wanted; // a read, which waits for the turn
  private boolean inTurn;

  HandshakeTurns(NewConnections connections) {
    this.connections = connections;
  }

  private static @Nullable SslHandler tls(ChannelHandlerContext context) {
    return context.pipeline().get(SslHandler.class);
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    context.fireChannelActive();
    if (tls(context) == null) {
      context.pipeline().remove(this);
    } else {
      connections.known(context.channel());
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object bytes) {
    boolean planned = waiting != null;
    waiting = FlowControl.joined(context, waiting, (ByteBuf) bytes);
    if (!planned) {
      String address = Caller.address(context.channel());
      FlowControl.turns().add(context.executor(), address, () -> turn(context));
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    if (waiting == null) {
      context.fireChannelReadComplete();
    }
  }

  @Override
  public void read(ChannelHandlerContext context) {
    if (waiting == null && !inTurn) {
      context.read();
    } else {
      wanted = true;
    }
  }

  private void turn(ChannelHandlerContext context) {
    ByteBuf bytes = waiting;
    if (bytes == null) {
      return; // closed meanwhile
    }
    waiting = null;
    inTurn = true;
    context.fireChannelRead(bytes);
    context.fireChannelReadComplete();
    inTurn = false;
    SslHandler tls = tls(context);
    if (tls == null || tls.handshakeFuture().isDone()) {
      if (!context.isRemoved()) {
        context.pipeline().remove(this);
      }
      if (context.channel().config().isAutoRead()) {
        context.channel().read(); // as [FlowControl] sees fit
      }
    } else if (wanted) {
      wanted = false;
      context.read();
    }
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    connections.begun(context.channel());
    if (waiting != null) {
      waiting.release();
      waiting = null;
    }
  }
}
