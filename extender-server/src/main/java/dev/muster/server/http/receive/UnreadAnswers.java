package dev.muster.server.http.receive;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;

/// Limits the memory of large answers that their callers have not read so far.
///
/// A caller may ask for pages of megabytes and never read them. So an answer is written in pieces,
/// each when the one before was taken. When all such answers together are too long, the one that
/// was not read for the longest time ends unfinished. Its memory is free then; its connection is
/// closed at the latest when it was idle for minutes.
///
/// Large answers are also written at a pace ([WritePace]), except those to calls of kube-scheduler.
public final class UnreadAnswers {
  /// The key of this limit in the context of a request.
  public static final String KEY = "unread";

  private static final int PART = 8;

  private final ThreadLocal<WritePace> pace = ThreadLocal.withInitial(WritePace::new); // by loop
  private final long most;
  private final SequencedSet<Sending> unread = new LinkedHashSet<>(); // longest unread first
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

  /// Adds an answer, and returns those that must end for it.
  private synchronized List<Sending> add(Sending added) {
    List<Sending> over = new ArrayList<>();
    bytes += added.length;
    while (bytes > most && !unread.isEmpty()) {
      Sending longest = unread.removeFirst();
      bytes -= longest.length;
      over.add(longest);
    }
    unread.add(added);
    return over;
  }

  private synchronized void remove(Sending sending) {
    if (unread.remove(sending)) {
      bytes -= sending.length;
    }
  }

  /// Records that the caller has read a piece.
  private synchronized void read(Sending sending) {
    if (unread.remove(sending)) {
      unread.addLast(sending);
    }
  }

  private final class Sending {
    private final Vertx vertx;
    private final HttpServerRequest request;
    private final int length;
    private final boolean isUrgent; // the answer to a call of kube-scheduler
    private volatile byte[] body;
    private int sent;
    private boolean inLine;

    private Sending(RoutingContext ctx, byte[] body) {
      this.vertx = ctx.vertx();
      this.request = ctx.request();
      this.length = body.length;
      this.isUrgent = request.method().equals(HttpMethod.POST) && BodyReader.caller(ctx).isKnown();
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
          pace.get().later(vertx, this::next);
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
