package dev.muster.core.state;

import dev.muster.core.cluster.Gang;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.decision.Decision;
import dev.muster.core.gang.GangId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// Waiting gangs are all gangs that wait for capacity, quota or time, with their last decisions.
///
/// A class is doubtful if a node changed or left, or a pod ended, but no gang of it can start for
/// that. Its answer may be out of date, so it is tried again at a tick, a few classes at a time. So
/// is a class that was passed over, of which a gang may start.
///
/// @param standing last decision on each gang that waits or was released
/// @param seats class and position of each gang that waits for capacity or quota
/// @param classes the classes; none is empty
/// @param doubtful the doubtful classes; those that were passed over have no reason
/// @param timed gangs to try again no sooner than the instant: those that rest after a release,
///   those that lack members, and those deferred to the next tick
public record WaitingGangs(
    SortedTable<GangId, Decision> standing,
    SortedTable<GangId, Entry> seats,
    SortedTable<WaitClass.Key, WaitClass> classes,
    SortedTable<WaitClass.Key, WaitClass> doubtful,
    SortedTable<GangId, Instant> timed) {
  /// No gang waits.
  public static final WaitingGangs NONE =
      new WaitingGangs(
          SortedTable.empty(),
          SortedTable.empty(),
          SortedTable.empty(),
          SortedTable.empty(),
          SortedTable.empty());

  /// The class of a gang and its position in the class.
  public record Entry(WaitClass.Key key, WaitClass.Age age) {}

  /// Returns the class in which the gang waits.
  public Optional<WaitClass> classOf(GangId gang) {
    Optional<Entry> seat = seats.get(gang);
    return seat.isPresent() ? classes.get(seat.get().key()) : Optional.empty();
  }

  /// Returns these gangs with this decision as the last one on its gang.
  public WaitingGangs with(Decision decision) {
    var decided = standing.with(decision.gang(), decision);
    return new WaitingGangs(decided, seats, classes, doubtful, timed);
  }

  /// Returns these gangs with one more in its class. The class takes its reason from `asked`.
  ///
  /// @param asked the class of the gang alone
  public WaitingGangs with(Gang gang, WaitClass asked, Decision decision) {
    WaitingGangs rest = with(decision).left(gang.id());
    WaitClass.Age age = new WaitClass.Age(gang.eligibleAt(), gang.id());
    var others = rest.classes.get(asked.key()).map(WaitClass::gangs).orElse(SortedTable.empty());
    WaitClass joined = asked.withGangs(others.with(age, gang.id()));
    return new WaitingGangs(
        rest.standing,
        rest.seats.with(gang.id(), new Entry(asked.key(), age)),
        rest.classes.with(asked.key(), joined),
        rest.doubtful,
        rest.timed);
  }

  /// Returns these gangs with the gang of the decision to be tried again at the instant.
  public WaitingGangs with(Decision decision, Instant at) {
    GangId gang = decision.gang();
    WaitingGangs rest = with(decision).left(gang);
    return new WaitingGangs(
        rest.standing, rest.seats, rest.classes, rest.doubtful, rest.timed.with(gang, at));
  }

  /// Returns these gangs with the gang to be tried at the next tick. It keeps its class and answer
  /// until then.
  public WaitingGangs deferring(GangId gang, Instant now) {
    return new WaitingGangs(standing, seats, classes, doubtful, timed.with(gang, now));
  }

  /// Returns the gang of each namespace that is due for the longest time.
  public SortedTable<String, GangId> longestDue(Instant now) {
    SortedTable<String, GangId> longest = SortedTable.empty();
    for (GangId gang : timed.keys()) {
      Instant at = timed.get(gang).orElseThrow();
      Optional<Instant> other = longest.get(gang.namespace()).flatMap(timed::get);
      if (!at.isAfter(now) && (other.isEmpty() || at.isBefore(other.get()))) {
        longest = longest.with(gang.namespace(), gang);
      }
    }
    return longest;
  }

  /// Returns these gangs without the gang and without its decision.
  @SuppressWarnings("ReferenceEquality") // a table without the key is returned unchanged
  public WaitingGangs without(GangId gang) {
    WaitingGangs left = left(gang);
    var rest = standing.without(gang);
    return rest == standing
        ? left
        : new WaitingGangs(rest, left.seats, left.classes, left.doubtful, left.timed);
  }

  /// Returns these gangs with the gang in no class and without a time.
  private WaitingGangs left(GangId gang) {
    Optional<Entry> seat = seats.get(gang);
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

  /// Returns the doubtful classes to try next, at most so many. Namespaces take turns, and the
  /// oldest answer of each comes first. So each class gets a new answer eventually, however often
  /// others become doubtful again.
  public List<WaitClass.Key> longestInDoubt(int atMost) {
    List<WaitClass> oldestFirst = new ArrayList<>();
    for (WaitClass.Key key : doubtful.keys()) {
      oldestFirst.add(classes.get(key).orElseThrow());
    }
    oldestFirst.sort(Comparator.comparing(waits -> waits.why().at()));
    Map<String, Integer> turns = new TreeMap<>();
    Map<Integer, List<WaitClass.Key>> byTurn = new TreeMap<>();
    for (WaitClass waits : oldestFirst) {
      int turn = turns.merge(waits.first().namespace(), 1, Integer::sum);
      byTurn.computeIfAbsent(turn, _ -> new ArrayList<>()).add(waits.key());
    }
    return byTurn.values().stream().flatMap(List::stream).limit(atMost).toList();
  }

  /// Returns these gangs with the answer of every class doubtful.
  public WaitingGangs doubting() {
    var all = classes;
    for (WaitClass waits : doubtful) {
      all = isPassedOver(waits) ? all.with(waits.key(), waits) : all;
    }
    return new WaitingGangs(standing, seats, classes, all, timed);
  }

  /// Returns these gangs with these classes doubtful because they were passed over.
  public WaitingGangs passingOver(Collection<WaitClass.Key> keys) {
    var more = doubtful;
    for (WaitClass.Key key : keys) {
      Optional<WaitClass> waits = classes.get(key);
      boolean passed = more.contains(key, WaitingGangs::isPassedOver);
      more = waits.isPresent() && !passed ? more.with(key, waits.get().passedOver()) : more;
    }
    return keys.isEmpty() ? this : new WaitingGangs(standing, seats, classes, more, timed);
  }

  /// True if gangs of the doubtful class may start, as it was passed over.
  public static boolean isPassedOver(WaitClass doubted) {
    return doubted.why().main().isEmpty();
  }

  /// Returns these gangs with the answers of these classes doubtful, where gangs still wait in
  /// them.
  public WaitingGangs doubting(Collection<WaitClass.Key> keys) {
    if (keys.isEmpty()) {
      return this;
    }
    var more = doubtful;
    for (WaitClass.Key key : keys) {
      Optional<WaitClass> waits = classes.get(key);
      boolean passed = more.contains(key, WaitingGangs::isPassedOver);
      more = waits.isPresent() && !passed ? more.with(key, waits.get()) : more;
    }
    return new WaitingGangs(standing, seats, classes, more, timed);
  }

  /// Returns these gangs with these classes no longer doubtful, because they are about to be tried
  /// again.
  public WaitingGangs asking(List<WaitClass.Key> keys) {
    var rest = doubtful;
    for (WaitClass.Key key : keys) {
      rest = rest.without(key);
    }
    return new WaitingGangs(standing, seats, classes, rest, timed);
  }
}
