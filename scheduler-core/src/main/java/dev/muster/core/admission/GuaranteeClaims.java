package dev.muster.core.admission;

import dev.muster.core.cluster.QueueUsage;
import dev.muster.core.cluster.QueueUsage.Demand;
import dev.muster.core.cluster.UsageLedger;
import dev.muster.core.cluster.UsageLedger.ModelSupply;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/// What must stay free because it is guaranteed to queues in which gangs wait that could use it.
///
/// Goals: a guarantee that nobody there could use is lent to whoever comes; one that somebody could
/// use is not lent any further, even before that gang's turn.
///
/// Algorithm: GPUs are looked at in pools. For each model of which GPUs are guaranteed there is a
/// pool; its claim is, for each queue, what is missing to the guarantee, at most what the waiting
/// gangs that take the model ask for. For each set of models that waiting gangs of a queue with an
/// overall guarantee take there is a pool; its claim is, for each queue, what is missing to the
/// overall guarantee, at most what the waiting gangs ask for that take nothing outside the pool. A
/// pool's room for a queue is what is free in it less the claims of the other queues. (That no pool
/// be overdrawn is Hall's condition, checked for the sets that waiting gangs name, not for their
/// unions.)
///
/// Where no waiting gang fits into what is missing to the guarantee, the claim will not do without
/// more that must be borrowed: it is *collecting*. Two such claims could keep each other's queues
/// from that for ever, so one does not count for a queue that waits with a guarantee of its own and
/// holds less for its weight.
///
/// Example: 16 H100 and 8 A100 are free. `a` is guaranteed 12 GPUs of any model and uses 4; its
/// gang of 10 H100 waits. The pool {H100} has a claim of 12 - 4 = 8, so another queue may borrow 8
/// H100 and all 8 A100. If the gang would take either model, the pool is {A100, H100}, with 24
/// free: the other queue may borrow 16 of them, of whichever model.
///
/// Cost: once for an image, queues that claim times wishes and needs that differ times pools.
final class GuaranteeClaims {
  private final Queues queues;
  private final UsageLedger ledger;
  private final List<Claimant> claimants = new ArrayList<>();
  private final SortedMap<String, SortedSet<String>> taken = new TreeMap<>();
  private final SortedMap<String, Load> loads = new TreeMap<>();

  /// @param queues what is guaranteed
  /// @param books what is free, used and asked for
  GuaranteeClaims(Queues queues, UsageLedger ledger) {
    this.queues = queues;
    this.ledger = ledger;
    for (Queue queue : queues.byName()) {
      QueueUsage account = ledger.accounts().get(queue.name()).orElse(null);
      if (account != null && !queue.guaranteed().isNone() && !account.waiting().isEmpty()) {
        claimants.add(new Claimant(queue, account, asks(account)));
      }
    }
    claimants.forEach(this::findPools);
  }

  /// A queue with a guarantee and somebody who waits.
  private record Claimant(Queue queue, QueueUsage account, List<Ask> asks) {
    String name() {
      return queue.name();
    }

    /// Whether it holds less for its weight.
    boolean precedes(Claimant other) {
      long own = (long) account.inUse() * other.queue.weight();
      int side = Long.compare(own, (long) other.account.inUse() * queue.weight());
      return side == 0 ? name().compareTo(other.name()) < 0 : side < 0;
    }

    /// What is missing to what it is guaranteed of the pool.
    int missing(Pool pool) {
      Quota guaranteed = queue.guaranteed();
      return pool.said()
          .map(said ->
              guaranteed.models().getOrDefault(said, 0)
                  - account.inUse(model -> Quota.means(said, model)))
          .orElseGet(() -> guaranteed.gpus().orElse(0) - account.inUse());
    }
  }

  /// So many GPUs, of any of the models.
  ///
  /// @param need how many of them each gang must find at once
  private record Ask(SortedSet<String> models, int need, int gpus) {}

  /// What a queue claims of a pool.
  private record Claim(Claimant by, int gpus, boolean collects) {}

  /// A pool with what is on it.
  ///
  /// @param free what is free
  /// @param claims those of more than 0, in the order of the queues
  private record Load(Pool pool, int free, List<Claim> claims) {}

  /// GPUs that can stand in for each other.
  ///
  /// @param said the model guaranteed, as the configuration says it; absent where the guarantee is
  ///   overall
  /// @param models the nodes' models that are in it
  record Pool(Optional<String> said, SortedSet<String> models) {
    private String key() {
      return said.map(model -> "model " + model).orElseGet(() -> models.toString());
    }

    boolean has(String model) {
      return models.contains(model);
    }

    /// The model for a veto: empty when it is of several.
    String name() {
      return said.orElseGet(() -> models.size() == 1 ? models.iterator().next() : "");
    }
  }

  /// Every pool on which there may be claims.
  List<Pool> pools() {
    return loads.values().stream().map(Load::pool).toList();
  }

  private void findPools(Claimant claimant) {
    for (String said : claimant.queue().guaranteed().models().keySet()) {
      add(new Pool(Optional.of(said), models(model -> Quota.means(said, model))));
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
    List<Ask> asks = new ArrayList<>();
    for (Demand demand : account.waiting()) {
      SortedSet<String> models =
          taken.computeIfAbsent(demand.choice().toString(), _ -> models(demand.choice()::accepts));
      if (!models.isEmpty()) {
        asks.add(new Ask(models, demand.need(), demand.gpus()));
      }
    }
    return asks;
  }

  private SortedSet<String> models(Predicate<String> condition) {
    TreeSet<String> models = new TreeSet<>(ledger.supply().keys());
    models.removeIf(condition.negate());
    return models;
  }

  /// How many more GPUs of the pool, one of these claims', the queue may take without what is
  /// claimed by others; negative where more is claimed than free.
  int room(Pool pool, String borrower) {
    Load load = load(pool);
    return load.free() - against(load, borrower);
  }

  /// Whether others claim anything of the pool: if not, only what is free counts there, and whether
  /// that will do is for the search to say.
  boolean isClaimed(Pool pool, String borrower) {
    return against(load(pool), borrower) > 0;
  }

  private Load load(Pool pool) {
    return Objects.requireNonNull(loads.get(pool.key()));
  }

  /// What others claim of it that counts for this queue.
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
    List<Claim> claims = new ArrayList<>();
    for (Claimant claimant : claimants) {
      Claim claim = claim(pool, claimant);
      if (claim.gpus() > 0) {
        claims.add(claim);
      }
    }
    return new Load(pool, free, claims);
  }

  private static Claim claim(Pool pool, Claimant claimant) {
    int missing = Math.max(0, claimant.missing(pool));
    int asked = 0;
    boolean collects = true;
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

  /// The queues with waiting gangs that may take more now than by the earlier books.
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
    return isLimited
        && before.held().keys().stream()
            .anyMatch(m -> now.held().get(m).orElse(0) < before.held().get(m).orElse(0));
  }

  /// Whether a pool that held the queue back is gone or has more room.
  private boolean hasRoom(Queue queue, GuaranteeClaims earlier) {
    return earlier.pools().stream()
        .anyMatch(pool ->
            !loads.containsKey(pool.key())
                || (earlier.isClaimed(pool, queue.name()) && !isClaimed(pool, queue.name()))
                || room(pool, queue.name()) > earlier.room(pool, queue.name()));
  }
}
