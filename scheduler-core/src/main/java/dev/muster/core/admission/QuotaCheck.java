package dev.muster.core.admission;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.QueueUsage;
import dev.muster.core.cluster.UsageLedger;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.victims.QuotaShortage;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/// A quota check compares the GPUs that one gang would take with the limits of its queue.
record QuotaCheck(
    GuaranteeClaims claims, SortedSet<String> unclaimed, Queue queue, Cluster cluster, Gang gang) {
  static QuotaCheck of(QuotaGate gate, Queue queue, Cluster cluster, Gang gang) {
    return new QuotaCheck(gate.claims().of(cluster), gate.unclaimed(), queue, cluster, gang);
  }

  /// Returns the reason why no model is open; empty if one is, or if no node has an accepted model.
  Optional<Veto> refusal(int need) {
    List<Veto> refusals = refusals(need);
    return refusals.size() < models().size() ? Optional.empty() : QuotaGate.first(refusals);
  }

  /// Returns the reason for each closed model, in the gang's order of preference.
  List<Veto> refusals(int need) {
    return models().stream().flatMap(model -> refusal(take(model, need)).stream()).toList();
  }

  /// Returns an upper bound of the GPUs that the gang may take, at most as many as it wants.
  ///
  /// A mix may take from each model as many as that model alone permits.
  int most(int wanted) {
    List<String> models = models();
    long most = models.isEmpty() ? wanted : 0;
    for (String model : models) {
      int here = most(model, wanted);
      most = gang.constraints().gpus().mixed() ? most + here : Math.max(most, here);
    }
    int left = queue.maximum().gpus().map(max -> Math.max(0, max - used(_ -> true))).orElse(wanted);
    return (int) Math.min(most, Math.min(left, wanted));
  }

  /// Returns the largest permitted number of GPUs of one model, by bisection: fewer are permitted
  /// where more are.
  private int most(String model, int wanted) {
    if (refusal(take(model, wanted)).isEmpty()) {
      return wanted;
    }
    int permitted = 0;
    int refused = wanted;
    while (refused - permitted > 1) {
      int middle = (permitted + refused) >>> 1;
      boolean may = refusal(take(model, middle)).isEmpty();
      permitted = may ? middle : permitted;
      refused = may ? refused : middle;
    }
    return permitted;
  }

  SortedSet<String> closed(int need) {
    TreeSet<String> closed = new TreeSet<>();
    for (String model : models()) {
      if (refusal(take(model, need)).isPresent()) {
        closed.add(model);
      }
    }
    return closed;
  }

  /// Returns the accepted models that nodes have, in the gang's order of preference.
  private List<String> models() {
    GpuModelPreference choice = gang.constraints().gpus();
    List<String> models = new ArrayList<>(cluster.ledger().supply().keys());
    models.removeIf(model -> !choice.accepts(model));
    models.sort(Comparator.comparingInt(choice::rank));
    return models;
  }

  static SortedMap<String, Integer> take(String model, int gpus) {
    TreeMap<String, Integer> take = new TreeMap<>();
    take.put(model, gpus);
    return take;
  }

  Optional<Veto> refusal(SortedMap<String, Integer> take) {
    boolean bound = !isRepair(take) && !unclaimed.containsAll(take.keySet());
    return overMaximum(take).or(() -> bound ? overClaims(take) : Optional.empty());
  }

  /// True if the gang runs, and then has no more GPUs than before it lost members.
  ///
  /// No gang is stopped for a claim, so a gang that lost a member may replace it.
  private boolean isRepair(SortedMap<String, Integer> take) {
    return gang.boundCount() > 0 && sum(take, _ -> true) <= cluster.ledger().lost(gang.id());
  }

  private Optional<Veto> overMaximum(SortedMap<String, Integer> take) {
    Optional<Veto> overall = queue.maximum().gpus().flatMap(max -> over("", max, take, _ -> true));
    if (overall.isPresent()) {
      return overall;
    }
    for (Map.Entry<String, Integer> limit : queue.maximum().models().entrySet()) {
      String said = limit.getKey();
      Optional<Veto> over = over(said, limit.getValue(), take, m -> Quota.means(said, m));
      if (over.isPresent()) {
        return over;
      }
    }
    return Optional.empty();
  }

  private Optional<Veto> over(
      String said, int max, SortedMap<String, Integer> take, Predicate<String> counts) {
    int asked = sum(take, counts);
    int used = used(counts);
    if (asked == 0 || used + asked <= max) {
      return Optional.empty();
    }
    int own = cluster.ledger().inUse(gang.id(), counts) - leaving(counts);
    return Optional.of(
        own + asked > max
            ? new Veto.TooBigForQueue(queue.name(), said, own + asked, max)
            : new Veto.OverQuota(queue.name(), said, asked, used, max));
  }

  /// Returns the GPUs that must leave before the gang may take these.
  List<QuotaShortage> shortages(SortedMap<String, Integer> take) {
    List<QuotaShortage> shortages = new ArrayList<>();
    for (Quota.Amount limit : queue.maximum().amounts()) {
      int asked = sum(take, limit::counts);
      int over = asked == 0 ? 0 : used(limit::counts) + asked - limit.gpus();
      add(Optional.of(queue.name()), limit::counts, over, shortages);
    }
    for (GuaranteeClaims.Pool pool : claims.pools()) {
      int asked = isRepair(take) ? 0 : sum(take, pool::has);
      boolean claimed = asked > 0 && claims.isClaimed(pool, queue.name());
      if (claimed && !isGuaranteed(pool, take)) {
        add(Optional.empty(), pool::has, asked - room(pool), shortages);
      }
    }
    return shortages;
  }

  private void add(
      Optional<String> from, Predicate<String> counts, int gpus, List<QuotaShortage> shortages) {
    if (gpus > 0) {
      TreeSet<String> models = new TreeSet<>(cluster.ledger().supply().keys());
      models.addAll(account().held().keys());
      models.removeIf(counts.negate());
      shortages.add(new QuotaShortage(from, models, gpus));
    }
  }

  /// Returns the number of GPUs that the gang's own terminating pods still hold and will release.
  private int leaving(Predicate<String> counts) {
    int gpus = 0;
    for (Member member : gang.active()) {
      boolean leaves = member.state() instanceof MemberState.Leaving;
      Optional<UsageLedger.PodUsage> held =
          leaves ? cluster.ledger().podUsages().get(member.id()) : Optional.empty();
      gpus += held.isPresent() && counts.test(held.get().model()) ? held.get().charged() : 0;
    }
    return gpus;
  }

  private Optional<Veto> overClaims(SortedMap<String, Integer> take) {
    for (GuaranteeClaims.Pool pool : claims.pools()) {
      int asked = claims.isClaimed(pool, queue.name()) ? sum(take, pool::has) : 0;
      int room = asked == 0 ? 0 : room(pool);
      if (asked > room && !isGuaranteed(pool, take)) {
        int used = used(pool::has);
        return Optional.of(
            new Veto.OverQuota(queue.name(), pool.name(), asked, used, used + Math.max(0, room)));
      }
    }
    return Optional.empty();
  }

  /// Returns the GPUs of the pool that the queue may borrow beyond those vacated for others of its
  /// gangs.
  private int room(GuaranteeClaims.Pool pool) {
    int vacated = used(pool::has) - cluster.ledger().account(queue.name()).inUse(pool::has);
    return claims.available(pool, queue.name()) - vacated;
  }

  /// True if the GPUs taken of the pool are within the queue's own guarantee there.
  ///
  /// GPUs that are vacated for others of its gangs count as used.
  private boolean isGuaranteed(GuaranteeClaims.Pool pool, SortedMap<String, Integer> take) {
    if (pool.said().isPresent()) {
      return isGuaranteed(pool, take, said -> Quota.means(pool.said().get(), said));
    }
    int overall = queue.guaranteed().gpus().orElse(0);
    return used(_ -> true) + sum(take, _ -> true) <= overall || isGuaranteed(pool, take, _ -> true);
  }

  /// True if a guarantee of the queue that counts covers each of the models.
  private boolean isGuaranteed(
      GuaranteeClaims.Pool pool, SortedMap<String, Integer> take, Predicate<String> counts) {
    return take.keySet().stream()
        .filter(pool::has)
        .allMatch(model ->
            queue.guaranteed().models().keySet().stream()
                .filter(said -> counts.test(said) && Quota.means(said, model))
                .anyMatch(said -> isGuaranteed(said, take)));
  }

  private boolean isGuaranteed(String said, SortedMap<String, Integer> take) {
    Predicate<String> meant = model -> Quota.means(said, model);
    int guaranteed = queue.guaranteed().models().getOrDefault(said, 0);
    return used(meant) + sum(take, meant) <= guaranteed;
  }

  private QueueUsage account() {
    return cluster.ledger().account(queue.name());
  }

  private int used(Predicate<String> counts) {
    return new QueueUse(claims.queues(), cluster, Optional.of(gang)).of(queue.name(), counts);
  }

  private static int sum(SortedMap<String, Integer> take, Predicate<String> counts) {
    int sum = 0;
    for (Map.Entry<String, Integer> entry : take.entrySet()) {
      sum += counts.test(entry.getKey()) ? entry.getValue() : 0;
    }
    return sum;
  }
}
