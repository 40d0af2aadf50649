package dev.muster.core.drive;

import dev.muster.core.cluster.Event;
import java.util.Optional;

/// A source of events: the live cluster, or a simulated one.
@FunctionalInterface
public interface Inbox {
  /// Returns the next event, and waits for it if necessary; empty at the end of all events.
  Optional<Event> next() throws InterruptedException;
}
