package dev.muster.core.cluster;

import dev.muster.core.cluster.QueueUsage.Demand;
import dev.muster.core.cluster.QueueUsage.GangUsage;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.collect.SortedTable.Entry;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.NodeState;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/// The GPUs held and asked for, by pod, gang and queue.
///
/// It is updated entry by entry, so that an event costs O(log n) for each pod concerned.
///
/// A gang's queue is the one that is charged for it ([Gang#queue]). GPUs that it holds stay on the
/// account that provided them. So neither deleting a PodGroup nor naming another queue frees any
/// quota.
///
/// @param halfLife time in which half of the GPU time used is forgotten
/// @param podUsages GPUs that each pod holds, bound or promised; pods without GPUs are left out
/// @param gangUsages account of each gang that holds or asks for GPUs
/// @param accounts usage by queue; accounts that no longer count may be left out
/// @param supply GPUs of the nodes that accept pods, by GPU model
public record UsageLedger(
    Duration halfLife,
    SortedTable<MemberId, PodUsage> podUsages,
    SortedTable<GangId, GangUsage> gangUsages,
    SortedTable<String, QueueUsage> accounts,
    SortedTable<String, ModelSupply> supply) {
  /// The number of accounts from which those that no longer count are dropped each minute.
  static final int MANY = 1_000;

  /// The GPUs that one pod holds.
  ///
  /// @param model as its node stated when it was last seen; empty without a label
  /// @param gpus at least 1
  /// @param stranded whether it leaves a node that is not ready, so nobody confirms its end; it
  ///   keeps its GPUs there, but its queue is not charged for them
  public record PodUsage(GangId gang, String model, int gpus, boolean stranded) {
    /// Returns the GPUs for which its queue is charged.
    public int charged() {
      return stranded ? 0 : gpus;
    }
  }

  /// GPUs of one model on nodes that are neither cordoned nor faulty.
  ///
  /// @param nodes number of nodes, at least 1
  /// @param gpus number of their GPUs
  /// @param free number of free GPUs among these
  public record ModelSupply(int nodes, int gpus, int free) {}

  static UsageLedger blank(Duration halfLife) {
    return new UsageLedger(
        halfLife,
        SortedTable.empty(),
        SortedTable.empty(),
        SortedTable.empty(),
        SortedTable.empty());
  }

  /// Returns the account of the queue; an empty one if none exists.
  public QueueUsage account(String queue) {
    Optional<QueueUsage> known = accounts.get(queue);
    return known.isPresent() ? known.get() : QueueUsage.empty(halfLife);
  }

  /// Returns the number of GPUs that the gang holds, bound or promised.
  public int inUse(GangId gang) {
    return inUse(gang, _ -> true);
  }

  /// Returns the number of GPUs that the gang holds, of the models that satisfy the condition.
  public int inUse(GangId gang, Predicate<String> model) {
    return QueueUsage.sum(held(gang), model);
  }

  /// Returns the GPUs that the gang holds, by model.
  public SortedTable<String, Integer> held(GangId gang) {
    return gangUsages.get(gang).map(GangUsage::held).orElse(SortedTable.empty());
  }

  /// Returns the GPUs that the gang has lost since it was whole, while it has time for repair.
  /// Claims and budgets do not keep it from as many.
  public int lost(GangId gang) {
    return gangUsages.get(gang).map(usage -> Math.max(0, usage.whole() - usage.inUse())).orElse(0);
  }

  /// Returns the ledger in which the gang is whole with what it holds.
  UsageLedger withoutLoss(GangId gang) {
    Optional<GangUsage> usage = gangUsages.get(gang);
    return usage.map(it -> with(gang, it.having(it.held(), it.inUse()))).orElse(this);
  }

  // ---- GPUs of pods ----

  /// Returns the gang of a pod that holds GPUs.
  public Optional<GangId> gangOf(MemberId pod) {
    return podUsages.get(pod).map(PodUsage::gang);
  }

  /// Returns the usage of a pod that holds GPUs of the node. If that is absent (not seen yet, or
  /// gone), the GPU model stays the last known one.
  PodUsage usage(Member pod, NodeId node, NodeInventory nodes) {
    Optional<String> there = nodes.get(node).map(state -> state.node().model().name());
    String model = there.or(() -> podUsages.get(pod.id()).map(PodUsage::model)).orElse("");
    return new PodUsage(pod.gang(), model, pod.request().gpus(), nodes.isStranded(pod, node));
  }

  /// Returns the ledger with the pod's usage replaced. A gang without the pod ends no usage of the
  /// gang that has it now.
  UsageLedger charged(Gang gang, MemberId pod, Optional<PodUsage> podUsage, Instant now) {
    Optional<PodUsage> before = podUsages.get(pod);
    boolean isOfOther = before.isPresent() && !before.get().gang().equals(gang.id());
    if (before.equals(podUsage) || (podUsage.isEmpty() && isOfOther)) {
      return this;
    }
    UsageLedger next = this; // new usage first: a gang without GPUs has no account
    if (podUsage.isPresent()) {
      next = next.holding(podUsage.get(), podUsage.get().charged(), gang.queue(), now);
    }
    if (before.isPresent()) {
      next = next.holding(before.get(), -before.get().charged(), gang.queue(), now);
    }
    if (isOfOther) { // what runs on in another gang is not lost
      GangUsage left = next.gangUsage(before.get().gang(), gang.queue());
      int whole = Math.max(0, left.whole() - before.get().charged());
      next = next.with(before.get().gang(), left.having(left.held(), whole));
    }
    return next.charging(next.podUsages.with(pod, podUsage));
  }

  /// Returns the ledger after the node's GPU model became known or changed.
  UsageLedger withModel(NodeState node, Instant now) {
    String model = node.node().model().name();
    return withModel(node.occupants().keys(), model, now)
        .withModel(node.promises().keys(), model, now);
  }

  private UsageLedger withModel(Iterable<MemberId> pods, String model, Instant now) {
    UsageLedger next = this;
    for (MemberId pod : pods) {
      Optional<PodUsage> old = next.podUsages.get(pod).filter(c -> !c.model().equals(model));
      if (old.isPresent()) {
        GangId gang = old.get().gang();
        PodUsage podUsage = new PodUsage(gang, model, old.get().gpus(), old.get().stranded());
        next = next.charged(Gang.unseen(gang), pod, Optional.of(podUsage), now);
      }
    }
    return next;
  }

  private UsageLedger holding(PodUsage podUsage, int more, String queue, Instant now) {
    GangUsage old = gangUsage(podUsage.gang(), queue);
    var held = QueueUsage.plus(old.held(), podUsage.model(), more);
    QueueUsage account = account(old.queue()).holding(podUsage.model(), more, now);
    return with(old.queue(), account).with(podUsage.gang(), old.having(held, old.whole()));
  }

  private GangUsage gangUsage(GangId gang, String queueIfNew) {
    Optional<GangUsage> known = gangUsages.get(gang);
    return known.isPresent()
        ? known.get()
        : new GangUsage(
            queueIfNew, SortedTable.empty(), SortedTable.empty(), Optional.empty(), false, 0);
  }

  /// Returns the ledger with these GPUs kept for lost members of the gang, by model.
  UsageLedger keeping(Gang gang, SortedTable<String, Integer> kept, Instant now) {
    GangUsage old = gangUsage(gang.id(), gang.queue());
    if (kept.equals(old.kept())) {
      return this;
    }
    QueueUsage account = keeping(account(old.queue()), old.kept(), -1, now);
    return with(old.queue(), keeping(account, kept, 1, now)).with(gang.id(), old.keeping(kept));
  }

  private static QueueUsage keeping(
      QueueUsage account, SortedTable<String, Integer> kept, int times, Instant now) {
    QueueUsage next = account;
    for (Entry<String, Integer> entry : kept.entries()) {
      next = next.keeping(entry.key(), times * entry.value(), now);
    }
    return next;
  }

  // ---- Demand of gangs ----

  /// Returns the ledger with the gang accounted to its queue, and its demand updated.
  UsageLedger seen(Gang gang, Optional<Reservation> held, Instant now) {
    boolean isThere = gang.spec().isPresent() || !gang.members().isEmpty();
    boolean hopeless = isThere && gangUsage(gang.id(), gang.queue()).hopeless();
    return seen(gang, held, hopeless, now);
  }

  /// Returns the ledger with the gang accounted to its queue. A hopeless gang asks for nothing.
  UsageLedger seen(Gang gang, Optional<Reservation> held, boolean hopeless, Instant now) {
    GangUsage old = gangUsage(gang.id(), gang.queue());
    Optional<Demand> asking = hopeless ? Optional.empty() : Demand.of(gang, held);
    boolean began = gang.boundCount() > 0 || held.isPresent();
    int whole = gang.isShort(held) ? old.whole() : began ? old.inUse() : 0;
    whole = gang.spec().isEmpty() ? Math.min(whole, old.whole()) : whole;
    GangUsage moved = new GangUsage(gang.queue(), old.held(), old.kept(), asking, hopeless, whole);
    if (moved.equals(old)) {
      return this;
    }
    return moved(old, moved, now).with(gang.id(), moved);
  }

  /// Moves the GPUs of a gang to its new queue; without a change of queue updates the demand alone.
  private UsageLedger moved(GangUsage from, GangUsage to, Instant now) {
    if (!from.queue().equals(to.queue())) {
      QueueUsage rest = withdrawing(account(from.queue()), from);
      UsageLedger left = with(from.queue(), moving(rest, from, -1, now));
      return left.with(to.queue(), moving(asking(left.account(to.queue()), to), to, 1, now));
    }
    return from.asking().equals(to.asking())
        ? this
        : with(to.queue(), asking(withdrawing(account(to.queue()), from), to));
  }

  private static QueueUsage asking(QueueUsage account, GangUsage gangUsage) {
    return gangUsage.asking().isPresent() ? account.asking(gangUsage.asking().get()) : account;
  }

  private static QueueUsage withdrawing(QueueUsage account, GangUsage gangUsage) {
    return gangUsage.asking().isPresent() ? account.withdrawing(gangUsage.asking().get()) : account;
  }

  private static QueueUsage moving(QueueUsage account, GangUsage gang, int times, Instant now) {
    QueueUsage next = keeping(account, gang.kept(), times, now);
    for (Entry<String, Integer> held : gang.held().entries()) {
      next = next.holding(held.key(), times * held.value(), now);
    }
    return next;
  }

  // ---- GPUs of nodes ----

  /// Returns the ledger with these GPUs on nodes that accept pods, by model.
  UsageLedger withSupply(SortedTable<String, ModelSupply> changed) {
    return supply.equals(changed)
        ? this
        : new UsageLedger(halfLife, podUsages, gangUsages, accounts, changed);
  }

  // ---- Passing of time ----

  /// Returns the ledger after a time has passed.
  ///
  /// Once in every half-life it drops the accounts that no longer count. With more than [#MANY]
  /// accounts it does so each minute: where no queues are listed, a pod may name any queue.
  UsageLedger passing(Instant from, Instant until) {
    Duration interval = accounts.size() > MANY ? Duration.ofMinutes(1) : halfLife;
    return periods(from, interval) == periods(until, interval)
        ? this
        : new UsageLedger(
            halfLife, podUsages, gangUsages, QueueUsage.counting(accounts, until), supply);
  }

  private static long periods(Instant at, Duration length) {
    return Math.floorDiv(at.toEpochMilli(), length.toMillis());
  }

  // ---- Restart ----

  /// Returns the ledger once all objects were seen after a start.
  ///
  /// GPU time of running pods counts from their binding. Pods that ended before are forgotten.
  UsageLedger opened(Iterable<Gang> gangs, Instant now) {
    TreeMap<String, TreeMap<Instant, Integer>> starts = new TreeMap<>();
    for (Gang gang : gangs) {
      for (Member member : gang.members()) {
        if (member.state() instanceof MemberState.Bound(_, Instant since)
            && podUsages.contains(member.id())) {
          starts
              .computeIfAbsent(gangUsage(gang.id(), gang.queue()).queue(), _ -> new TreeMap<>())
              .merge(since.isBefore(now) ? since : now, member.request().gpus(), Integer::sum);
        }
      }
    }
    UsageLedger next = withWhole(gangs);
    for (String queue : accounts.keys()) {
      DecayedUsage usage = DecayedUsage.none(halfLife);
      for (var start : starts.getOrDefault(queue, new TreeMap<>()).entrySet()) {
        usage = usage.holding(usage.held() + start.getValue(), start.getKey());
      }
      QueueUsage old = next.account(queue);
      next = next.with(queue, old.having(usage.holding(old.usage().held(), now)));
    }
    return next;
  }

  /// Returns the ledger with the GPUs that each gang lost which lacks members or was starting.
  private UsageLedger withWhole(Iterable<Gang> gangs) {
    UsageLedger next = this;
    for (Gang gang : gangs) {
      if (gang.boundCount() == 0 || gang.isBroken(Optional.empty())) {
        GangUsage was = next.gangUsage(gang.id(), gang.queue());
        int left = gang.boundCount() == 0 ? 0 : was.inUse(); // terminating pods count as lost
        long whole = Math.max(left, PastRun.boundGpus(gang) + PastRun.lostGpus(gang));
        next =
            next.with(gang.id(), was.having(was.held(), Math.clamp(whole, 0, Integer.MAX_VALUE)));
      }
    }
    return next;
  }

  // ---- Entries ----

  private UsageLedger with(String queue, QueueUsage after) {
    return new UsageLedger(
        halfLife,
        podUsages,
        gangUsages,
        after.isBlank() ? accounts.without(queue) : accounts.with(queue, after),
        supply);
  }

  private UsageLedger with(GangId gang, GangUsage gangUsage) {
    boolean blank =
        gangUsage.held().isEmpty()
            && gangUsage.kept().isEmpty()
            && gangUsage.asking().isEmpty()
            && !gangUsage.hopeless()
            && gangUsage.whole() == 0;
    return new UsageLedger(
        halfLife,
        podUsages,
        blank ? gangUsages.without(gang) : gangUsages.with(gang, gangUsage),
        accounts,
        supply);
  }

  private UsageLedger charging(SortedTable<MemberId, PodUsage> changed) {
    return new UsageLedger(halfLife, changed, gangUsages, accounts, supply);
  }
}
