package dev.muster.core.state;

import dev.muster.core.cluster.Gang;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.decision.Decision;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// Waiting gangs: for room or quota, by class, or for time to pass; with the last decision on each.
///
/// @param standing the last decision on each gang that waits, or that was released
/// @param seats where each gang that waits for room stands
/// @param classes the classes; none is empty
/// @param doubtful classes whose answer may read otherwise since a node went or changed, or a pod
///   ended, though none of their gangs can start for that; to be asked anew a few at a tick
/// @param timed gangs to try again no sooner than the instant: those that rest after a release, and
///   those that lack members
public record WaitingGangs(
    SortedTable<GangId, Decision> standing,
    SortedTable<GangId, Seat> seats,
    SortedTable<WaitClass.Key, WaitClass> classes,
    SortedTable<WaitClass.Key, WaitClass> doubtful,
    SortedTable<GangId, Instant> timed) {
  /// Nobody waits.
  public static final WaitingGangs NONE =
      new WaitingGangs(
          SortedTable.empty(),
          SortedTable.empty(),
          SortedTable.empty(),
          SortedTable.empty(),
          SortedTable.empty());

  /// A gang's class and its place in it.
  public record Seat(WaitClass.Key key, WaitClass.Age age) {}

  /// The class that the gang waits in.
  public Optional<WaitClass> classOf(GangId gang) {
    Optional<Seat> seat = seats.get(gang);
    return seat.isPresent() ? classes.get(seat.get().key()) : Optional.empty();
  }

  /// With this decision standing.
  public WaitingGangs with(Decision decision) {
    var decided = standing.with(decision.gang(), decision);
    return new WaitingGangs(decided, seats, classes, doubtful, timed);
  }

  /// With the gang, of which this was decided, waiting in this class, whose answer is now this.
  ///
  /// @param asked its class as if it were alone in it
  public WaitingGangs with(Gang gang, WaitClass asked, Decision decision) {
    WaitingGangs rest = with(decision).left(gang.id());
    WaitClass.Age age =
        new WaitClass.Age(gang.spec().map(GangSpec::createdAt).orElse(Instant.MAX), gang.id());
    WaitClass joined = rest.classes.get(asked.key()).orElse(asked).with(age).because(asked.why());
    return new WaitingGangs(
        rest.standing,
        rest.seats.with(gang.id(), new Seat(asked.key(), age)),
        rest.classes.with(asked.key(), joined),
        rest.doubtful,
        rest.timed);
  }

  /// With the gang, of which this was decided, to be tried again at the instant.
  public WaitingGangs with(Decision decision, Instant at) {
    GangId gang = decision.gang();
    WaitingGangs rest = with(decision).left(gang);
    return new WaitingGangs(
        rest.standing, rest.seats, rest.classes, rest.doubtful, rest.timed.with(gang, at));
  }

  /// Without the gang, and without a decision on it.
  @SuppressWarnings("ReferenceEquality") // a table from which nothing was taken is the same object
  public WaitingGangs without(GangId gang) {
    WaitingGangs left = left(gang);
    var rest = standing.without(gang);
    return rest == standing
        ? left
        : new WaitingGangs(rest, left.seats, left.classes, left.doubtful, left.timed);
  }

  /// Without the gang's place in a class or in time.
  private WaitingGangs left(GangId gang) {
    Optional<Seat> seat = seats.get(gang);
    if (seat.isEmpty()) {
      return timed.contains(gang)
          ? new WaitingGangs(standing, seats, classes, doubtful, timed.without(gang))
          : this;
    }
    WaitClass.Key key = seat.get().key();
    WaitClass.Age age = seat.get().age();
    var left = classes.update(key, (_, old) -> old.flatMap(waits -> waits.without(age)));
    return new WaitingGangs(
        standing,
        seats.without(gang),
        left,
        left.contains(key) ? doubtful : doubtful.without(key),
        timed.without(gang));
  }

  /// The classes in doubt whose answers are the oldest, at most so many: asked in this order none
  /// waits for ever for a new answer, however often the others come into doubt again.
  public List<WaitClass.Key> longestInDoubt(int atMost) {
    return doubtful.keys().stream()
        .sorted(
            Comparator.<WaitClass.Key, Instant>comparing(
                key -> classes.get(key).orElseThrow().why().at()))
        .limit(atMost)
        .toList();
  }

  /// With the answer of every class in doubt.
  public WaitingGangs doubting() {
    return new WaitingGangs(standing, seats, classes, classes, timed);
  }

  /// With the answers of these classes in doubt, as far as anybody still waits in them.
  public WaitingGangs doubting(Collection<WaitClass.Key> keys) {
    if (keys.isEmpty()) {
      return this;
    }
    var more = doubtful;
    for (WaitClass.Key key : keys) {
      Optional<WaitClass> waits = classes.get(key);
      more = waits.isPresent() ? more.with(key, waits.get()) : more;
    }
    return new WaitingGangs(standing, seats, classes, more, timed);
  }

  /// With these classes about to be asked anew.
  public WaitingGangs asking(List<WaitClass.Key> keys) {
    var rest = doubtful;
    for (WaitClass.Key key : keys) {
      rest = rest.without(key);
    }
    return new WaitingGangs(standing, seats, classes, rest, timed);
  }
}
