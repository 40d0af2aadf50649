package dev.muster.core.backfill;

import dev.muster.core.cluster.Gang;
import dev.muster.core.collect.FairMemory;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// The run times of past gangs, from which the run time of the next one is estimated.
///
/// A gang is expected to run as long as nine of ten of the last runs of its lineage, but no longer
/// than its owner states. With fewer than three known runs the owner's time counts alone. Users ask
/// for more time than they need (Mu'alem & Feitelson 2001). Recent runs of equal work predict
/// better (Tsafrir et al. 2007).
///
/// Namespaces share the memory fairly: a namespace with many lineages or runs displaces its own.
///
/// @param byLineage the last runs of each lineage, oldest first
/// @param memory the order in which lineages are forgotten, by namespace
/// @param fleet the last runs of all gangs, whatever their result
public record RuntimeHistory(
    SortedTable<String, Past> byLineage, FairMemory<String> memory, Fleet fleet) {
  /// The history without runs.
  public static final RuntimeHistory NONE =
      new RuntimeHistory(
          SortedTable.empty(),
          FairMemory.empty(),
          new Fleet(List.of(), List.of(), Optional.empty()));

  private static final int REMEMBERED = 16;
  private static final int ENOUGH = 3;

  /// The maximum number of lineages that are remembered.
  static final int LINEAGES = 10_000;

  /// The minimum remaining time of a run that took longer than expected.
  ///
  /// Such a run is expected to continue for a quarter of the time that it has taken.
  private static final Duration MORE = Duration.ofMinutes(1);

  /// The last runs of one lineage.
  ///
  /// @param namespace namespace of the last run
  /// @param took run times, oldest first
  /// @param newest end of the last run
  public record Past(String namespace, List<Duration> took, Instant newest) {
    public Past {
      took = List.copyOf(took);
    }

    Duration ninth() {
      return RuntimeHistory.ninth(took);
    }
  }

  /// One run of a gang.
  public record Run(String namespace, Duration took) {}

  /// The last runs of all gangs. Their usual run time is computed after every sixteenth run.
  ///
  /// The namespace with the most runs may not decide the usual run time alone. As many of its runs
  /// count as of all other namespaces together, and at least 32. Without others all its runs count.
  ///
  /// @param runs runs, oldest first
  /// @param since runs that ended since that computation
  /// @param usual time that nine of ten runs did not exceed; absent until sixteen have ended
  public record Fleet(List<Run> runs, List<Run> since, Optional<Duration> usual) {
    private static final int REMEMBERED = 256;
    private static final int AT_ONCE = 16;
    private static final int COUNTED = 32;

    Fleet with(Run next) {
      List<Run> more = last(AT_ONCE, since, List.of(next));
      if (more.size() < AT_ONCE) {
        return new Fleet(runs, more, usual);
      }
      List<Run> all = new ArrayList<>(runs);
      all.addAll(more);
      TreeMap<String, Integer> numbers = new TreeMap<>();
      all.forEach(run -> numbers.merge(run.namespace, 1, Integer::sum));
      while (all.size() > REMEMBERED) {
        String most = most(numbers);
        int oldest = 0;
        while (!all.get(oldest).namespace.equals(most)) {
          oldest++;
        }
        all.remove(oldest);
        numbers.merge(most, -1, Integer::sum);
      }
      return new Fleet(List.copyOf(all), List.of(), Optional.of(ninth(counted(all, numbers))));
    }

    private static String most(TreeMap<String, Integer> numbers) {
      return Collections.max(numbers.entrySet(), Map.Entry.comparingByValue()).getKey();
    }

    private static List<Duration> counted(List<Run> all, TreeMap<String, Integer> numbers) {
      String most = most(numbers);
      int others = all.size() - numbers.getOrDefault(most, 0);
      int surplus = others == 0 ? 0 : all.size() - others - Math.max(COUNTED, others);
      List<Duration> counted = new ArrayList<>();
      for (Run run : all) {
        if (surplus > 0 && run.namespace.equals(most)) {
          surplus--;
        } else {
          counted.add(run.took);
        }
      }
      return counted;
    }
  }

  /// Returns the last elements of two lists, of which the second has at most `most` elements.
  private static <T> List<T> last(int most, List<T> some, List<T> others) {
    List<T> all = new ArrayList<>(some);
    all.addAll(others);
    return List.copyOf(all.subList(Math.max(0, all.size() - most), all.size()));
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

  /// Returns the history with one more run of a lineage. A lineage that is displaced is forgotten.
  public RuntimeHistory with(String namespace, String lineage, Duration took, Instant at) {
    if (lineage.isEmpty() || took.isNegative()) {
      return this;
    }
    Optional<Past> old = byLineage.get(lineage);
    Optional<String> left =
        old.isPresent()
            ? Optional.of(lineage)
            : Optional.of(namespace)
                .filter(_ -> byLineage.size() >= LINEAGES)
                .flatMap(memory::displacedBy);
    RuntimeHistory room = left.isPresent() ? without(left.get()) : this;
    List<Duration> last = last(REMEMBERED, old.map(Past::took).orElse(List.of()), List.of(took));
    return new RuntimeHistory(
        room.byLineage.with(lineage, new Past(namespace, last, at)),
        room.memory.with(namespace, at, lineage),
        fleet);
  }

  private RuntimeHistory without(String lineage) {
    Past past = byLineage.get(lineage).orElseThrow();
    return new RuntimeHistory(
        byLineage.without(lineage),
        memory.without(past.namespace(), past.newest(), lineage),
        fleet);
  }

  /// Returns the history with one more run, of any lineage.
  public RuntimeHistory with(String namespace, Duration took) {
    return took.isNegative()
        ? this
        : new RuntimeHistory(byLineage, memory, fleet.with(new Run(namespace, took)));
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

  /// Returns the rest of the expected run time of a running gang.
  ///
  /// Empty if nothing is known, or if it has run for longer.
  public Optional<Duration> remaining(Gang gang, Instant now) {
    return expected(gang)
        .flatMap(time -> began(gang).map(start -> Duration.between(now, start.plus(time))))
        .filter(Duration::isPositive);
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
