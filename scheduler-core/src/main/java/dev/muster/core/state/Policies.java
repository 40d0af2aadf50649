package dev.muster.core.state;

import dev.muster.core.admission.BudgetGate;
import dev.muster.core.admission.FairShare;
import dev.muster.core.admission.Queues;
import dev.muster.core.admission.Quorum;
import dev.muster.core.admission.QuotaGate;
import dev.muster.core.backfill.BackfillSettings;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.node.Placement;
import dev.muster.core.victims.PreemptionPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;

/// Policies are the whole configuration of the engine.
///
/// @param quorum states which gangs are complete enough to be tried
/// @param quota states which gangs their queue lets start; its queues also define the order
/// @param backfill settings that keep small gangs from delaying large ones without end
/// @param bindTimeout time for which a reservation may stay unbound before the gang is released
/// @param repairTimeout time for which the place of a failed member is kept for its running gang,
///   and for which that gang may run without the member
/// @param preemption states which gangs may be preempted for which
public record Policies(
    Quorum quorum,
    QuotaGate quota,
    BackfillSettings backfill,
    Duration bindTimeout,
    Duration repairTimeout,
    PreemptionPolicy preemption) {
  /// The time for which a running gang may lack a member whose replacement finds no place.
  public static final Duration REPAIR = Duration.ofMinutes(10);

  /// The bind timeouts after which a reservation ends although kube-scheduler did not come to it.
  public static final int BACKLOG = 10;

  /// No queues, two minutes to bind, no limit on gathering, and no preemption.
  public static final Policies DEFAULT = of(Duration.ofMinutes(2), Optional.empty());

  /// Returns policies without configured queues: priority, then fair share, then age, with these
  /// limits.
  ///
  /// @param bindTimeout time for which a reservation may stay unbound
  /// @param patience time for which a gang may lack members; absent: no limit
  public static Policies of(Duration bindTimeout, Optional<Duration> patience) {
    return of(Queues.NONE, bindTimeout, patience);
  }

  /// Returns policies with these queues and limits: priority, then fair share, then age.
  ///
  /// @param bindTimeout time for which a reservation may stay unbound
  /// @param patience time for which a gang may lack members; absent: no limit
  public static Policies of(Queues queues, Duration bindTimeout, Optional<Duration> patience) {
    return new Policies(
        new Quorum(patience),
        new QuotaGate(queues),
        BackfillSettings.DEFAULT,
        bindTimeout,
        REPAIR,
        PreemptionPolicy.OFF);
  }

  /// Returns all queues.
  public Queues queues() {
    return quota.queues();
  }

  /// Returns the order in which waiting gangs are tried.
  public FairShare order() {
    return new FairShare(queues());
  }

  /// True if the time for repair is over for a gang that lacks members since then.
  public boolean isRepairOver(Instant since, Instant now) {
    return !now.isBefore(since.plus(repairTimeout));
  }

  /// Returns a reservation without promises for the gang, with the full bind timeout ahead of it.
  public Reservation reservation(GangId gang, Instant now) {
    return Reservation.open(gang, now, now.plus(bindTimeout));
  }

  /// Returns the effective priority of the gang: its queue may cap it.
  public int priority(Gang gang) {
    return queues().priority(gang);
  }

  /// Returns an upper bound of the number of these members, in their order, that quota and budgets
  /// let start now.
  ///
  /// @param gang the gang as [QuotaGate#narrowed]
  public int most(Cluster cluster, Gang gang, List<Member> members) {
    return Math.min(quota.most(cluster, gang, members), BudgetGate.most(cluster, gang, members));
  }

  /// Returns the quota or budget that keeps the gang from this place; empty if it may take it.
  public Optional<Veto> veto(Cluster cluster, Gang gang, Placement placement) {
    return quota.veto(cluster, gang, placement).or(() -> BudgetGate.veto(cluster, gang, placement));
  }

  /// Returns these policies with guarantee claims on these models ignored.
  public Policies unclaimed(SortedSet<String> models) {
    return new Policies(
        quorum, quota.unclaimed(models), backfill, bindTimeout, repairTimeout, preemption);
  }

  /// Returns these policies with other backfill settings.
  public Policies with(BackfillSettings other) {
    return new Policies(quorum, quota, other, bindTimeout, repairTimeout, preemption);
  }

  /// Returns these policies with another repair timeout.
  public Policies repairingWithin(Duration time) {
    return new Policies(quorum, quota, backfill, bindTimeout, time, preemption);
  }

  /// Returns these policies with another preemption policy.
  public Policies with(PreemptionPolicy other) {
    return new Policies(quorum, quota, backfill, bindTimeout, repairTimeout, other);
  }
}
