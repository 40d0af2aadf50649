package dev.muster.server.http.receive;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.ssl.SslHandler;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.impl.HttpServerConnection;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.transport.Transport;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// Gives the bytes of a connection to the HTTP decoder in portions.
///
/// One is given in each turn of the event loop ([ReadTurns]), and none in a pause.
///
/// Small requests and chunks cost much for each byte: time until another connection has its turn,
/// and memory until Vert.x takes them, which no limit counts. So their portions are small. A body
/// of known length costs little for each byte, and more turns would delay it.
///
/// Records of TLS are decrypted in a turn, too, since small ones cost more than requests. One of
/// them has up to 16 KiB, so more than a portion may be known at once.
///
/// Bytes beyond a portion wait here, and the connection is not read meanwhile: at most one read and
/// what a record had before it. A client that leaves in a pause is noticed after it.
public final class FlowControl extends ChannelDuplexHandler {
  static final int SMALL = 1 << 11; // bytes
  static final int LARGE = 1 << 14;

  /// The bytes of a body that may have been given before its request is handled.
  static final int EARLY = 1 << 15;

  private static final ThreadLocal<ReadTurns> TURNS = ThreadLocal.withInitial(ReadTurns::new);

  private final String address;
  private final ReadTurns turns;
  private @Nullable TlsRecords records; // null without TLS
  private @Nullable ByteBuf waiting;
  private boolean paused;
  private boolean wanted = true; // Vert.x wants more
  private boolean inTurn;
  private boolean planned; // a turn
  private long expected; // bytes of a body that come in large portions

  /// @param address address of the client
  /// @param turns those of the event loop
  FlowControl(String address, ReadTurns turns) {
    this.address = address;
    this.turns = turns;
  }

  /// Returns the turns of the event loop on whose thread this runs.
  static ReadTurns turns() {
    return TURNS.get();
  }

  /// Returns the transport of the servers whose connections are controlled.
  public static Transport transport() {
    return ReadSize.transport();
  }

  /// Controls a connection of HTTP/1 from now on.
  public static void use(HttpConnection connection) {
    if (connection instanceof HttpServerConnection server) {
      ChannelHandlerContext vertx = server.channelHandlerContext();
      ChannelPipeline pipeline = vertx.pipeline();
      FlowControl control = new FlowControl(Caller.address(connection), turns());
      pipeline.addBefore(pipeline.context(HttpRequestDecoder.class).name(), null, control);
      pipeline.addBefore(vertx.name(), null, UnpooledBodies.INSTANCE);
      ChannelHandlerContext tls = pipeline.context(SslHandler.class);
      if (tls != null) {
        control.records = new TlsRecords(control, pipeline.context(control));
        pipeline.addBefore(tls.name(), null, control.records);
      }
    }
  }

  /// Gives the body of this request in large portions, if it is long.
  public static void expect(HttpServerRequest request) {
    long length = length(request.getHeader(HttpHeaders.CONTENT_LENGTH));
    of(request, (control, context) -> control.expect(context, length));
  }

  /// Returns the thread of a request. Work takes turns there with what is read. So answers that are
  /// ready together do not keep the loop from reading. Work for a closed server is dropped.
  public static Executor thread(HttpServerRequest request) {
    HttpServerConnection connection = (HttpServerConnection) request.connection();
    ContextInternal context = connection.context();
    EventLoop loop = context.nettyEventLoop();
    String address = Caller.address(connection);
    return work -> {
      try {
        loop.execute(() -> turns().add(loop, address, () -> context.dispatch(work)));
      } catch (RejectedExecutionException _) {
        // the connections are closed, too
      }
    };
  }

  /// Gives nothing more of a request, except what has been given. Used on its event loop.
  static void pause(HttpServerRequest request) {
    request.pause();
    of(request, FlowControl::pause);
  }

  /// Gives more.
  static void resume(HttpServerRequest request) {
    request.resume();
    of(request, FlowControl::resume);
  }

  private static void of(
      HttpServerRequest request, BiConsumer<FlowControl, ChannelHandlerContext> work) {
    if (request.connection() instanceof HttpServerConnection server) {
      ChannelHandlerContext context =
          server.channelHandlerContext().pipeline().context(FlowControl.class);
      if (context != null) {
        work.accept((FlowControl) context.handler(), context);
      }
    }
  }

  /// Returns the length that a text says; 0 if it says none, which is refused elsewhere.
  private static long length(@Nullable String text) {
    try {
      return text == null ? 0 : Long.parseLong(text);
    } catch (NumberFormatException _) {
      return 0;
    }
  }

  void expect(ChannelHandlerContext context, long length) {
    expected = Math.max(0, length - EARLY);
    ReadSize.set(context.channel(), portion());
  }

  private int portion() {
    return expected >= LARGE ? LARGE : SMALL;
  }

  void pause(ChannelHandlerContext context) {
    learn(context);
    paused = true;
    if (!inTurn) {
      config(context).setAutoRead(false);
    }
  }

  void resume(ChannelHandlerContext context) {
    if (paused) {
      paused = false;
      if (!inTurn && wanted) {
        config(context).setAutoRead(true); // and so calls read
      }
    }
  }

  /// The configuration of the channel says what Vert.x wants, unless it is changed here.
  void learn(ChannelHandlerContext context) {
    if (!paused && !inTurn && !hasBytes()) {
      wanted = config(context).isAutoRead();
    }
  }

  private boolean hasBytes() {
    return waiting != null || (records != null && records.areWaiting());
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (message instanceof ByteBuf bytes) {
      learn(context);
      waiting = joined(context, waiting, bytes);
      if (records != null) {
        records.hear();
      }
    } else {
      context.fireChannelRead(message);
    }
  }

  static ByteBuf joined(ChannelHandlerContext context, @Nullable ByteBuf earlier, ByteBuf bytes) {
    return earlier == null
        ? bytes
        : ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(context.alloc(), earlier, bytes);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    if (waiting == null) {
      context.fireChannelReadComplete();
    } else {
      plan(context);
    }
  }

  /// Vert.x wants more, or Netty in its name. Both say so whenever they let the connection be read.
  @Override
  public void read(ChannelHandlerContext context) {
    if (inTurn) {
      return; // asked after it
    }
    wanted = true;
    if (hasBytes() || paused) {
      stop(context);
    } else {
      context.read();
    }
  }

  /// Stops the reads, and plans a turn for what is there.
  private void stop(ChannelHandlerContext context) {
    config(context).setAutoRead(false);
    plan(context);
  }

  void plan(ChannelHandlerContext context) {
    if (!paused && wanted && !planned && !inTurn && hasBytes()) {
      planned = true;
      turns.add(context.executor(), address, () -> turn(context));
    }
  }

  /// Gives one portion. Vert.x may say that it wants no more: it sets the configuration of the
  /// channel, so that must say before that more is wanted.
  private void turn(ChannelHandlerContext context) {
    planned = false;
    if (paused || !wanted || !hasBytes()) {
      return;
    }
    inTurn = true;
    try {
      config(context).setAutoRead(true);
      if (records != null) {
        records.decrypt();
      }
      if (waiting != null) {
        context.fireChannelRead(take(context, waiting));
        context.fireChannelReadComplete();
      }
    } finally {
      inTurn = false;
    }
    wanted = config(context).isAutoRead();
    if (hasBytes() || paused) {
      stop(context);
    } else if (wanted) {
      context.read();
    }
  }

  private ByteBuf take(ChannelHandlerContext context, ByteBuf all) {
    int size = Math.min(all.readableBytes(), portion());
    expected = Math.max(0, expected - size);
    ReadSize.set(context.channel(), portion());
    if (size == all.readableBytes()) {
      waiting = null;
      return all;
    }
    return all.readRetainedSlice(size);
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    if (waiting != null) {
      waiting.release();
      waiting = null;
    }
  }

  private static ChannelConfig config(ChannelHandlerContext context) {
    return context.channel().config();
  }
}
