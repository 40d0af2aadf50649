package dev.muster.server.loop;

import dev.muster.core.cluster.Event;
import dev.muster.core.drive.Inbox;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.BooleanSupplier;

/// Bounded event queue between the threads that watch the cluster and the engine's thread. No event
/// is lost: a writer waits while the queue is full. The engine's thread must never write to it.
public final class Mailbox implements Inbox {
  private static final Duration HELD_FOR = Duration.ofMillis(20);

  private final LinkedBlockingQueue<Optional<Event>> queue;
  private volatile BooleanSupplier held = () -> false;
  private volatile boolean closed;

  /// @param capacity maximum number of events, at least 1
  public Mailbox(int capacity) {
    queue = new LinkedBlockingQueue<>(capacity);
  }

  /// Adds an event; waits while the mailbox is full. The event is dropped if the mailbox is closed
  /// or the caller is interrupted, since there is no reader any more.
  public void put(Event event) {
    try {
      if (!closed) {
        queue.put(Optional.of(event));
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /// Adds a tick unless the mailbox is full; then later events advance the time instead.
  ///
  /// @return true if the tick was added
  public boolean tick(Event.Tick tick) {
    return !closed && queue.offer(Optional.of(tick));
  }

  /// Keeps all events while this is true, unless the queue becomes half full. Events must not wait
  /// for the end of an outage that cannot end before they are taken.
  public void holdWhile(BooleanSupplier reason) {
    held = reason;
  }

  /// True if events are kept now.
  public boolean isHeld() {
    return held.getAsBoolean() && queue.remainingCapacity() > queue.size() && !closed;
  }

  /// Returns the next event; empty once the mailbox is closed.
  @Override
  public Optional<Event> next() throws InterruptedException {
    Optional<Event> next = closed ? Optional.empty() : queue.take();
    while (isHeld()) {
      Thread.sleep(HELD_FOR);
    }
    return closed ? Optional.empty() : next;
  }

  /// Returns the number of waiting events.
  public int depth() {
    return queue.size();
  }

  /// Closes the mailbox: waiting events are dropped, and waiting readers and writers are released.
  public void close() {
    closed = true;
    queue.clear();
    queue.offer(Optional.empty());
  }
}
