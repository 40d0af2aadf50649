package dev.muster.core.cluster;

import dev.muster.core.collect.SortedTable;
import dev.muster.core.collect.SortedTable.Entry;
import dev.muster.core.gang.GpuModelPreference;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Predicate;

/// The GPUs that the gangs of one queue use and ask for.
///
/// @param usage GPU time used, and number of GPUs held now or kept for lost members
/// @param held GPUs held now, by the model that their nodes state; models without any are left out
/// @param kept GPUs kept for lost members, by model in the same way; of no model on a node that is
///   gone
/// @param waiting demand of gangs that wait as a whole and may start, by accepted models and by
///   need
public record QueueUsage(
    DecayedUsage usage,
    SortedTable<String, Integer> held,
    SortedTable<String, Integer> kept,
    SortedTable<String, Demand> waiting) {
  /// The account of a gang.
  ///
  /// @param queue the account
  /// @param held GPUs held, by model
  /// @param kept GPUs kept for lost members, by model; those that a lost pod is still charged for
  ///   are left out
  /// @param asking demand while it waits as a whole and may start
  /// @param hopeless whether no capacity that becomes free would let it start
  /// @param whole GPUs that it held when it was last whole, since it began to start; 0 if it never
  ///   was. Once the time for repair is over, those that it holds.
  public record GangUsage(
      String queue,
      SortedTable<String, Integer> held,
      SortedTable<String, Integer> kept,
      Optional<Demand> asking,
      boolean hopeless,
      int whole) {
    int inUse() {
      return sum(held, _ -> true);
    }

    /// Returns the number of GPUs kept for lost members, of the models that satisfy the condition.
    public int kept(Predicate<String> model) {
      return sum(kept, model);
    }

    GangUsage having(SortedTable<String, Integer> other, int gpus) {
      return new GangUsage(queue, other, kept, asking, hopeless, gpus);
    }

    GangUsage keeping(SortedTable<String, Integer> other) {
      return new GangUsage(queue, held, other, asking, hopeless, whole);
    }
  }

  /// The demand of gangs with equal GPU model preferences and equal need.
  ///
  /// @param choice accepted models
  /// @param need GPUs that each gang must find at once
  /// @param gangs number of gangs
  /// @param gpus GPUs that their members without a place ask for
  public record Demand(GpuModelPreference choice, int need, int gangs, int gpus) {
    private static final String ANY = "any ";

    /// Returns the demand of a gang that is complete; empty if it asks for no place.
    static Optional<Demand> of(Gang gang, Optional<Reservation> held) {
      if (!gang.isComplete()) {
        return Optional.empty();
      }
      int most = gang.maxCount() - gang.runningCount(held);
      SortedMap<Integer, Integer> open = MemberCounts.open(gang, held);
      int members = open.values().stream().mapToInt(Integer::intValue).sum();
      if (members == 0 || most <= 0) {
        return Optional.empty();
      }
      int gpus = members <= most ? MemberCounts.smallest(open, members) : first(gang, held, most);
      int need = MemberCounts.smallest(open, Math.max(1, gang.lacking(held)));
      return Optional.of(new Demand(gang.constraints().gpus(), need, 1, gpus));
    }

    /// Returns the GPUs of so many members with the lowest ranks.
    private static int first(Gang gang, Optional<Reservation> held, int number) {
      return gang.waiting().stream()
          .filter(member -> MemberCounts.isOpen(member, held))
          .limit(number)
          .mapToInt(member -> member.request().gpus())
          .sum();
    }

    private Demand plus(int moreGangs, int moreGpus) {
      return new Demand(choice, need, gangs + moreGangs, gpus + moreGpus);
    }

    String key() {
      return choice.equals(GpuModelPreference.ANY) ? ANY + need : choice.toString() + ' ' + need;
    }
  }

  /// The maximum number of idle accounts that [#counting] keeps.
  static final int MOST_IDLE = 10_000;

  static QueueUsage empty(Duration halfLife) {
    return new QueueUsage(
        DecayedUsage.none(halfLife), SortedTable.empty(), SortedTable.empty(), SortedTable.empty());
  }

  /// Returns the number of GPUs held now, of all models.
  public int inUse() {
    return inUse(_ -> true);
  }

  /// Returns the number of GPUs held now, of the models that satisfy the condition.
  public int inUse(Predicate<String> model) {
    return sum(held, model);
  }

  /// Returns the number of GPUs of these models for which the queue is charged.
  ///
  /// They are those held now and those kept for lost members.
  public int charged(Predicate<String> model) {
    return sum(held, model) + sum(kept, model);
  }

  static int sum(SortedTable<String, Integer> byModel, Predicate<String> model) {
    int gpus = 0;
    for (Entry<String, Integer> entry : byModel.entries()) {
      gpus += model.test(entry.key()) ? entry.value() : 0;
    }
    return gpus;
  }

  static SortedTable<String, Integer> plus(
      SortedTable<String, Integer> byModel, String model, int more) {
    int gpus = byModel.get(model).orElse(0) + more;
    return gpus == 0 ? byModel.without(model) : byModel.with(model, gpus);
  }

  /// Returns the number of gangs that wait as a whole and may start.
  public int waitingGangs() {
    int gangs = 0;
    for (Demand demand : waiting) {
      gangs += demand.gangs();
    }
    return gangs;
  }

  /// Returns the number of GPUs that these gangs ask for.
  public int waitingGpus() {
    int gpus = 0;
    for (Demand demand : waiting) {
      gpus += demand.gpus();
    }
    return gpus;
  }

  /// True if the account no longer counts.
  ///
  /// Nothing is held or kept, no gang waits, and the remaining GPU time is below a thousandth of a
  /// GPU-hour, the unit of shares.
  boolean isOver(Instant now) {
    return isIdle() && usage.at(now).gpuMillis() < Duration.ofHours(1).toMillis() / 1000;
  }

  /// Returns these accounts without those that no longer count. Of more than [#MOST_IDLE] idle ones
  /// it keeps those with the most GPU time.
  static SortedTable<String, QueueUsage> counting(
      SortedTable<String, QueueUsage> accounts, Instant now) {
    SortedTable<String, QueueUsage> left = accounts;
    List<Entry<String, QueueUsage>> idle = new ArrayList<>();
    for (Entry<String, QueueUsage> account : accounts.entries()) {
      if (account.value().isOver(now)) {
        left = left.without(account.key());
      } else if (account.value().isIdle()) {
        idle.add(account);
      }
    }
    if (idle.size() > MOST_IDLE) {
      idle.sort(Comparator.comparingLong(account -> account.value().usage().at(now).gpuMillis()));
      for (var least : idle.subList(0, idle.size() - MOST_IDLE)) {
        left = left.without(least.key());
      }
    }
    return left;
  }

  /// True if nothing is held or kept and no gang waits.
  boolean isIdle() {
    return held.isEmpty() && kept.isEmpty() && waiting.isEmpty();
  }

  boolean isBlank() {
    return isIdle() && usage.gpuMillis() == 0;
  }

  QueueUsage holding(String model, int more, Instant now) {
    return new QueueUsage(
        usage.holding(usage.held() + more, now), plus(held, model, more), kept, waiting);
  }

  /// Returns the usage with more or fewer GPUs kept for lost members.
  QueueUsage keeping(String model, int more, Instant now) {
    return new QueueUsage(
        usage.holding(usage.held() + more, now), held, plus(kept, model, more), waiting);
  }

  QueueUsage having(DecayedUsage other) {
    return new QueueUsage(other, held, kept, waiting);
  }

  QueueUsage asking(Demand demand) {
    return changed(demand, 1);
  }

  QueueUsage withdrawing(Demand demand) {
    return changed(demand, -1);
  }

  private QueueUsage changed(Demand demand, int times) {
    String key = demand.key();
    Optional<Demand> known = waiting.get(key);
    Demand before = known.isPresent() ? known.get() : demand.plus(-demand.gangs(), -demand.gpus());
    Demand after = before.plus(times * demand.gangs(), times * demand.gpus());
    return new QueueUsage(
        usage, held, kept, after.gangs() == 0 ? waiting.without(key) : waiting.with(key, after));
  }
}
