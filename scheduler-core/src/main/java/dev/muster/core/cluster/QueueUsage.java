package dev.muster.core.cluster;

import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GpuModelPreference;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Predicate;

/// What the gangs of one queue have and want.
///
/// @param usage the GPU time used, and the number of GPUs held now
/// @param held GPUs held now, by the model that their nodes name; models of which none is held are
///   left out
/// @param waiting what gangs that wait whole, and have hope, ask for, by the models that will do
///   and by what each needs
public record QueueUsage(
    DecayedUsage usage, SortedTable<String, Integer> held, SortedTable<String, Demand> waiting) {
  /// What gangs with the same wish for models and the same need ask for.
  ///
  /// @param choice which models will do
  /// @param need how many GPUs each must find at once
  /// @param gangs how many gangs that are
  /// @param gpus how many GPUs their members without a place ask for
  public record Demand(GpuModelPreference choice, int need, int gangs, int gpus) {
    private static final String ANY = "any ";

    private Demand plus(int moreGangs, int moreGpus) {
      return new Demand(choice, need, gangs + moreGangs, gpus + moreGpus);
    }

    String key() {
      return choice.equals(GpuModelPreference.ANY) ? ANY + need : choice.toString() + ' ' + need;
    }
  }

  static QueueUsage empty(Duration halfLife) {
    return new QueueUsage(DecayedUsage.none(halfLife), SortedTable.empty(), SortedTable.empty());
  }

  /// GPUs held now, of all models.
  public int inUse() {
    return usage.held();
  }

  /// GPUs held now, of the models that satisfy the condition.
  public int inUse(Predicate<String> model) {
    return inUse(held, model);
  }

  static int inUse(SortedTable<String, Integer> held, Predicate<String> model) {
    int gpus = 0;
    for (String name : held.keys()) {
      gpus += model.test(name) ? held.get(name).orElse(0) : 0;
    }
    return gpus;
  }

  /// How many gangs wait whole and have hope.
  public int waitingGangs() {
    int gangs = 0;
    for (Demand demand : waiting) {
      gangs += demand.gangs();
    }
    return gangs;
  }

  /// How many GPUs these gangs ask for.
  public int waitingGpus() {
    int gpus = 0;
    for (Demand demand : waiting) {
      gpus += demand.gpus();
    }
    return gpus;
  }

  /// Whether nothing is held, nobody waits, and what is left of the GPU time used is less than any
  /// share shows: a thousandth of a GPU-hour.
  boolean isOver(Instant now) {
    return held.isEmpty()
        && waiting.isEmpty()
        && usage.at(now).gpuMillis() < Duration.ofHours(1).toMillis() / 1000;
  }

  boolean isBlank() {
    return held.isEmpty() && waiting.isEmpty() && usage.gpuMillis() == 0;
  }

  QueueUsage holding(String model, int more, Instant now) {
    int gpus = held.get(model).orElse(0) + more;
    return new QueueUsage(
        usage.holding(usage.held() + more, now),
        gpus == 0 ? held.without(model) : held.with(model, gpus),
        waiting);
  }

  QueueUsage having(DecayedUsage other) {
    return new QueueUsage(other, held, waiting);
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
        usage, held, after.gangs() == 0 ? waiting.without(key) : waiting.with(key, after));
  }
}
