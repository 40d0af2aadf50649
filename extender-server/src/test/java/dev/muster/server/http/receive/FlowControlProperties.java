package dev.muster.server.http.receive;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/// What Vert.x is given of a connection, whatever the client, Vert.x and Muster do.
class FlowControlProperties {
  /// One thing that happens.
  ///
  /// @param amount bytes of a read or of an expected body
  /// @param inTurn true: when bytes are given next, as an effect of them
  record Event(Kind kind, int amount, boolean inTurn) {
    Event(Kind kind) {
      this(kind, 0, false);
    }

    enum Kind {
      READ(false),
      EXPECT(true),
      PAUSE(true),
      RESUME(true),
      VERTX_PAUSES(true),
      VERTX_RESUMES(true),
      WORK(false);

      private final boolean canBeEffect;

      Kind(boolean canBeEffect) {
        this.canBeEffect = canBeEffect;
      }
    }
  }

  /// A connection whose last handler notes what it is given.
  private static final class Connection {
    private final FlowControl control = new FlowControl("a", new ReadTurns());
    private final ByteArrayOutputStream given = new ByteArrayOutputStream();
    private final ByteArrayOutputStream sent = new ByteArrayOutputStream();
    private final Random random = new Random(1);
    private final List<ByteBuf> reads = new ArrayList<>();
    private final List<Event> effects = new ArrayList<>();
    private boolean paused;
    private boolean wanted = true;
    private int expected;
    private final EmbeddedChannel channel =
        new EmbeddedChannel(
            control,
            new ChannelInboundHandlerAdapter() {
              @Override
              public void channelRead(ChannelHandlerContext context, Object message) {
                take((ByteBuf) message);
              }
            });

    private void take(ByteBuf bytes) {
      int length = bytes.readableBytes();
      assertThat(paused || !wanted).as("gives in a pause").isFalse();
      assertThat(length)
          .isLessThanOrEqualTo(
              expected >= FlowControl.LARGE ? FlowControl.LARGE : FlowControl.SMALL);
      expected = Math.max(0, expected - length);
      given.writeBytes(array(bytes));
      bytes.release();
      List<Event> now = List.copyOf(effects);
      effects.clear();
      now.forEach(this::happensNow);
    }

    private static byte[] array(ByteBuf bytes) {
      byte[] array = new byte[bytes.readableBytes()];
      bytes.readBytes(array);
      return array;
    }

    private ChannelHandlerContext context() {
      return channel.pipeline().context(control);
    }

    private void happens(Event event) {
      if (event.inTurn()) {
        effects.add(event);
      } else {
        happensNow(event);
      }
    }

    private void happensNow(Event event) {
      switch (event.kind()) {
        case READ -> read(event.amount());
        case EXPECT -> {
          control.expect(context(), event.amount());
          expected = event.amount() - FlowControl.EARLY;
        }
        case PAUSE -> {
          paused = true;
          control.pause(context());
        }
        case RESUME -> {
          paused = false;
          control.resume(context());
        }
        case VERTX_PAUSES -> {
          wanted = wanted && !channel.config().isAutoRead(); // as a loop does, only while it reads
          channel.config().setAutoRead(false);
        }
        case VERTX_RESUMES -> {
          wanted = true;
          channel.config().setAutoRead(true);
        }
        case WORK -> {
          channel.runPendingTasks();
          channel.checkException();
        }
      }
    }

    /// The client sends bytes. They are read if the connection is, as Netty does it.
    private void read(int length) {
      if (!channel.config().isAutoRead()) {
        return;
      }
      byte[] bytes = new byte[length];
      random.nextBytes(bytes);
      sent.writeBytes(bytes);
      ByteBuf read = Unpooled.copiedBuffer(bytes);
      reads.add(read);
      var _ = channel.writeOneInbound(read);
      channel.flushInbound();
    }
  }

  @Provide
  Arbitrary<List<Event>> events() {
    return Combinators.combine(
            Arbitraries.of(Event.Kind.values()),
            Arbitraries.integers().between(1, 100_000),
            Arbitraries.of(true, false))
        .as((kind, amount, inTurn) -> new Event(kind, amount, inTurn && kind.canBeEffect))
        .list()
        .ofMaxSize(60);
  }

  @Property
  void all_bytes_are_given_in_their_order_and_none_in_a_pause(
      @ForAll("events") List<Event> events) {
    Connection connection = new Connection();
    events.forEach(connection::happens);

    do { // work may have effects, and leaves some for later
      connection.happens(new Event(Event.Kind.RESUME));
      connection.happens(new Event(Event.Kind.VERTX_RESUMES));
      connection.happens(new Event(Event.Kind.WORK));
    } while (connection.paused || !connection.wanted || connection.channel.hasPendingTasks());
    assertThat(Arrays.mismatch(connection.given.toByteArray(), connection.sent.toByteArray()))
        .as("first byte that differs")
        .isNegative();
    assertThat(connection.channel.config().isAutoRead()).as("reads on").isTrue();
  }

  @Property
  void no_buffer_is_left_when_the_connection_closes(@ForAll("events") List<Event> events) {
    Connection connection = new Connection();
    events.forEach(connection::happens);

    var _ = connection.channel.close();
    connection.happens(new Event(Event.Kind.WORK));
    assertThat(connection.reads).allMatch(read -> read.refCnt() == 0);
  }
}
