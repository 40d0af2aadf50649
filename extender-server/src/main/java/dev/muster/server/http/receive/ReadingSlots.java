package dev.muster.server.http.receive;

import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SequencedSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/// Limits how many large bodies of strangers are read or answered at one time.
///
/// Reading costs the event loop time, whatever becomes of the body. So only a few are read, small
/// ones first, and the others wait unread. A body that arrives slowly loses its slot when others
/// wait.
final class ReadingSlots {
  private static final int MOST = 8;

  /// The time after which a body may lose its slot. In a cluster, 1 MiB arrives in a hundredth of
  /// it.
  static final long SLICE_MILLIS = 500;

  private final PriorityQueue<Body> waiting =
      new PriorityQueue<>(Comparator.comparingLong(Body::size).thenComparingLong(Body::arrival));
  private final SequencedSet<Body> reading = new LinkedHashSet<>(); // longest reading first
  private final AtomicBoolean watched = new AtomicBoolean();
  private long arrivals;

  /// A body that arrives. Its methods are called by any thread.
  interface Arrival {
    /// Begins to read.
    void read();

    /// Ends the call: the body took too long while others waited.
    void giveUp();
  }

  /// A place in the queue, or a slot.
  static final class Body {
    private final long size;
    private final long arrival;
    private final Arrival body;
    private long since; // nanoTime of the first read
    private boolean complete;

    private Body(long size, long arrival, Arrival body) {
      this.size = size;
      this.arrival = arrival;
      this.body = body;
    }

    private long size() {
      return size;
    }

    private long arrival() {
      return arrival;
    }
  }

  /// Reads the body now, or when a slot is free.
  ///
  /// @param size announced length in bytes
  Body enter(long size, Arrival arrival) {
    Body body = add(size, arrival);
    fill();
    return body;
  }

  private synchronized Body add(long size, Arrival arrival) {
    Body body = new Body(size, arrivals++, arrival);
    waiting.add(body);
    return body;
  }

  /// Keeps the slot until the answer, however long that takes.
  synchronized void complete(Body body) {
    body.complete = true;
  }

  /// Frees the slot or the place in the queue.
  void leave(Body body) {
    remove(body);
    fill();
  }

  private synchronized void remove(Body body) {
    if (!reading.remove(body)) {
      waiting.remove(body);
    }
  }

  /// Looks after slow bodies while bodies wait.
  void watch(Vertx vertx) {
    if (!watched.getAndSet(true)) {
      vertx.setTimer(
          SLICE_MILLIS / 5,
          _ -> {
            watched.set(false);
            if (check()) {
              watch(vertx);
            }
          });
    }
  }

  /// Takes slots from bodies that take long while others wait. Returns true if bodies still wait.
  boolean check() {
    slow().forEach(body -> body.body.giveUp());
    fill();
    return isContended();
  }

  private synchronized List<Body> slow() {
    long now = System.nanoTime();
    return reading.stream()
        .filter(body -> !body.complete)
        .filter(body -> TimeUnit.NANOSECONDS.toMillis(now - body.since) >= SLICE_MILLIS)
        .limit(waiting.size())
        .toList();
  }

  private synchronized boolean isContended() {
    return !waiting.isEmpty();
  }

  private void fill() {
    free().forEach(body -> body.body.read());
  }

  private synchronized List<Body> free() {
    List<Body> started = new ArrayList<>();
    while (reading.size() < MOST && !waiting.isEmpty()) {
      Body next = waiting.remove();
      next.since = System.nanoTime();
      reading.add(next);
      started.add(next);
    }
    return started;
  }
}
