package dev.muster.core.preempt;

import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Quota;
import dev.muster.core.admission.Rank;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.UsageLedger;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/// Guarantee coverage states which gangs are within the guarantees of their queues, in one state.
///
/// A guarantee goes to the queue's gangs in their order, and a gang that exceeds the rest is
/// skipped. So the coverage of a gang depends only on covered gangs before it, not on whether it
/// runs itself. Its preemption makes it no more entitled than before. A guarantee for a GPU model
/// covers GPUs of that model in this way.
///
/// Cost: the gangs of a queue are sorted once for each guarantee that is asked for.
final class GuaranteeCoverage {
  private final State state;
  private final Policies policies;
  private final Map<String, QueueOrder> lines = new TreeMap<>();

  GuaranteeCoverage(State state, Policies policies) {
    this.state = state;
    this.policies = policies;
  }

  /// A guarantee with the gangs that use it.
  ///
  /// @param ranks gangs with GPUs that it is for, in the queue's order
  /// @param covered covered GPUs of the gangs before each, and of all gangs
  private record QueueOrder(List<Rank> ranks, List<Integer> covered) {
    int before(Rank rank) {
      int at = Collections.binarySearch(ranks, rank);
      return covered.get(at < 0 ? -at - 1 : at);
    }
  }

  /// True if the gang with so many more GPUs is within the guarantee of its queue.
  ///
  /// The guarantee of all GPUs or that of each model must cover it. If the gang may take several
  /// models, all of them must, because the model that it gets is not known yet.
  boolean covers(Gang gang, int more) {
    Quota guaranteed =
        policies.queues().find(gang.queue()).map(Queue::guaranteed).orElse(Quota.NONE);
    if (guaranteed.gpus().isPresent()
        && covers(gang, more, "", guaranteed.gpus().get(), _ -> true)) {
      return true;
    }
    Collection<String> models = models(gang, more);
    return !guaranteed.models().isEmpty()
        && !models.isEmpty()
        && models.stream().allMatch(model -> covers(gang, more, guaranteed, model));
  }

  /// Returns the models that the gang uses or may get.
  private Collection<String> models(Gang gang, int more) {
    UsageLedger ledger = state.cluster().ledger();
    List<String> held = ledger.held(gang.id()).keys();
    if (more == 0) {
      return held;
    }
    GpuModelPreference choice = gang.constraints().gpus();
    List<String> models = new ArrayList<>(held);
    ledger.supply().keys().stream().filter(choice::accepts).forEach(models::add);
    return models;
  }

  private boolean covers(Gang gang, int more, Quota guaranteed, String model) {
    return guaranteed.models().entrySet().stream()
        .filter(said -> Quota.means(said.getKey(), model))
        .anyMatch(said ->
            covers(
                gang,
                more,
                said.getKey(),
                said.getValue(),
                other -> Quota.means(said.getKey(), other)));
  }

  /// @param said model as the guarantee names it; empty for all models
  private boolean covers(
      Gang gang, int more, String said, int guaranteed, Predicate<String> counts) {
    QueueOrder line =
        lines.computeIfAbsent(
            gang.queue() + '/' + said, _ -> line(gang.queue(), guaranteed, counts));
    return line.before(policies.order().standing(gang)) + held(gang, counts) + more <= guaranteed;
  }

  private QueueOrder line(String queue, int guaranteed, Predicate<String> counts) {
    List<Gang> holding = new ArrayList<>();
    for (Gang gang : state.cluster().gangs()) {
      if (gang.queue().equals(queue) && held(gang, counts) > 0) {
        holding.add(gang);
      }
    }
    holding.sort(Comparator.comparing(policies.order()::standing));
    List<Integer> covered = new ArrayList<>(List.of(0));
    for (Gang gang : holding) {
      int before = covered.getLast();
      int with = before + held(gang, counts);
      covered.add(with <= guaranteed ? with : before);
    }
    return new QueueOrder(holding.stream().map(policies.order()::standing).toList(), covered);
  }

  private int held(Gang gang, Predicate<String> counts) {
    return state.cluster().ledger().inUse(gang.id(), counts);
  }
}
