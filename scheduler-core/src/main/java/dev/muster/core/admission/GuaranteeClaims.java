package dev.muster.core.admission;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.QueueUsage;
import dev.muster.core.cluster.QueueUsage.Demand;
import dev.muster.core.cluster.UsageLedger;
import dev.muster.core.cluster.UsageLedger.ModelSupply;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.MemberId;
import dev.muster.core.node.Hold;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/// The capacity that must stay free for guarantees of queues with waiting gangs that could use it.
///
/// *Goals:* a guarantee that no gang of its queue could use is lent to any other queue. A guarantee
/// that a waiting gang could use is not lent any further, even before that gang is tried.
///
/// *Algorithm:* GPUs are counted in pools.
///
/// - There is a pool for each model with a guarantee. A queue's claim on it is the part of its
///   guarantee not yet in use, limited by the demand of its waiting gangs that accept the model.
/// - There is a pool for each set of models that waiting gangs accept, of queues with an overall
///   guarantee. A queue's claim on it is the part of its overall guarantee not yet in use. It is
///   limited by the demand of the waiting gangs that accept nothing outside the pool.
///
/// A queue may take the free GPUs of a pool less the claims of other queues. (No pool must be
/// overdrawn: this is Hall's condition, checked for the sets that waiting gangs name, not for their
/// unions.)
///
/// If no waiting gang fits into the rest of its queue's guarantee, the claim is useful only
/// together with borrowed GPUs: it is *collecting*. Two collecting claims could block each other's
/// queues without end. So a collecting claim does not count against a queue that has a guarantee
/// and waiting gangs, too, and holds less for its weight. It counts while gangs are preempted for
/// one of its queue: these may be gangs of the queue that fit, and they will wait again.
///
/// Victims of preemptions count as gone, so their queue claims its guarantee. Otherwise a borrower
/// could start between two pods of a victim that leave. Of their GPUs, those that their preemptors
/// leave over count as free.
///
/// *Example:* 16 H100 and 8 A100 are free. `a` is guaranteed 12 GPUs of any model and uses 4. Its
/// gang of 10 H100 waits. The pool {H100} has a claim of 12 - 4 = 8, so another queue may borrow 8
/// H100 and all 8 A100. If the gang accepted either model, the pool would be {A100, H100}, with 24
/// free. The other queue could then borrow 16 of them, of either model.
///
/// *Cost:* paid once for an image ([ClaimsCache]). It is the number of preferences that waiting
/// gangs of claiming queues state, and the number of their distinct needs times the number of
/// pools.
final class GuaranteeClaims {
  private final Queues queues;
  private final Cluster cluster;
  private final UsageLedger ledger;
  private final List<Hold> vacated = new ArrayList<>();
  private final Set<String> vacating = new TreeSet<>();
  private final SortedMap<MemberId, UsageLedger.PodUsage> leaving = new TreeMap<>();
  private final List<Claimant> claimants = new ArrayList<>();
  private final AcceptedModels accepted;
  private final SortedMap<String, Load> loads = new TreeMap<>();

  /// Computes the claims on all pools.
  ///
  /// @param queues guarantees and weights
  /// @param cluster GPUs free, used, asked for and vacated
  /// @param earlier claims in an earlier image, if there are any
  GuaranteeClaims(Queues queues, Cluster cluster, Optional<GuaranteeClaims> earlier) {
    this.queues = queues;
    this.cluster = cluster;
    this.ledger = cluster.ledger();
    this.accepted =
        AcceptedModels.among(ledger.supply().keys(), earlier.map(claims -> claims.accepted));
    for (Hold hold : Hold.vacated(cluster.holds())) {
      vacating.add(cluster.gang(hold.gang()).queue());
      vacated.add(hold);
      hold.shares().forEach(share -> share.leavers().forEach(this::leaves));
    }
    for (Queue queue : queues.byName()) {
      QueueUsage account = ledger.accounts().get(queue.name()).orElse(null);
      if (account != null && !queue.guaranteed().isNone() && !account.waiting().isEmpty()) {
        claimants.add(new Claimant(queue, held(account, queue.name()), asks(account)));
      }
    }
    claimants.forEach(this::findPools);
  }

  private void leaves(MemberId pod) {
    ledger.podUsages().get(pod).ifPresent(held -> leaving.put(pod, held));
  }

  /// Returns the GPUs by model for which a queue is charged once all victims of preemptions have
  /// left.
  private SortedMap<String, Integer> held(QueueUsage account, String queue) {
    TreeMap<String, Integer> held = new TreeMap<>();
    account.held().entries().forEach(gpus -> held.put(gpus.key(), gpus.value()));
    account.kept().entries().forEach(gpus -> held.merge(gpus.key(), gpus.value(), Integer::sum));
    for (UsageLedger.PodUsage pod : leaving.values()) {
      if (ledger.gangUsages().contains(pod.gang(), gang -> gang.queue().equals(queue))) {
        held.merge(pod.model(), -pod.charged(), Integer::sum);
      }
    }
    return held;
  }

  /// A queue with a guarantee and waiting gangs.
  ///
  /// @param held GPUs by model for which it is charged once all victims of preemptions have left
  private record Claimant(Queue queue, SortedMap<String, Integer> held, List<Ask> asks) {
    String name() {
      return queue.name();
    }

    /// True if it holds fewer GPUs for its weight.
    boolean precedes(Claimant other) {
      long own = (long) inUse(_ -> true) * other.queue.weight();
      int side = Long.compare(own, (long) other.inUse(_ -> true) * queue.weight());
      return side == 0 ? name().compareTo(other.name()) < 0 : side < 0;
    }

    /// Returns the part of its guarantee of the pool that is not in use.
    int missing(Pool pool) {
      Quota guaranteed = queue.guaranteed();
      return pool.said()
          .map(said ->
              guaranteed.models().getOrDefault(said, 0) - inUse(model -> Quota.means(said, model)))
          .orElseGet(() -> guaranteed.gpus().orElse(0) - inUse(_ -> true));
    }

    private int inUse(Predicate<String> model) {
      return held.entrySet().stream()
          .filter(entry -> model.test(entry.getKey()))
          .mapToInt(Map.Entry::getValue)
          .sum();
    }
  }

  /// A demand for GPUs of any of these models.
  ///
  /// @param need GPUs that each gang must find at once
  private record Ask(SortedSet<String> models, int need, int gpus) {}

  /// A queue's claim on a pool.
  private record Claim(Claimant by, int gpus, boolean collects) {}

  /// A pool with its free GPUs and the claims on it.
  ///
  /// @param free number of GPUs that are free, or that victims leave over for others
  /// @param claims claims greater than 0, in the order of the queues
  private record Load(Pool pool, int free, List<Claim> claims) {}

  /// GPUs that can replace each other.
  ///
  /// @param said the guaranteed model, as configured; absent for an overall guarantee
  /// @param models models of its nodes
  record Pool(Optional<String> said, SortedSet<String> models) {
    private String key() {
      return said.map(model -> "model " + model).orElseGet(() -> models.toString());
    }

    boolean has(String model) {
      return models.contains(model);
    }

    /// Returns the model for a veto; empty if the pool has several.
    String name() {
      return said.orElseGet(() -> models.size() == 1 ? models.iterator().next() : "");
    }
  }

  Queues queues() {
    return queues;
  }

  /// Returns all pools on which there may be claims.
  List<Pool> pools() {
    return loads.values().stream().map(Load::pool).toList();
  }

  private void findPools(Claimant claimant) {
    for (String said : claimant.queue().guaranteed().models().keySet()) {
      add(new Pool(Optional.of(said), accepted.that(model -> Quota.means(said, model))));
    }
    if (claimant.queue().guaranteed().gpus().isPresent()) {
      claimant.asks().forEach(ask -> add(new Pool(Optional.empty(), ask.models())));
    }
  }

  private void add(Pool pool) {
    if (!loads.containsKey(pool.key())) {
      loads.put(pool.key(), loaded(pool));
    }
  }

  private List<Ask> asks(QueueUsage account) {
    Map<SortedSet<String>, SortedMap<Integer, Integer>> gpus = new LinkedHashMap<>();
    for (Demand demand : account.waiting()) {
      gpus.computeIfAbsent(accepted.of(demand.choice()), _ -> new TreeMap<>())
          .merge(demand.need(), demand.gpus(), Integer::sum);
    }
    gpus.remove(Collections.<String>emptySortedSet());
    List<Ask> asks = new ArrayList<>();
    gpus.forEach((models, byNeed) ->
        byNeed.forEach((need, asked) -> asks.add(new Ask(models, need, asked))));
    return asks;
  }

  /// True if these are the claims in the cluster, too.
  ///
  /// Only vacated capacity is read beside the accounts and the supply.
  @SuppressWarnings("ReferenceEquality") // unchanged tables are identical
  boolean holdFor(Cluster other) {
    return other == cluster
        || (ledger.accounts() == other.ledger().accounts()
            && ledger.supply() == other.ledger().supply()
            && vacated.isEmpty()
            && !Hold.vacated(other.holds()).iterator().hasNext());
  }

  /// Returns the number of GPUs of the pool that the queue may take despite the claims of others.
  ///
  /// It is negative if the claims exceed the free GPUs. The pool must be one of these claims'
  /// pools.
  int available(Pool pool, String borrower) {
    Load load = load(pool);
    return load.free() - against(load, borrower);
  }

  /// True if other queues have claims on the pool that count for this queue.
  ///
  /// Otherwise only the free GPUs count there, and the search decides whether they suffice.
  boolean isClaimed(Pool pool, String borrower) {
    return against(load(pool), borrower) > 0;
  }

  private Load load(Pool pool) {
    return Objects.requireNonNull(loads.get(pool.key()));
  }

  /// Returns the number of GPUs that others claim of it, as far as it counts for this queue.
  private int against(Load load, String borrower) {
    Optional<Claimant> own =
        claimants.stream().filter(claimant -> claimant.name().equals(borrower)).findFirst();
    int claimed = 0;
    for (Claim claim : load.claims()) {
      boolean yields = claim.collects() && own.filter(q -> q.precedes(claim.by())).isPresent();
      claimed += yields || claim.by().name().equals(borrower) ? 0 : claim.gpus();
    }
    return claimed;
  }

  private Load loaded(Pool pool) {
    int free = 0;
    for (String model : pool.models()) {
      free += ledger.supply().get(model).map(ModelSupply::free).orElse(0);
    }
    free += leftOver(pool);
    List<Claim> claims = new ArrayList<>();
    for (Claimant claimant : claimants) {
      Claim claim = claim(pool, claimant);
      if (claim.gpus() > 0) {
        claims.add(claim);
      }
    }
    return new Load(pool, free, claims);
  }

  /// Returns the GPUs that all victims release beyond those that their preemptors get.
  private int leftOver(Pool pool) {
    int gpus = 0;
    for (UsageLedger.PodUsage pod : leaving.values()) {
      gpus += pool.has(pod.model()) ? pod.charged() : 0;
    }
    for (Hold hold : vacated) {
      gpus -= QueueUse.vacated(cluster, hold, pool::has);
    }
    return Math.max(0, gpus);
  }

  private Claim claim(Pool pool, Claimant claimant) {
    int missing = Math.max(0, claimant.missing(pool));
    int asked = 0;
    boolean collects = !vacating.contains(claimant.name());
    for (Ask ask : claimant.asks()) {
      boolean counts =
          pool.said().isPresent()
              ? !Collections.disjoint(pool.models(), ask.models())
              : pool.models().containsAll(ask.models());
      asked += counts ? ask.gpus() : 0;
      collects &= !counts || ask.need() == 0 || ask.need() > missing;
    }
    return new Claim(claimant, Math.min(missing, asked), collects);
  }

  /// Returns the queues with waiting gangs that may take more than by the earlier claims.
  SortedSet<String> moreThan(GuaranteeClaims earlier) {
    TreeSet<String> freed = new TreeSet<>();
    boolean otherModels = !ledger.supply().keys().equals(earlier.ledger.supply().keys());
    for (Queue queue : queues.byName()) {
      boolean waits = !ledger.account(queue.name()).waiting().isEmpty();
      if (waits && (otherModels || usesLess(queue, earlier) || hasRoom(queue, earlier))) {
        freed.add(queue.name());
      }
    }
    return freed;
  }

  private boolean usesLess(Queue queue, GuaranteeClaims earlier) {
    QueueUsage before = earlier.ledger.account(queue.name());
    QueueUsage now = ledger.account(queue.name());
    boolean isLimited = !queue.maximum().isNone() || !queue.guaranteed().isNone();
    return isLimited && (isLess(now.held(), before.held()) || isLess(now.kept(), before.kept()));
  }

  private static boolean isLess(
      SortedTable<String, Integer> now, SortedTable<String, Integer> before) {
    return before.entries().stream().anyMatch(gpus -> now.get(gpus.key()).orElse(0) < gpus.value());
  }

  /// True if a pool that limited the queue is gone or now has more for it.
  private boolean hasRoom(Queue queue, GuaranteeClaims earlier) {
    return earlier.pools().stream()
        .anyMatch(pool ->
            !loads.containsKey(pool.key())
                || (earlier.isClaimed(pool, queue.name()) && !isClaimed(pool, queue.name()))
                || available(pool, queue.name()) > earlier.available(pool, queue.name()));
  }
}
