package dev.muster.server.http.receive;

import dev.muster.server.fair.FairQueue;
import dev.muster.server.logging.LogThrottle;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The new connections of a listening port. The event loop does not know them, or their TLS
/// handshake is not complete. [ConnectionLimit] counts the others.
///
/// A thread of its own accepts connections. A client that connects and leaves at once makes work
/// for the event loop faster than it is done, and the loop does not read while such work waits. So
/// few connections are given to the loop at one time, fairly by address. If too many are new, the
/// newest one of the address with most of them is closed.
///
/// It is the handler of the listening port, and runs on that thread. Methods for the event loop say
/// so.
final class NewConnections extends ChannelInboundHandlerAdapter {
  /// The most new connections. Each costs a file descriptor.
  static final int MOST = 1_024;

  /// The most connections that wait for the event loop to know them. Each costs it 0.1 ms.
  static final int AT_ONCE = 16;

  private static final Logger log = LoggerFactory.getLogger(NewConnections.class);

  private final LogThrottle throttle = new LogThrottle();
  private final SequencedMap<Channel, Progress> all = new LinkedHashMap<>(); // in order of arrival
  private final Map<String, Integer> numbers = new HashMap<>(); // by address
  private final FairQueue<Channel> waiting = new FairQueue<>(ArrayDeque::new, _ -> 1);
  private int given; // and not known to the loop
  private int known;
  private @Nullable ChannelHandlerContext listening;

  private enum Stage {
    WAITS,
    GIVEN,
    KNOWN
  }

  /// How far a new connection is.
  private static final class Progress {
    private final String address;
    private Stage stage = Stage.WAITS;

    private Progress(String address) {
      this.address = address;
    }
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    synchronized (this) {
      listening = context;
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object accepted) {
    added((Channel) accepted).ifPresent(NewConnections::close);
    give(context);
  }

  private static void close(Channel excess) {
    if (excess.isRegistered()) {
      var _ = excess.close();
    } else {
      excess.unsafe().closeForcibly(); // it has no event loop
    }
  }

  /// Adds a connection, and returns one to close if there are too many. That is forgotten.
  private synchronized Optional<Channel> added(Channel connection) {
    Progress progress = new Progress(Caller.address(connection));
    all.put(connection, progress);
    numbers.merge(progress.address, 1, Integer::sum);
    waiting.add(progress.address, connection);
    if (all.size() <= MOST) {
      return Optional.empty();
    }
    Channel excess = excess(connection);
    forget(excess);
    return Optional.of(excess);
  }

  /// Returns the one to close: the newest of the address with most of them, which is soon refused.
  /// If handshakes are the most, it is the longest of them: a silent client keeps out none of its
  /// address then.
  private Channel excess(Channel newest) {
    String crowd = Collections.max(numbers.entrySet(), Map.Entry.comparingByValue()).getKey();
    boolean handshakes = known > MOST / 2;
    return (handshakes ? all : all.reversed())
        .entrySet().stream()
            .filter(one -> one.getValue().stage == (handshakes ? Stage.KNOWN : Stage.WAITS))
            .filter(one -> one.getValue().address.equals(crowd))
            .map(Map.Entry::getKey)
            .findFirst()
            .orElse(newest);
  }

  private void give(ChannelHandlerContext context) {
    for (Optional<Channel> next = next(); next.isPresent(); next = next()) {
      Channel connection = next.get();
      connection.closeFuture().addListener(_ -> begun(connection));
      connection.pipeline().addLast(new HandshakeTurns(this));
      context.fireChannelRead(connection);
    }
  }

  private synchronized Optional<Channel> next() {
    Channel next = given < AT_ONCE ? waiting.poll() : null;
    if (next != null) {
      Objects.requireNonNull(all.get(next)).stage = Stage.GIVEN;
      given++;
    }
    return Optional.ofNullable(next);
  }

  /// Records that the event loop knows the connection. Used by the event loop.
  void known(Channel connection) {
    after(() -> {
      Progress progress = all.get(connection);
      if (progress != null && progress.stage == Stage.GIVEN) {
        progress.stage = Stage.KNOWN;
        given--;
        known++;
      }
    });
  }

  /// Records that the connection is new no longer. Used by the event loop.
  void begun(Channel connection) {
    after(() -> forget(connection));
  }

  /// Gives further connections after the change, if some wait.
  private void after(Runnable change) {
    ChannelHandlerContext context;
    synchronized (this) {
      change.run();
      context = given < AT_ONCE && !waiting.isEmpty() ? listening : null;
    }
    if (context != null) {
      context.executor().execute(() -> give(context));
    }
  }

  private void forget(Channel connection) {
    Progress gone = all.remove(connection);
    if (gone == null) {
      return;
    }
    numbers.computeIfPresent(gone.address, (_, number) -> number > 1 ? number - 1 : null);
    switch (gone.stage) {
      case WAITS -> waiting.remove(gone.address, connection);
      case GIVEN -> given--;
      case KNOWN -> known--;
    }
  }

  /// Logs that no connection can be accepted, and tries again after a second: files that are closed
  /// meanwhile make room.
  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable problem) {
    if (!(problem instanceof IOException)) {
      context.fireExceptionCaught(problem);
      return;
    }
    if (throttle.isNew(String.valueOf(problem.getMessage()))) {
      log.warn(
          "No connection can be accepted on {}: {}. If too many files are open, raise the limit of the process (ulimit -n).",
          context.channel().localAddress(),
          problem.getMessage());
    }
    context.channel().config().setAutoRead(false);
    var _ =
        context
            .executor()
            .schedule(() -> context.channel().config().setAutoRead(true), 1, TimeUnit.SECONDS);
  }
}
