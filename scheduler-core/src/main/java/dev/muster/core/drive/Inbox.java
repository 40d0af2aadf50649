package dev.muster.core.drive;

import dev.muster.core.cluster.Event;
import java.util.Optional;

/// Where events come from: the live cluster, or a simulated one.
@FunctionalInterface
public interface Inbox {
  /// The next event, waited for if need be; empty when there will be no more.
  Optional<Event> next() throws InterruptedException;
}
