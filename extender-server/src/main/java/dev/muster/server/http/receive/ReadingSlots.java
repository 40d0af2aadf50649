package dev.muster.server.http.receive;

import dev.muster.server.fair.FairQueue;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.SequencedSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/// Limits how many large bodies are read or answered at one time.
///
/// Reading costs the event loop time, whatever becomes of the body. So a body is read without slot
/// only up to [Intake#SMALL] bytes; then it waits unread. Slots are shared fairly among addresses
/// ([FairQueue]). Bodies of one address get slots in the order in which they came to wait, except
/// that a short one may overtake longer ones that came a little earlier.
///
/// A body that hardly arrives while others wait loses its slot. It is read without slot again, up
/// to as many bytes. So clients that send nothing delay others by hundredths of a second.
final class ReadingSlots {
  private static final int MOST = 8;

  /// The time between two looks at the bodies with a slot. In a cluster, 1 MiB arrives in half of
  /// it.
  static final long LOOK_MILLIS = 10;

  private final LongSupplier nanoTime;
  private final FairQueue<Body> waiting =
      new FairQueue<>(() -> new PriorityQueue<>(Body.ORDER), body -> body.size);
  private final SequencedSet<Body> reading = new LinkedHashSet<>(); // longest reading first
  private final AtomicBoolean watched = new AtomicBoolean();
  private long arrivals;

  ReadingSlots() {
    this(System::nanoTime);
  }

  /// @param nanoTime clock
  ReadingSlots(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /// A body that arrives. Its methods are called by any thread.
  interface Arrival {
    /// Begins to read with a slot.
    void read();

    /// Goes on without slot.
    void lose();
  }

  /// A place in the queue, or a slot.
  static final class Body {
    private static final Comparator<Body> ORDER =
        Comparator.comparingLong((Body body) -> body.due).thenComparingLong(body -> body.arrival);

    private final String address;
    private final long size;
    private final long due;
    private final long arrival;
    private final Arrival body;
    private long since; // nanoTime of the last look
    private int delivered; // bytes since then
    private boolean complete;

    private Body(String address, long size, long due, long arrival, Arrival body) {
      this.address = address;
      this.size = size;
      this.due = due;
      this.arrival = arrival;
      this.body = body;
    }
  }

  /// Reads the body now, or when a slot is free.
  ///
  /// @param address where the body comes from
  /// @param size announced length in bytes; positive
  Body enter(String address, long size, Arrival arrival) {
    Body body = add(address, size, arrival);
    fill();
    return body;
  }

  private synchronized Body add(String address, long size, Arrival arrival) {
    long due = nanoTime.getAsLong() + size * Intake.NANOS_PER_BYTE;
    Body body = new Body(address, size, due, arrivals++, arrival);
    waiting.add(address, body);
    return body;
  }

  /// Records that a part of the body was read with the slot.
  synchronized void deliver(Body body, int bytes) {
    body.delivered += bytes;
  }

  /// Keeps the slot until the answer begins, however long that takes.
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
      waiting.remove(body.address, body);
    }
  }

  /// Looks after slow bodies while bodies wait.
  void watch(Vertx vertx) {
    if (!watched.getAndSet(true)) {
      vertx.setTimer(
          LOOK_MILLIS,
          _ -> {
            watched.set(false);
            if (check()) {
              watch(vertx);
            }
          });
    }
  }

  /// Takes slots from bodies that arrive slowly while others wait. Returns true if bodies still
  /// wait.
  boolean check() {
    slow().forEach(body -> body.body.lose());
    fill();
    return isContended();
  }

  private synchronized List<Body> slow() {
    long now = nanoTime.getAsLong();
    List<Body> slow = new ArrayList<>();
    for (Body body : reading) {
      if (!body.complete && TimeUnit.NANOSECONDS.toMillis(now - body.since) >= LOOK_MILLIS) {
        if (body.delivered < Intake.SMALL && slow.size() < waiting.size()) {
          slow.add(body);
        }
        body.since = now;
        body.delivered = 0;
      }
    }
    slow.forEach(reading::remove);
    return slow;
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
      Body next = Objects.requireNonNull(waiting.poll());
      next.since = nanoTime.getAsLong();
      reading.add(next);
      started.add(next);
    }
    return started;
  }
}
