package dev.muster.server.http.receive;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.vertx.core.impl.transports.NioTransport;
import io.vertx.core.impl.transports.TransportInternal;
import io.vertx.core.net.TcpConfig;
import io.vertx.core.transport.Transport;

/// The bytes that are read of a connection at once, before another one is read. [FlowControl]
/// chooses them.
///
/// Vert.x would read as much at once as the kernel keeps. A kernel that keeps little stalls large
/// bodies, so the two differ here.
final class ReadSize extends DefaultMaxMessagesRecvByteBufAllocator {
  private ReadSize() {
    super(1);
  }

  /// Returns a transport whose connections have this size, and are [NewConnections] first. Vert.x
  /// has no option for it, and a connection with TLS has made its handshake when Vert.x gives it
  /// away.
  static Transport transport() {
    return new TransportInternal(
        "nio",
        true,
        null,
        new NioTransport() {
          @Override
          public void configure(TcpConfig config, boolean isDomain, ServerBootstrap bootstrap) {
            super.configure(config, isDomain, bootstrap);
            bootstrap.childOption(ChannelOption.RECVBUF_ALLOCATOR, new ReadSize());
            bootstrap.handler(new NewConnections());
          }
        });
  }

  /// Sets the size for the next reads.
  static void set(Channel channel, int bytes) {
    if (channel.unsafe().recvBufAllocHandle() instanceof ReadSize.Next next) {
      next.size = bytes;
    }
  }

  @Override
  @SuppressWarnings("deprecation") // the type is, and Netty names no other
  public Handle newHandle() {
    return new Next();
  }

  private final class Next extends MaxMessageHandle {
    private int size = FlowControl.SMALL; // used by the connection's event loop only

    @Override
    public int guess() {
      return size;
    }
  }
}
