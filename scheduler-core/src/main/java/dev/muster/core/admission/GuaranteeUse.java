package dev.muster.core.admission;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.QueueUsage;
import dev.muster.core.cluster.UsageLedger;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.MemberId;
import dev.muster.core.victims.VictimCandidate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/// Guarantee use compares the GPUs that queues use with their guarantees.
///
/// Amounts count, not gangs: a queue borrows while it uses more than its guarantee, and any of its
/// gangs may be the one that gives back. A guarantee for a GPU model compares GPUs of that model.
///
/// *Example:* a queue with a guarantee of 4 runs gangs of 1, 1 and 4 GPUs, so it borrows 2. If the
/// gangs of 1 leave, it uses 4 and falls below nothing. If the gang of 4 leaves, it falls 2 below.
///
/// @param queues the guarantees
/// @param cluster the GPUs in use
public record GuaranteeUse(Queues queues, Cluster cluster) {
  /// GPUs that leave, of the models that satisfy the condition.
  public interface Leaving {
    /// No GPUs leave.
    Leaving NONE = _ -> 0;

    /// Returns the number of these GPUs.
    int gpus(Predicate<String> model);
  }

  /// True if the queue of the gang stays within its guarantee with so many more GPUs of the gang.
  ///
  /// The guarantee of all GPUs or that of each model must cover them. If the gang may take several
  /// models, all of them must, because the model that it gets is not known yet.
  ///
  /// @param leaving GPUs of the queue that leave for the gang
  public boolean covers(Gang gang, int more, Leaving leaving) {
    List<Quota.Amount> amounts = guaranteed(gang.queue()).amounts();
    if (amounts.stream().anyMatch(amount -> amount.said().isEmpty())
        && covers(gang, more, leaving, amounts.getFirst())) {
      return true;
    }
    Collection<String> models = models(gang);
    return !models.isEmpty()
        && models.stream()
            .allMatch(model ->
                amounts.stream()
                    .filter(amount -> !amount.said().isEmpty() && amount.counts(model))
                    .anyMatch(amount -> covers(gang, more, leaving, amount)));
  }

  private boolean covers(Gang gang, int more, Leaving leaving, Quota.Amount amount) {
    int used = use(Optional.of(gang), gang.queue(), amount);
    return used - leaving.gpus(amount::counts) + more <= amount.gpus();
  }

  /// Returns the models that the gang uses or may get.
  private Collection<String> models(Gang gang) {
    UsageLedger ledger = cluster.ledger();
    GpuModelPreference choice = gang.constraints().gpus();
    List<String> models = new ArrayList<>(ledger.held(gang.id()).keys());
    ledger.supply().keys().stream().filter(choice::accepts).forEach(models::add);
    return models;
  }

  /// True if the queue of the running gang uses more than each guarantee that counts GPUs of the
  /// gang.
  public boolean borrows(Gang running) {
    List<String> held = cluster.ledger().held(running.id()).keys();
    String queue = queue(running.id());
    return guaranteed(queue).amounts().stream()
        .filter(amount -> amount.said().isEmpty() || held.stream().anyMatch(amount::counts))
        .allMatch(amount -> use(queue, amount) > amount.gpus());
  }

  /// Returns the number of GPUs by which queues fall below their guarantees when the victims leave.
  ///
  /// @param preemptors queue of the preemptor, which does not count
  public int shortfall(Collection<VictimCandidate> victims, String preemptors) {
    int sum = 0;
    for (Map.Entry<String, List<VictimCandidate>> lender : byQueue(victims).entrySet()) {
      int most = 0;
      for (Quota.Amount amount : guaranteed(lender.getKey()).amounts()) {
        int used = use(lender.getKey(), amount);
        int after = used - gpus(lender.getValue(), amount::counts);
        most = Math.max(most, Math.min(used, amount.gpus()) - after);
      }
      sum += lender.getKey().equals(preemptors) ? 0 : most;
    }
    return sum;
  }

  /// True if each victim leaves a queue that still uses more than its guarantee.
  ///
  /// The victims of a queue leave one after another, the smallest first. So at most the last one
  /// takes the queue below its guarantee.
  ///
  /// @param preemptors queue of the preemptor, which does not count
  public boolean lends(Collection<VictimCandidate> victims, String preemptors) {
    for (Map.Entry<String, List<VictimCandidate>> lender : byQueue(victims).entrySet()) {
      for (Quota.Amount amount : guaranteed(lender.getKey()).amounts()) {
        int used = use(lender.getKey(), amount);
        List<Integer> gpus =
            lender.getValue().stream()
                .map(victim -> gpus(List.of(victim), amount::counts))
                .filter(count -> count > 0)
                .sorted(Comparator.naturalOrder())
                .toList();
        int before = gpus.isEmpty() ? 0 : gpus.stream().mapToInt(n -> n).sum() - gpus.getLast();
        if (!gpus.isEmpty()
            && used - before <= amount.gpus()
            && !lender.getKey().equals(preemptors)) {
          return false;
        }
      }
    }
    return true;
  }

  /// True if a gang of a queue that these victims take below its guarantee could get GPUs back.
  ///
  /// These are gangs that wait then, the victims among them, and need no more than the guarantee.
  public boolean areReclaimable(Collection<VictimCandidate> victims) {
    for (Map.Entry<String, List<VictimCandidate>> lender : byQueue(victims).entrySet()) {
      int most = 0;
      for (Quota.Amount amount : guaranteed(lender.getKey()).amounts()) {
        int after = use(lender.getKey(), amount) - gpus(lender.getValue(), amount::counts);
        most = after < amount.gpus() ? Math.max(most, amount.gpus()) : most;
      }
      if (most > 0 && startsWithin(most, lender.getKey(), lender.getValue())) {
        return true;
      }
    }
    return false;
  }

  /// True if a gang of the queue could start or grow with so many GPUs, if these victims wait too.
  /// The victims are asked first: most answers need no look at all gangs.
  private boolean startsWithin(int gpus, String queue, List<VictimCandidate> victims) {
    return victims.stream().anyMatch(victim -> least(victim) <= gpus)
        || cluster.gangs().any(gang -> gang.queue().equals(queue) && startsWithin(gpus, gang));
  }

  private boolean startsWithin(int gpus, Gang gang) {
    if (gang.wantingCount() == 0) {
      return false;
    }
    Set<MemberId> wanting = new TreeSet<>();
    cluster.unpromised(gang).forEach(member -> wanting.add(member.id()));
    int members = Math.max(1, cluster.lacking(gang));
    return !wanting.isEmpty() && least(gang, members, wanting::contains) <= gpus;
  }

  private int least(VictimCandidate victim) {
    Gang gang = cluster.gang(victim.gang());
    return least(gang, victim.spare() ? 1 : gang.minCount(), victim.members()::contains);
  }

  /// Returns the GPUs of so many members, the smallest ones.
  private static int least(Gang gang, int members, Predicate<MemberId> among) {
    return gang.members().values().stream()
        .filter(member -> among.test(member.id()))
        .mapToInt(member -> member.request().gpus())
        .sorted()
        .limit(members)
        .sum();
  }

  private Map<String, List<VictimCandidate>> byQueue(Collection<VictimCandidate> victims) {
    Map<String, List<VictimCandidate>> byQueue = new TreeMap<>();
    for (VictimCandidate victim : victims) {
      byQueue.computeIfAbsent(queue(victim.gang()), _ -> new ArrayList<>()).add(victim);
    }
    return byQueue;
  }

  /// Returns the GPUs of these models that the victims of a queue release.
  public Leaving leaving(Collection<VictimCandidate> victims, String queue) {
    List<VictimCandidate> own = byQueue(victims).getOrDefault(queue, List.of());
    return model -> gpus(own, model);
  }

  private int gpus(Collection<VictimCandidate> victims, Predicate<String> model) {
    int gpus = 0;
    for (VictimCandidate victim : victims) {
      for (MemberId pod : victim.members()) {
        Optional<UsageLedger.PodUsage> held = cluster.ledger().podUsages().get(pod);
        gpus += held.isPresent() && model.test(held.get().model()) ? held.get().charged() : 0;
      }
    }
    return gpus;
  }

  /// Returns the account that provides the GPUs of a running gang.
  private String queue(GangId running) {
    return cluster
        .ledger()
        .gangUsages()
        .get(running)
        .map(QueueUsage.GangUsage::queue)
        .orElseGet(() -> cluster.gang(running).queue());
  }

  private Quota guaranteed(String queue) {
    return queues.find(queue).map(Queue::guaranteed).orElse(Quota.NONE);
  }

  private int use(String queue, Quota.Amount amount) {
    return use(Optional.empty(), queue, amount);
  }

  private int use(Optional<Gang> gang, String queue, Quota.Amount amount) {
    return new QueueUse(queues, cluster, gang).of(queue, amount::counts);
  }
}
