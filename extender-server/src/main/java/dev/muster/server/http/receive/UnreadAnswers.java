package dev.muster.server.http.receive;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedSet;

/// Limits the memory of large answers that their callers have not read so far.
///
/// A caller may ask for pages of megabytes and never read them. So an answer is written in pieces,
/// each when the one before was taken. When all such answers together are too long, one ends
/// unfinished: of the address with most of them, the one that was not read for the longest time.
/// Its memory is free then; its connection is closed at the latest when it was idle for minutes.
///
/// Large answers are also written at a pace ([WritePace]), except the few to calls of
/// kube-scheduler.
public final class UnreadAnswers {
  /// The key of this limit in the context of a request.
  public static final String KEY = "unread";

  private static final int PART = 8;

  /// The bytes of answers to the calls of a known caller's address that are written at once.
  /// kube-scheduler makes one call at a time, and its answer has a MiB at most.
  private static final int MOST_URGENT = 8 << 20;

  private final ThreadLocal<WritePace> pace = ThreadLocal.withInitial(WritePace::new); // by loop
  private final long most;
  private final Map<String, Share> shares = new HashMap<>(); // by address
  private long bytes;

  /// @param most maximum sum of lengths in bytes
  UnreadAnswers(long most) {
    this.most = most;
  }

  /// Returns a limit that is a fraction of the heap.
  public static UnreadAnswers ofHeap() {
    return new UnreadAnswers(Runtime.getRuntime().maxMemory() / PART);
  }

  /// Sends the body of the answer; the head is sent with its first piece.
  public static void send(RoutingContext ctx, byte[] body) {
    UnreadAnswers limit = ctx.get(KEY);
    if (limit == null || body.length <= Intake.SMALL) {
      ctx.response().end(Buffer.buffer(body));
    } else {
      limit.begin(ctx, body);
    }
  }

  private void begin(RoutingContext ctx, byte[] body) {
    Sending sending = new Sending(ctx, body);
    ctx.addEndHandler(_ -> remove(sending));
    add(sending).forEach(Sending::end);
    sending.go();
  }

  /// The answers to one address.
  private static final class Share {
    private final SequencedSet<Sending> unread = new LinkedHashSet<>(); // longest unread first
    private long bytes;
    private long urgent; // bytes of urgent answers
  }

  /// Adds an answer, and returns those that must end for it.
  private synchronized List<Sending> add(Sending added) {
    Share own = shares.computeIfAbsent(added.address, _ -> new Share());
    own.unread.add(added);
    own.bytes += added.length;
    bytes += added.length;
    added.isUrgent &= own.urgent + added.length <= MOST_URGENT;
    own.urgent += added.isUrgent ? added.length : 0;
    List<Sending> over = new ArrayList<>();
    while (bytes > most) {
      Optional<Sending> longest =
          shares.values().stream()
              .filter(share -> share.unread.getFirst() != added)
              .max(Comparator.comparingLong(share -> share.bytes))
              .map(share -> share.unread.getFirst());
      if (longest.isEmpty()) {
        break;
      }
      remove(longest.get());
      over.add(longest.get());
    }
    return over;
  }

  private synchronized void remove(Sending sending) {
    Share share = shares.get(sending.address);
    if (share != null && share.unread.remove(sending)) {
      share.bytes -= sending.length;
      share.urgent -= sending.isUrgent ? sending.length : 0;
      bytes -= sending.length;
      if (share.unread.isEmpty()) {
        shares.remove(sending.address);
      }
    }
  }

  /// Records that the caller has read a piece.
  private synchronized void read(Sending sending) {
    Share share = shares.get(sending.address);
    if (share != null && share.unread.remove(sending)) {
      share.unread.addLast(sending);
    }
  }

  private final class Sending {
    private final Vertx vertx;
    private final HttpServerRequest request;
    private final String address;
    private final int length;
    private boolean isUrgent; // the answer to a call of kube-scheduler
    private volatile byte[] body;
    private int sent;
    private boolean inLine;

    private Sending(RoutingContext ctx, byte[] body) {
      this.vertx = ctx.vertx();
      this.request = ctx.request();
      Caller caller = BodyReader.caller(ctx);
      this.address = caller.address();
      this.length = body.length;
      this.isUrgent = request.method().equals(HttpMethod.POST) && caller.isKnown();
      this.body = body;
      request.response().putHeader("Content-Length", String.valueOf(length));
    }

    /// Writes pieces until the caller has to read, or other callers have their turn.
    private void go() {
      HttpServerResponse response = request.response();
      byte[] left = body;
      if (left.length < length) {
        request.connection().close(); // it would wait for a caller that does not read
        return;
      }
      while (sent < left.length && !inLine && !response.closed()) {
        if (response.writeQueueFull()) {
          response.drainHandler(_ -> {
            read(this);
            go();
          });
          return;
        }
        int piece = Math.min(left.length - sent, Intake.SMALL);
        if (!isUrgent && !pace.get().take(piece)) {
          inLine = true;
          pace.get().later(vertx, address, this::next);
          return;
        }
        Buffer part = Buffer.buffer(piece).appendBytes(left, sent, piece);
        sent += piece;
        if (sent < left.length) {
          response.write(part);
        } else {
          response.end(part);
        }
      }
    }

    private void next() {
      inLine = false;
      go();
    }

    /// Ends the answer unfinished.
    private void end() {
      body = new byte[0];
    }
  }
}
