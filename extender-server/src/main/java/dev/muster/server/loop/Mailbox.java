package dev.muster.server.loop;

import dev.muster.core.cluster.Event;
import dev.muster.core.drive.Inbox;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;

/// Bounded event queue between the threads that watch the cluster and the engine's thread. No event
/// is lost: a writer waits while the queue is full. The engine's thread must never write to it.
public final class Mailbox implements Inbox {
  private final LinkedBlockingQueue<Optional<Event>> queue;
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

  /// Returns the next event; empty once the mailbox is closed.
  @Override
  public Optional<Event> next() throws InterruptedException {
    return closed ? Optional.empty() : queue.take();
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
