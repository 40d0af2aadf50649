package dev.muster.server.loop;

import dev.muster.core.cluster.Event;
import dev.muster.core.drive.Inbox;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;

/// The queue between all that sees the cluster and the one thread that decides. It is bounded and
/// loses nothing: whoever puts into a full one waits. The deciding thread must never put.
public final class Mailbox implements Inbox {
  private final LinkedBlockingQueue<Optional<Event>> queue;
  private volatile boolean closed;

  /// @param capacity how many events it holds, at least 1
  public Mailbox(int capacity) {
    queue = new LinkedBlockingQueue<>(capacity);
  }

  /// Puts an event at the end; waits while the mailbox is full. Dropped once the mailbox is closed
  /// or the caller is interrupted, since then nobody is left to read it.
  public void put(Event event) {
    try {
      if (!closed) {
        queue.put(Optional.of(event));
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /// Puts a tick unless the mailbox is full: then later events tell the time as well.
  ///
  /// @return whether it was put
  public boolean tick(Event.Tick tick) {
    return !closed && queue.offer(Optional.of(tick));
  }

  /// The next event; empty from the moment the mailbox is closed.
  @Override
  public Optional<Event> next() throws InterruptedException {
    return closed ? Optional.empty() : queue.take();
  }

  /// How many events wait.
  public int depth() {
    return queue.size();
  }

  /// Ends it: what waits in it is dropped, and every reader and writer is let go.
  public void close() {
    closed = true;
    queue.clear();
    queue.offer(Optional.empty());
  }
}
