package dev.muster.server.http.stream;

import dev.muster.server.http.access.PageAccess;
import dev.muster.server.http.access.PageView;
import io.vertx.core.Context;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;

/// One open stream. Nothing is told by an answer of the API server that is older than [#REVIEWED]:
/// changes then wait for a new one.
///
/// Threads: its connection's, but for methods that say otherwise and those that return a value.
final class ChangeStream {
  /// A proxy between closes connections that are silent for a minute.
  private static final long HEARTBEAT = Duration.ofSeconds(15).toNanos();

  /// Equal to the time for which answers of the API server are kept.
  private static final long REVIEWED = Duration.ofSeconds(30).toNanos();

  /// The longest time that a stream waits for an answer of the API server, from the last one.
  private static final long TRUSTED = 2 * REVIEWED;

  /// The bytes that may wait for a caller that does not read: a few messages.
  private static final int MOST_UNREAD = 1 << 16;

  private static final int UNAVAILABLE = 503;

  private final Context context;
  private final RoutingContext ctx;
  private final ChangeStreams.Review review;

  private volatile long version;
  private volatile PageView view;
  private volatile boolean over;
  private long sentAt;
  private long answeredAt; // by the API server, about the view
  private boolean reviewing;

  ChangeStream(
      RoutingContext ctx, PageAccess.Granted granted, ChangeStreams.Review review, long now) {
    this.context = ctx.vertx().getOrCreateContext();
    this.ctx = ctx;
    this.view = granted.view();
    this.review = review;
    this.sentAt = now;
    this.answeredAt = granted.since();
  }

  /// Returns the version of the image that the caller knows.
  long version() {
    return version;
  }

  PageView view() {
    return view;
  }

  /// True if the caller does not read. Nothing more is sent then.
  boolean isOver() {
    return over;
  }

  /// Sends the head of the answer.
  ///
  /// @param known version of the image that the caller knows
  /// @param first first message
  void begin(long known, String first) {
    version = known;
    response()
        .setChunked(true)
        .setWriteQueueMaxSize(MOST_UNREAD)
        .putHeader(HttpHeaders.CONTENT_TYPE, ChangeStreams.TYPE)
        .putHeader(HttpHeaders.CACHE_CONTROL, "no-store")
        .putHeader("X-Accel-Buffering", "no") // some proxies wait for the end of an answer
        .write("retry: 3000\n" + first);
  }

  private HttpServerResponse response() {
    return ctx.response();
  }

  /// Tells the caller what is new, from any thread.
  ///
  /// @param now nanoseconds of a clock
  /// @param since version of the image from which the message tells the changes
  /// @param newest version of the image to which it does
  /// @param message complete message; empty if there is nothing to tell
  void tick(long now, long since, long newest, String message) {
    context.runOnContext(_ -> deliver(now, since, newest, message));
  }

  private void deliver(long now, long since, long newest, String message) {
    if (over || response().ended() || response().closed()) {
      return;
    }
    if (isOld(now) && !reviewing) {
      reviewing = true;
      review.decide(answer -> reviewed(now, answer));
    }
    if (since == version && !isOld(now)) { // else a message that came late has told it
      version = newest;
      if (!message.isEmpty()) {
        send(now, message);
      }
    }
    if (now - sentAt >= HEARTBEAT) {
      send(now, ":\n\n");
    }
  }

  private boolean isOld(long now) {
    return now - answeredAt >= REVIEWED;
  }

  private void send(long now, String message) {
    if (response().writeQueueFull()) { // the caller does not read
      over = true;
      ctx.request().connection().close(); // when it has read on, or was idle for minutes
    } else {
      sentAt = now;
      response().write(message);
    }
  }

  private void reviewed(long now, PageAccess.Answer answer) {
    reviewing = false;
    switch (answer) {
      case PageAccess.Granted(PageView other, long since) -> {
        answeredAt = since;
        if (!other.equals(view)) {
          view = other;
          version = ChangeStreams.UNKNOWN; // the lists of this caller differ now
        }
      }
      case PageAccess.Denied(int status, String _) -> {
        if (status != UNAVAILABLE || now - answeredAt >= TRUSTED) {
          end();
        }
      }
    }
  }

  /// Ends the answer, from any thread. A caller that comes back is reviewed.
  void end() {
    context.runOnContext(_ -> {
      if (!response().ended() && !response().closed()) {
        response().end();
      }
    });
  }
}
