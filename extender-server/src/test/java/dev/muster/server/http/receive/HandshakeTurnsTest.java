package dev.muster.server.http.receive;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import org.junit.jupiter.api.Test;

class HandshakeTurnsTest {
  private static final int MANY = 100;

  private final List<String> given = new ArrayList<>();
  private int reads;
  private boolean isComplete;

  private final class Connection extends EmbeddedChannel {
    private final String address;

    Connection(String address) {
      this.address = address;
      config().setAutoRead(false); // an EmbeddedChannel runs its tasks in each read
      pipeline()
          .addLast(
              new ChannelOutboundHandlerAdapter() {
                @Override
                public void read(ChannelHandlerContext context) {
                  reads++;
                }
              },
              new HandshakeTurns(new NewConnections()),
              new ChannelInboundHandlerAdapter() {
                @Override
                public void channelRead(ChannelHandlerContext context, Object message) {
                  ByteBuf bytes = (ByteBuf) message;
                  given.add(bytes.toString(US_ASCII));
                  bytes.release();
                }
              });
    }

    @Override
    protected SocketAddress remoteAddress0() {
      return new InetSocketAddress(address, 1);
    }

    boolean isInTurns() {
      return pipeline().get(HandshakeTurns.class) != null;
    }
  }

  /// The last handler gets no bytes here; it tells whether the handshake is complete.
  private Connection handshake(String address) throws NoSuchAlgorithmException {
    Connection connection = new Connection(address);
    connection
        .pipeline()
        .addLast(
            new SslHandler(engine()) {
              @Override
              public Future<Channel> handshakeFuture() {
                return isComplete
                    ? connection.eventLoop().newSucceededFuture(connection)
                    : connection.eventLoop().newPromise();
              }
            });
    return connection;
  }

  private static SSLEngine engine() throws NoSuchAlgorithmException {
    SSLEngine engine = SSLContext.getDefault().createSSLEngine();
    engine.setUseClientMode(false);
    return engine;
  }

  private static void receive(Channel connection, String text) {
    connection.pipeline().fireChannelRead(Unpooled.copiedBuffer(text, US_ASCII));
    connection.pipeline().fireChannelReadComplete();
  }

  /// Turns wait until the work of the loop has ended. Those beyond a slice of time are scheduled,
  /// so that each run of the loop has one turn at least.
  private static void inLoop(Connection connection, Runnable work) {
    connection.eventLoop().execute(work);
    for (int i = 0; i < 2 * MANY; i++) {
      connection.runPendingTasks();
    }
  }

  @Test
  void handshake_does_not_wait_for_all_of_another_address() throws Exception {
    Connection first = handshake("10.0.0.1");
    List<Connection> more = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      more.add(handshake("10.0.0.1"));
    }
    Connection other = handshake("10.0.0.2");
    inLoop(
        first,
        () -> {
          receive(first, "first");
          more.forEach(connection -> receive(connection, "more"));
          receive(other, "other");
        });

    assertThat(given).hasSize(MANY + 2);
    assertThat(given.indexOf("other")).isLessThan(3);
  }

  @Test
  void connection_is_read_again_after_its_turn() throws Exception {
    Connection connection = handshake("10.0.0.1");
    AtomicInteger before = new AtomicInteger();
    inLoop(
        connection,
        () -> {
          receive(connection, "hello");
          reads = 0;
          connection.pipeline().read();
          before.set(reads);
        });

    assertThat(before).hasValue(0);
    assertThat(reads).isEqualTo(1);
    assertThat(connection.isInTurns()).isTrue();
  }

  @Test
  void connection_has_other_turns_after_its_handshake() throws Exception {
    Connection connection = handshake("10.0.0.1");
    inLoop(
        connection,
        () -> {
          receive(connection, "hello");
          isComplete = true;
        });

    assertThat(given).containsExactly("hello");
    assertThat(connection.isInTurns()).isFalse();
  }

  @Test
  void bytes_without_tls_are_given_at_once() {
    Connection connection = new Connection("10.0.0.1");
    connection.pipeline().fireChannelActive();
    receive(connection, "GET");

    assertThat(given).containsExactly("GET");
    assertThat(connection.isInTurns()).isFalse();
  }

  @Test
  void bytes_of_a_closed_connection_are_dropped() throws Exception {
    Connection connection = handshake("10.0.0.1");
    ByteBuf bytes = Unpooled.copiedBuffer("hello", US_ASCII);
    inLoop(
        connection,
        () -> {
          connection.pipeline().fireChannelRead(bytes);
          connection.pipeline().remove(HandshakeTurns.class);
        });

    assertThat(given).isEmpty();
    assertThat(bytes.refCnt()).isZero();
  }
}
