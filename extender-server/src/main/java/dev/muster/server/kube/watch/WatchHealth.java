package dev.muster.server.kube.watch;

import dev.muster.server.logging.LogThrottle;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Counts the faults of all watches, and warns the admin about them.
///
/// One end of a watch is normal: an API server restarts. A watch that ends again and again is not:
/// a proxy or firewall on the way cuts it.
public final class WatchHealth {
  /// A way in which a watch fails.
  public enum Fault {
    /// Its connection ended before its time.
    ENDED,
    /// The API server refused the list or the watch, or did not answer.
    REFUSED,
    /// It was silent although objects had changed.
    DEAD
  }

  /// Ends of one watch within [#WITHIN] that are reported.
  static final int OFTEN = 3;

  static final Duration WITHIN = Duration.ofMinutes(1);

  private static final Logger log = LoggerFactory.getLogger(WatchHealth.class);

  private final InstantSource clock;
  private final LogThrottle throttle;
  private final Map<Fault, Long> counts = new EnumMap<>(Fault.class);
  private final Map<String, Deque<Instant>> ends = new HashMap<>();

  public WatchHealth(InstantSource clock) {
    this.clock = clock;
    this.throttle = new LogThrottle(WITHIN, clock);
  }

  /// Returns the number of faults of this kind so far.
  public synchronized long count(Fault fault) {
    return counts.getOrDefault(fault, 0L);
  }

  /// Records a fault of the watch.
  ///
  /// @param kind objects that it watches
  synchronized void failed(String kind, Fault fault, String reason) {
    counts.merge(fault, 1L, Long::sum);
    switch (fault) {
      case ENDED -> ended(kind, reason);
      case REFUSED -> {
        if (throttle.isNew(kind + reason)) {
          log.warn(
              "Watching {} failed and is retried: {}.{}",
              kind,
              reason,
              reason.startsWith("403 ") ? " The role may lack list and watch." : "");
        }
      }
      case DEAD -> {
        if (throttle.isNew(kind + fault)) {
          log.warn(
              "The watch of {} was dead and begins again: {}. A firewall may have dropped its connection.",
              kind,
              reason);
        }
      }
    }
  }

  private void ended(String kind, String reason) {
    Instant now = clock.instant();
    Deque<Instant> times = ends.computeIfAbsent(kind, _ -> new ArrayDeque<>());
    times.add(now);
    times.removeIf(at -> at.isBefore(now.minus(WITHIN)));
    if (times.size() >= OFTEN && throttle.isNew("flapping")) {
      log.warn(
          "The watch of {} ended {} times within a minute and begins again each time: {}. A proxy or firewall between Muster and the API server may cut it.",
          kind,
          times.size(),
          reason);
    }
  }
}
