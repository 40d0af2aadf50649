package dev.muster.core.cluster;

import dev.muster.core.cluster.Account.Demand;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.node.NodeState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/// Who holds how many GPUs, for whom, and who asks for more: kept entry by entry, so that an event
/// costs O(log n) for each pod that it concerns.
///
/// A gang's queue is the one that its object names, its namespace until the object was seen. What
/// it holds stays on the account that it got it from: neither deleting a PodGroup nor naming
/// another queue frees any quota.
///
/// @param halfLife in which half of the GPU time used is forgotten
/// @param charges what each pod holds, by seat or by promise; pods without GPUs are left out
/// @param positions where each gang that holds or asks for something is accounted
/// @param accounts by queue; those of which nothing is left that counts may be left out
/// @param stock what the nodes that may take pods have, by GPU model
public record Books(
    Duration halfLife,
    SortedTable<MemberId, Charge> charges,
    SortedTable<GangId, Position> positions,
    SortedTable<String, Account> accounts,
    SortedTable<String, Stock> stock) {
  /// What one pod holds.
  ///
  /// @param model as its node said when it was last seen; empty when it says nothing
  /// @param gpus at least 1
  public record Charge(GangId gang, String model, int gpus) {}

  /// Where a gang is accounted.
  ///
  /// @param queue the account
  /// @param held GPUs held, by model
  /// @param asking what it asks for while it waits whole and has hope
  /// @param hopeless whether nothing that comes free would let it start
  public record Position(
      String queue, SortedTable<String, Integer> held, Optional<Demand> asking, boolean hopeless) {}

  /// GPUs of one model on nodes that are neither cordoned nor sick.
  ///
  /// @param nodes how many nodes, at least 1
  /// @param gpus how many GPUs they have
  /// @param free how many of these are free
  public record Stock(int nodes, int gpus, int free) {}

  static Books blank(Duration halfLife) {
    return new Books(
        halfLife,
        SortedTable.empty(),
        SortedTable.empty(),
        SortedTable.empty(),
        SortedTable.empty());
  }

  /// The account of the queue; a blank one when there is none.
  public Account account(String queue) {
    Optional<Account> known = accounts.get(queue);
    return known.isPresent() ? known.get() : Account.empty(halfLife);
  }

  /// GPUs that the gang holds, by seats and promises.
  public int inUse(GangId gang) {
    return inUse(gang, _ -> true);
  }

  /// The same of the models that satisfy the condition.
  public int inUse(GangId gang, Predicate<String> model) {
    return Account.inUse(held(gang), model);
  }

  /// GPUs that the gang holds, by model.
  public SortedTable<String, Integer> held(GangId gang) {
    return positions.get(gang).map(Position::held).orElse(SortedTable.empty());
  }

  // ---- What pods hold ----

  /// The gang of a pod that holds GPUs.
  public Optional<GangId> gangOf(MemberId pod) {
    return charges.get(pod).map(Charge::gang);
  }

  /// The pod holds this now, and nothing else.
  Books charged(Gang gang, MemberId pod, Optional<Charge> charge, Instant now) {
    Optional<Charge> before = charges.get(pod);
    if (before.equals(charge)) {
      return this;
    }
    Books next = this; // first what it holds now: a gang that holds nothing has no position
    if (charge.isPresent()) {
      next = next.holding(charge.get(), charge.get().gpus(), gang.queue(), now);
    }
    if (before.isPresent()) {
      next = next.holding(before.get(), -before.get().gpus(), gang.queue(), now);
    }
    return next.charging(next.charges.with(pod, charge));
  }

  /// The node of these pods turns out to be of another model.
  Books modelled(NodeState node, Instant now) {
    String model = node.node().model().name();
    return modelled(node.occupants().keys(), model, now)
        .modelled(node.promises().keys(), model, now);
  }

  private Books modelled(Iterable<MemberId> pods, String model, Instant now) {
    Books next = this;
    for (MemberId pod : pods) {
      Optional<Charge> old = next.charges.get(pod).filter(c -> !c.model().equals(model));
      if (old.isPresent()) {
        GangId gang = old.get().gang();
        Charge charge = new Charge(gang, model, old.get().gpus());
        next = next.charged(Gang.unseen(gang), pod, Optional.of(charge), now);
      }
    }
    return next;
  }

  private Books holding(Charge charge, int more, String queue, Instant now) {
    Position old = position(charge.gang(), queue);
    int gpus = old.held().get(charge.model()).orElse(0) + more;
    var held =
        gpus == 0 ? old.held().without(charge.model()) : old.held().with(charge.model(), gpus);
    Account account = account(old.queue()).holding(charge.model(), more, now);
    return with(old.queue(), account)
        .with(charge.gang(), new Position(old.queue(), held, old.asking(), old.hopeless()));
  }

  private Position position(GangId gang, String queueIfNew) {
    Optional<Position> known = positions.get(gang);
    return known.isPresent()
        ? known.get()
        : new Position(queueIfNew, SortedTable.empty(), Optional.empty(), false);
  }

  // ---- What gangs ask for ----

  /// The gang stands like this: it is accounted to its queue, and asks for what it lacks.
  Books seen(Gang gang, Optional<Reservation> held, Instant now) {
    boolean isThere = gang.spec().isPresent() || !gang.members().isEmpty();
    boolean hopeless = isThere && position(gang.id(), gang.queue()).hopeless();
    return seen(gang, held, hopeless, now);
  }

  /// The gang stands like this; while it is without hope it asks for nothing.
  Books seen(Gang gang, Optional<Reservation> held, boolean hopeless, Instant now) {
    Position old = position(gang.id(), gang.queue());
    Optional<Demand> asking = hopeless ? Optional.empty() : asking(gang, held);
    Position moved = new Position(gang.queue(), old.held(), asking, hopeless);
    if (moved.equals(old)) {
      return this;
    }
    return moved(old, moved, now).with(gang.id(), moved);
  }

  /// What it holds goes with it to another queue, and stays on the account otherwise.
  private Books moved(Position from, Position to, Instant now) {
    if (!from.queue().equals(to.queue())) {
      Books left = with(from.queue(), leaving(account(from.queue()), from, now));
      return left.with(to.queue(), entering(left.account(to.queue()), to, now));
    }
    return from.asking().equals(to.asking())
        ? this
        : with(to.queue(), asking(withdrawing(account(to.queue()), from), to));
  }

  private static Account asking(Account account, Position position) {
    return position.asking().isPresent() ? account.asking(position.asking().get()) : account;
  }

  private static Account withdrawing(Account account, Position position) {
    return position.asking().isPresent() ? account.withdrawing(position.asking().get()) : account;
  }

  private static Account leaving(Account account, Position position, Instant now) {
    Account rest = withdrawing(account, position);
    for (String model : position.held().keys()) {
      rest = rest.holding(model, -position.held().get(model).orElse(0), now);
    }
    return rest;
  }

  private static Account entering(Account account, Position position, Instant now) {
    Account next = asking(account, position);
    for (String model : position.held().keys()) {
      next = next.holding(model, position.held().get(model).orElse(0), now);
    }
    return next;
  }

  private static Optional<Demand> asking(Gang gang, Optional<Reservation> held) {
    if (!gang.isComplete()) {
      return Optional.empty();
    }
    int most = gang.maxCount() - gang.runningCount(held);
    int least = Math.max(1, gang.lacking(held));
    int members = 0;
    int need = 0;
    int gpus = 0;
    for (Member member : gang.waiting()) {
      boolean promised = held.isPresent() && held.get().promises().contains(member.id());
      if (members < most && !promised) {
        need += members < least ? member.request().gpus() : 0;
        gpus += member.request().gpus();
        members++;
      }
    }
    return members == 0
        ? Optional.empty()
        : Optional.of(new Demand(gang.wishes().gpus(), need, 1, gpus));
  }

  // ---- What nodes have ----

  /// The books with these GPUs on nodes that may take pods, by model.
  Books stocked(SortedTable<String, Stock> changed) {
    return stock.equals(changed)
        ? this
        : new Books(halfLife, charges, positions, accounts, changed);
  }

  // ---- What time takes ----

  /// The books when time passes: once in every half-life accounts are dropped of which nothing is
  /// used, nobody waits, and what was used counts no more ([Account#isOver]).
  Books passing(Instant from, Instant until) {
    if (halfLives(from) == halfLives(until)) {
      return this;
    }
    SortedTable<String, Account> left = accounts;
    for (String queue : accounts.keys()) {
      left = account(queue).isOver(until) ? left.without(queue) : left;
    }
    return new Books(halfLife, charges, positions, left, stock);
  }

  private long halfLives(Instant at) {
    return Math.floorDiv(at.toEpochMilli(), halfLife.toMillis());
  }

  // ---- What a restart finds ----

  /// Counts the time of what runs from when it was bound, once all of it was seen: what ran before
  /// and has ended is forgotten.
  Books opened(Iterable<Gang> gangs, Instant now) {
    TreeMap<String, List<Start>> starts = new TreeMap<>();
    for (Gang gang : gangs) {
      for (Member member : gang.members()) {
        if (member.state() instanceof MemberState.Bound(_, Instant since)
            && charges.contains(member.id())) {
          starts
              .computeIfAbsent(position(gang.id(), gang.queue()).queue(), _ -> new ArrayList<>())
              .add(new Start(since.isBefore(now) ? since : now, member.request().gpus()));
        }
      }
    }
    Books next = this;
    for (String queue : accounts.keys()) {
      Usage usage = usage(starts.getOrDefault(queue, List.of()));
      Account old = next.account(queue);
      next = next.with(queue, old.having(usage.holding(old.inUse(), now)));
    }
    return next;
  }

  private record Start(Instant at, int gpus) {}

  private Usage usage(List<Start> starts) {
    Usage usage = Usage.none(halfLife);
    for (Start start : starts.stream().sorted(Comparator.comparing(Start::at)).toList()) {
      usage = usage.holding(usage.held() + start.gpus(), start.at());
    }
    return usage;
  }

  // ---- Entries ----

  private Books with(String queue, Account after) {
    return new Books(
        halfLife,
        charges,
        positions,
        after.isBlank() ? accounts.without(queue) : accounts.with(queue, after),
        stock);
  }

  private Books with(GangId gang, Position position) {
    boolean blank =
        position.held().isEmpty() && position.asking().isEmpty() && !position.hopeless();
    return new Books(
        halfLife,
        charges,
        blank ? positions.without(gang) : positions.with(gang, position),
        accounts,
        stock);
  }

  private Books charging(SortedTable<MemberId, Charge> changed) {
    return new Books(halfLife, changed, positions, accounts, stock);
  }
}
