package dev.muster.core.backfill;

import dev.muster.core.cluster.Gang;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/// The run times of past gangs, from which the run time of the next one is estimated.
///
/// A gang is expected to run as long as nine of ten of the last runs of its lineage, but no longer
/// than its owner states. With fewer than three known runs the owner's time counts alone. Users ask
/// for more time than they need (Mu'alem & Feitelson 2001). Recent runs of equal work predict
/// better (Tsafrir et al. 2007).
///
/// @param byLineage the last runs of each lineage, oldest first
/// @param fleet the last runs of all gangs, whatever their result
public record RuntimeHistory(SortedTable<String, Past> byLineage, Fleet fleet) {
  /// The history without runs.
  public static final RuntimeHistory NONE =
      new RuntimeHistory(SortedTable.empty(), new Fleet(List.of(), List.of(), Optional.empty()));

  private static final int REMEMBERED = 16;
  private static final int ENOUGH = 3;
  private static final int LINEAGES = 10_000;

  /// The minimum remaining time of a run that took longer than expected.
  ///
  /// Such a run is expected to continue for a quarter of the time that it has taken.
  private static final Duration MORE = Duration.ofMinutes(1);

  /// The last runs of one lineage.
  ///
  /// @param took run times, oldest first
  /// @param newest end of the last run
  public record Past(List<Duration> took, Instant newest) {
    public Past {
      took = List.copyOf(took);
    }

    Past with(Duration next, Instant at) {
      return new Past(last(REMEMBERED, took, List.of(next)), at);
    }

    Duration ninth() {
      return RuntimeHistory.ninth(took);
    }
  }

  /// The last runs of all gangs. Their usual run time is computed after every sixteenth run.
  ///
  /// @param took run times, oldest first
  /// @param since run times that ended since that computation
  /// @param usual time that nine of ten runs did not exceed; absent until sixteen have ended
  public record Fleet(List<Duration> took, List<Duration> since, Optional<Duration> usual) {
    private static final int REMEMBERED = 256;
    private static final int AT_ONCE = 16;

    Fleet with(Duration next) {
      List<Duration> more = last(AT_ONCE, since, List.of(next));
      if (more.size() < AT_ONCE) {
        return new Fleet(took, more, usual);
      }
      List<Duration> all = last(REMEMBERED, took, more);
      return new Fleet(all, List.of(), Optional.of(ninth(all)));
    }
  }

  /// Returns the last elements of two lists, of which the second has at most `most` elements.
  private static List<Duration> last(int most, List<Duration> some, List<Duration> others) {
    Duration[] all = some.toArray(new Duration[some.size() + others.size()]);
    for (int i = 0; i < others.size(); i++) {
      all[some.size() + i] = others.get(i);
    }
    int left = Math.max(0, all.length - most);
    return Collections.unmodifiableList(
        Arrays.asList(left == 0 ? all : Arrays.copyOfRange(all, left, all.length)));
  }

  /// Returns the time that nine of ten runs did not exceed (nearest rank), in whole milliseconds.
  ///
  /// It is the least of the greatest tenth, so only that tenth is sorted.
  private static Duration ninth(List<Duration> took) {
    long[] greatest = new long[took.size() - (took.size() * 9 + 9) / 10 + 1];
    for (Duration each : took) {
      long millis = each.toMillis();
      int at = 0;
      while (at < greatest.length && greatest[at] < millis) {
        at++;
      }
      if (at > 0) {
        System.arraycopy(greatest, 1, greatest, 0, at - 1);
        greatest[at - 1] = millis;
      }
    }
    return Duration.ofMillis(greatest[0]);
  }

  /// Returns the time that nine of ten of the last gangs did not exceed.
  ///
  /// It covers gangs of all lineages, and is absent until enough of them have ended.
  public Optional<Duration> usual() {
    return fleet.usual;
  }

  /// Returns the history with one more run of a lineage.
  public RuntimeHistory with(String lineage, Duration took, Instant at) {
    if (lineage.isEmpty() || took.isNegative()) {
      return this;
    }
    Past past = byLineage.get(lineage).orElseGet(() -> new Past(List.of(), at));
    return new RuntimeHistory(room(lineage).with(lineage, past.with(took, at)), fleet);
  }

  /// Returns the history with one more run, of any lineage.
  public RuntimeHistory with(Duration took) {
    return took.isNegative() ? this : new RuntimeHistory(byLineage, fleet.with(took));
  }

  /// Returns the table with a free entry for the lineage.
  ///
  /// If it is full, the lineage with the oldest last run is removed.
  private SortedTable<String, Past> room(String lineage) {
    if (byLineage.size() < LINEAGES || byLineage.contains(lineage)) {
      return byLineage;
    }
    String oldest = lineage;
    Instant least = Instant.MAX;
    for (String key : byLineage.keys()) {
      Instant newest = byLineage.get(key).orElseThrow().newest();
      if (newest.isBefore(least)) {
        oldest = key;
        least = newest;
      }
    }
    return byLineage.without(oldest);
  }

  /// Returns the expected run time of the gang; empty if nothing is known.
  public Optional<Duration> expected(Gang gang) {
    Optional<Duration> said = gang.constraints().runtime();
    Optional<Past> past =
        gang.spec().isPresent() ? byLineage.get(gang.spec().get().lineage()) : Optional.empty();
    if (past.isEmpty() || past.get().took().size() < ENOUGH) {
      return said;
    }
    Duration observed = past.get().ninth();
    return said.isPresent() && said.get().compareTo(observed) < 0 ? said : Optional.of(observed);
  }

  /// Returns the expected end of a running gang, later than now; empty if nothing is known.
  public Optional<Instant> end(Gang gang, Instant now) {
    Optional<Duration> expected = expected(gang);
    return expected.flatMap(time -> began(gang).map(start -> end(start, time, now)));
  }

  private static Instant end(Instant start, Duration time, Instant now) {
    Instant end = start.plus(time);
    Duration more = Duration.between(start, now).dividedBy(4);
    return end.isAfter(now) ? end : now.plus(more.compareTo(MORE) > 0 ? more : MORE);
  }

  /// Returns the time at which the first running member was bound.
  public static Optional<Instant> began(Gang gang) {
    Instant first = Instant.MAX;
    for (Member member : gang.bound()) {
      if (member.state() instanceof MemberState.Bound(_, Instant since) && since.isBefore(first)) {
        first = since;
      }
    }
    return first.equals(Instant.MAX) ? Optional.empty() : Optional.of(first);
  }
}
