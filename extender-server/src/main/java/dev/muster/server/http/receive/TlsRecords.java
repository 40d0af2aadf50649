package dev.muster.server.http.receive;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The records of a connection with TLS. They wait here for a turn of [FlowControl], before Netty
/// decrypts them.
///
/// A client may ask for a new key with each record of 27 bytes (RFC 8446, 4.6.3). Each such record
/// is answered, and the answers to a client that reads nothing would pile up without limit. So the
/// connection is closed after a hundred. Clients change keys after millions of records, if at all.
final class TlsRecords extends ChannelDuplexHandler {
  static final int MOST_ANSWERS = 100;

  private final FlowControl control;
  private final ChannelHandlerContext controlled;
  private @Nullable ChannelHandlerContext own;
  private @Nullable ByteBuf waiting;
  private boolean decrypts;
  private int answers;

  /// @param controlled context of the control
  TlsRecords(FlowControl control, ChannelHandlerContext controlled) {
    this.control = control;
    this.controlled = controlled;
  }

  /// True if records wait.
  boolean areWaiting() {
    return waiting != null;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    own = context;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    control.learn(controlled);
    waiting = FlowControl.joined(context, waiting, (ByteBuf) message);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    if (waiting == null) {
      context.fireChannelReadComplete();
    } else {
      control.plan(controlled);
    }
  }

  /// The decryption asks for the rest of a record. It has its turn first, if some of it is here.
  @Override
  public void read(ChannelHandlerContext context) {
    if (waiting == null) {
      context.read();
    }
  }

  /// Decrypts all that waits.
  void decrypt() {
    ByteBuf bytes = waiting;
    if (bytes != null) {
      ChannelHandlerContext context = Objects.requireNonNull(own);
      waiting = null;
      decrypts = true;
      try {
        context.fireChannelRead(bytes);
        context.fireChannelReadComplete();
      } finally {
        decrypts = false;
      }
    }
  }

  /// Only TLS itself writes while records are decrypted.
  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    var _ = context.write(message, promise);
    if (decrypts && ++answers > MOST_ANSWERS) {
      var _ = context.close();
    }
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    if (waiting != null) {
      waiting.release();
      waiting = null;
    }
  }
}
