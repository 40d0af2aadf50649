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
/// A request is repeated until the PodGroup is as wanted, each time after a longer pause. The pause
/// is kept until no request was due for a minute. So an owner that changes all the time, or a
/// PodGroup that is deleted again and again, causes few writes.
///
/// A change of the owner shortens the pause, since it may correct what was refused. That happens
/// once a minute, and the pauses go on growing.
///
/// An owner that was created again under its name has no pause of the deleted one.
final class PodGroupRequests {
  private static final Duration FIRST = Duration.ofSeconds(2);
  private static final Duration LONGEST = Duration.ofMinutes(1);

  /// @param owner uid of the owner
  /// @param at earliest time of the next request
  /// @param pause pause after that request
  /// @param open true if the comparison is not done
  /// @param hastened time at which the pause was shortened last
  private record Due(String owner, Instant at, Duration pause, boolean open, Instant hastened) {
    static Due first(String owner) {
      return new Due(owner, Instant.EPOCH, FIRST, true, Instant.EPOCH);
    }

    Due open(boolean now) {
      return new Due(owner, at, pause, now, hastened);
    }

    boolean isNow(Instant now) {
      return open && !now.isBefore(at);
    }

    boolean isOver(Instant now) {
      return !open && !now.isBefore(at.plus(LONGEST));
    }
  }

  private final Map<GangId, Due> requests = new HashMap<>();

  /// Opens the comparison. It is due at once, or after the pause that follows the last request for
  /// this owner.
  ///
  /// @param owner its uid; the same text for all owners whose gangs keep their pauses
  void open(GangId gang, String owner) {
    requests.compute(
        gang,
        (_, due) -> due == null || !due.owner.equals(owner) ? Due.first(owner) : due.open(true));
  }

  /// Notes that the owner of these gangs changed now.
  void hasten(Set<GangId> gangs, Instant now) {
    for (GangId gang : gangs) {
      requests.computeIfPresent(
          gang,
          (_, due) -> {
            Instant soon = now.plus(FIRST);
            return soon.isBefore(due.at) && !now.isBefore(due.hastened.plus(LONGEST))
                ? new Due(due.owner, soon, due.pause, due.open, now)
                : due;
          });
    }
  }

  /// True if the comparison is open, and a request may be made now.
  boolean isDue(GangId gang, Instant now) {
    Due due = requests.get(gang);
    return due != null && due.isNow(now);
  }

  /// Notes that a request is made now.
  void requested(GangId gang, Instant now) {
    requests.computeIfPresent(
        gang,
        (_, due) -> {
          Duration twice = due.pause.multipliedBy(2);
          return new Due(
              due.owner,
              now.plus(due.pause),
              twice.compareTo(LONGEST) < 0 ? twice : LONGEST,
              due.open,
              due.hastened);
        });
  }

  /// Ends the comparison, until something changes.
  void close(GangId gang) {
    requests.computeIfPresent(gang, (_, due) -> due.open(false));
  }

  /// Returns the gangs for which a request may be made now. Called often.
  List<GangId> due(Instant now) {
    requests.values().removeIf(due -> due.isOver(now));
    return requests.keySet().stream().filter(gang -> isDue(gang, now)).toList();
  }

  void retain(Set<GangId> gangs) {
    requests.keySet().retainAll(gangs);
  }
}
