package dev.muster.server.kube.owner;

import dev.muster.core.gang.GangId;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The gangs whose PodGroups are to be compared with their owners, and the times of requests.
///
/// A request is repeated until the PodGroup is as wanted, each time after a longer pause.
final class PodGroupRequests {
  private static final Duration FIRST = Duration.ofSeconds(2);
  private static final Duration LONGEST = Duration.ofMinutes(1);

  /// The time of the next request, and the pause after it.
  private record Due(Instant at, Duration pause) {}

  private final Map<GangId, Due> open = new HashMap<>();

  /// Opens the comparison, due at once.
  void open(GangId gang) {
    open.put(gang, new Due(Instant.MIN, FIRST));
  }

  /// Opens the comparison, unless it is open. Then its next request keeps its time.
  void keepOpen(GangId gang) {
    open.putIfAbsent(gang, new Due(Instant.MIN, FIRST));
  }

  /// True if the comparison is open, and a request may be made now.
  boolean isDue(GangId gang, Instant now) {
    Due due = open.get(gang);
    return due != null && !now.isBefore(due.at);
  }

  /// Notes that a request is made now.
  void requested(GangId gang, Instant now) {
    open.computeIfPresent(
        gang,
        (_, due) -> {
          Duration twice = due.pause.multipliedBy(2);
          return new Due(now.plus(due.pause), twice.compareTo(LONGEST) < 0 ? twice : LONGEST);
        });
  }

  /// Ends the comparison, until something changes.
  void close(GangId gang) {
    open.remove(gang);
  }

  List<GangId> all() {
    return List.copyOf(open.keySet());
  }

  void retain(Set<GangId> gangs) {
    open.keySet().retainAll(gangs);
  }
}
