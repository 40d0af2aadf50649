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
/// A client may ask for new keys without end (RFC 8446, 4.6.3). Each wish is answered, and the
/// answers to a client that reads nothing would pile up without limit. So the connection is closed
/// after a hundred. Clients change keys after millions of records, if at all.
///
/// A connection is also closed when more than a record came and gave nothing. Netty (4.2.20) keeps
/// all that comes after the client has ended its side of TLS.
final class TlsRecords extends ChannelDuplexHandler {
  static final int MOST_ANSWERS = 100;

  /// The longest record (RFC 8446, 5.2: 16,645 bytes) and a few without content, such as new keys.
  static final int MOST_SILENT = 18 << 10;

  private final FlowControl control;
  private final ChannelHandlerContext controlled;
  private @Nullable ChannelHandlerContext own;
  private @Nullable ByteBuf waiting;
  private boolean decrypts;
  private int answers;
  private int silent; // bytes since the last content

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
    if (bytes == null) {
      return;
    }
    ChannelHandlerContext context = Objects.requireNonNull(own);
    waiting = null;
    silent += bytes.readableBytes();
    decrypts = true;
    try {
      context.fireChannelRead(bytes);
    } finally {
      decrypts = false;
    }
    context.fireChannelReadComplete();
    if (silent > MOST_SILENT) {
      var _ = context.close();
    }
  }

  /// Records have given content.
  void hear() {
    silent = 0;
  }

  /// While records are decrypted, TLS itself writes.
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
