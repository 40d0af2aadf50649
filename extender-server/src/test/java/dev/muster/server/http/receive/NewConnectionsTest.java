package dev.muster.server.http.receive;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class NewConnectionsTest {
  private static final String FLOOD = "10.0.0.1";
  private static final String OTHER = "10.0.0.2";

  private final List<Channel> given = new ArrayList<>();
  private final NewConnections connections = new NewConnections();
  private final EmbeddedChannel listening =
      new EmbeddedChannel(
          connections,
          new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object connection) {
              given.add((Channel) connection);
            }
          });

  private static final class Connection extends EmbeddedChannel {
    private final String address;

    Connection(String address) {
      this.address = address;
    }

    @Override
    protected SocketAddress remoteAddress0() {
      return new InetSocketAddress(address, 1);
    }
  }

  private Connection accept(String address) {
    Connection connection = new Connection(address);
    listening.pipeline().fireChannelRead(connection);
    return connection;
  }

  private List<Connection> accept(int number, String address) {
    List<Connection> some = new ArrayList<>();
    for (int i = 0; i < number; i++) {
      some.add(accept(address));
    }
    return some;
  }

  private void known(Channel connection) {
    connections.known(connection);
    listening.runPendingTasks();
  }

  private void begun(Channel connection) {
    connections.begun(connection);
    listening.runPendingTasks();
  }

  @Test
  void event_loop_gets_few_connections_at_one_time() {
    accept(2 * NewConnections.AT_ONCE, FLOOD);
    assertThat(given).hasSize(NewConnections.AT_ONCE);
  }

  @Test
  void next_connection_is_given_when_one_is_known() {
    accept(2 * NewConnections.AT_ONCE, FLOOD);
    known(given.getFirst());
    assertThat(given).hasSize(NewConnections.AT_ONCE + 1);
  }

  @Test
  void next_connection_is_given_when_one_closes() {
    accept(2 * NewConnections.AT_ONCE, FLOOD);
    var _ = given.getFirst().close();
    listening.runPendingTasks();
    assertThat(given).hasSize(NewConnections.AT_ONCE + 1);
  }

  @Test
  void connection_is_given_once_in_spite_of_several_reports() {
    accept(2 * NewConnections.AT_ONCE, FLOOD);
    Channel first = given.getFirst();
    known(first);
    known(first);
    begun(first);
    var _ = first.close();
    listening.runPendingTasks();
    assertThat(given).hasSize(NewConnections.AT_ONCE + 1);
  }

  @Test
  void connection_does_not_wait_for_all_of_another_address() {
    accept(10 * NewConnections.AT_ONCE, FLOOD);
    Connection other = accept(OTHER);
    known(given.get(0));
    known(given.get(1));
    assertThat(given).contains(other);
  }

  @Test
  void one_too_many_closes_the_newest_of_the_address_with_most() {
    List<Connection> flood = accept(NewConnections.MOST - 1, FLOOD);
    Connection other = accept(OTHER);
    Connection another = accept(OTHER);
    assertThat(List.of(flood.getLast().isOpen(), other.isOpen(), another.isOpen()))
        .containsExactly(false, true, true);
  }

  @Test
  void connection_that_closes_for_another_is_not_given() {
    List<Connection> flood = accept(NewConnections.MOST + 1, FLOOD);
    allKnown();
    assertThat(given).hasSize(NewConnections.MOST).doesNotContain(flood.getLast());
  }

  /// Gives all connections that wait.
  private void allKnown() {
    for (int i = 0; i < given.size(); i++) {
      known(given.get(i));
    }
  }

  @Test
  void one_too_many_closes_the_longest_handshake_if_they_are_the_most() {
    Connection other = accept(OTHER);
    List<Connection> silent = accept(NewConnections.MOST - 1, FLOOD);
    allKnown();
    Connection next = accept(FLOOD);
    assertThat(List.of(other.isOpen(), silent.getFirst().isOpen(), next.isOpen()))
        .containsExactly(true, false, true);
  }

  @Test
  void complete_handshakes_do_not_count() {
    accept(NewConnections.MOST, FLOOD);
    allKnown();
    List.copyOf(given).forEach(this::begun);
    accept(NewConnections.MOST, FLOOD);
    assertThat(given).allMatch(Channel::isOpen);
  }

  @Test
  void nothing_is_accepted_for_a_while_after_a_failure() {
    listening.pipeline().fireExceptionCaught(new IOException("Too many open files"));
    assertThat(listening.config().isAutoRead()).isFalse();
  }
}
