package dev.muster.core.admission;

import dev.muster.core.cluster.Account;
import dev.muster.core.cluster.Account.Demand;
import dev.muster.core.cluster.Books;
import dev.muster.core.cluster.Books.Stock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
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
/// Example: 16 H100 and 8 A100 are free. `a` is guaranteed 12 GPUs of any model and uses 4; its
/// gang of 10 H100 waits. The pool {H100} has a claim of 12 - 4 = 8. So another queue may borrow 16
/// - 8 = 8 H100 and all 8 A100. If the gang would take either model, the pool is {A100, H100}, with
///   24 free: the other queue may borrow 16 of them, of whichever model.
///
/// @param queues what is guaranteed
/// @param books what is free, used and asked for
@SuppressWarnings("ReferenceEquality") // accounts that nothing touched are the same object
record Claims(Queues queues, Books books) {
  /// GPUs that can stand in for each other.
  ///
  /// @param said the model guaranteed, as the configuration says it; absent where the guarantee is
  ///   overall
  /// @param models the nodes' models that are in it
  record Pool(Optional<String> said, SortedSet<String> models) {
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
    TreeMap<String, Pool> pools = new TreeMap<>();
    for (Queue queue : claimants()) {
      for (String said : queue.guaranteed().models().keySet()) {
        pools.putIfAbsent(
            "model " + said, new Pool(Optional.of(said), models(m -> Quota.means(said, m))));
      }
      if (queue.guaranteed().gpus().isPresent()) {
        for (Demand demand : books.account(queue.name()).waiting()) {
          SortedSet<String> taken = models(demand.choice()::accepts);
          pools.putIfAbsent(taken.toString(), new Pool(Optional.empty(), taken));
        }
      }
    }
    return new ArrayList<>(pools.values());
  }

  /// How many more GPUs of the pool the queue may take without what is claimed by others; negative
  /// where more is claimed than free.
  int room(Pool pool, String borrower) {
    int room = 0;
    for (String model : pool.models()) {
      room += books.stock().get(model).map(Stock::free).orElse(0);
    }
    for (Queue queue : claimants()) {
      room -= queue.name().equals(borrower) ? 0 : claim(pool, queue);
    }
    return room;
  }

  private int claim(Pool pool, Queue queue) {
    Account account = books.account(queue.name());
    int missing =
        pool.said()
            .map(said ->
                queue.guaranteed().models().getOrDefault(said, 0)
                    - account.inUse(m -> Quota.means(said, m)))
            .orElseGet(() -> queue.guaranteed().gpus().orElse(0) - account.inUse());
    return missing <= 0 ? 0 : Math.min(missing, asked(pool, account));
  }

  private int asked(Pool pool, Account account) {
    int asked = 0;
    for (Demand demand : account.waiting()) {
      SortedSet<String> taken = models(demand.choice()::accepts);
      boolean counts =
          pool.said().isPresent()
              ? !Collections.disjoint(pool.models(), taken)
              : pool.models().containsAll(taken) && !taken.isEmpty();
      asked += counts ? demand.gpus() : 0;
    }
    return asked;
  }

  /// Queues with a guarantee and somebody who waits.
  private List<Queue> claimants() {
    List<Queue> claimants = new ArrayList<>();
    for (Queue queue : queues.byName()) {
      boolean claims = !queue.guaranteed().isNone() && books.accounts().contains(queue.name());
      if (claims && !books.account(queue.name()).waiting().isEmpty()) {
        claimants.add(queue);
      }
    }
    return claimants;
  }

  private SortedSet<String> models(Predicate<String> condition) {
    TreeSet<String> models = new TreeSet<>(books.stock().keys());
    models.removeIf(condition.negate());
    return models;
  }

  /// The queues with waiting gangs that may take more now than by the earlier books.
  SortedSet<String> moreThan(Claims earlier) {
    TreeSet<String> freed = new TreeSet<>();
    if (books.accounts() == earlier.books.accounts()
        && books.stock().equals(earlier.books.stock())) {
      return freed;
    }
    boolean otherModels = !books.stock().keys().equals(earlier.books.stock().keys());
    List<Pool> then = earlier.pools();
    List<Pool> now = pools();
    for (Queue queue : queues.byName()) {
      boolean waits = !books.account(queue.name()).waiting().isEmpty();
      if (waits
          && (otherModels || usesLess(queue, earlier) || hasRoom(queue, then, now, earlier))) {
        freed.add(queue.name());
      }
    }
    return freed;
  }

  private boolean usesLess(Queue queue, Claims earlier) {
    Account before = earlier.books.account(queue.name());
    Account now = books.account(queue.name());
    boolean isLimited = !queue.maximum().isNone() || !queue.guaranteed().isNone();
    return isLimited
        && before.held().keys().stream()
            .anyMatch(m -> now.held().get(m).orElse(0) < before.held().get(m).orElse(0));
  }

  /// Whether a pool that held the queue back is gone or has more room.
  private boolean hasRoom(Queue queue, List<Pool> then, List<Pool> now, Claims earlier) {
    return then.stream()
        .anyMatch(pool ->
            !now.contains(pool) || room(pool, queue.name()) > earlier.room(pool, queue.name()));
  }
}
