package dev.muster.core.state;

import dev.muster.core.admission.FairShare;
import dev.muster.core.admission.Queues;
import dev.muster.core.admission.Quorum;
import dev.muster.core.admission.QuotaGate;
import dev.muster.core.backfill.BackfillSettings;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.gang.GangId;
import dev.muster.core.victims.PreemptionPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.SortedSet;

/// The whole configuration of the brain.
///
/// @param quorum who is whole enough to try at all
/// @param quota whom its queue lets try; the order goes by these queues, too
/// @param backfill how big gangs are kept from waiting for ever behind small ones
/// @param bindTimeout how long a reservation may stay unbound before the gang is released
/// @param repairTimeout how long the place of a failed member is kept for its running gang, and how
///   long that may run without it
/// @param preemption who may be stopped for whom
public record Policies(
    Quorum quorum,
    QuotaGate quota,
    BackfillSettings backfill,
    Duration bindTimeout,
    Duration repairTimeout,
    PreemptionPolicy preemption) {
  /// How long a running gang may lack a member whose replacement finds no place.
  public static final Duration REPAIR = Duration.ofMinutes(10);

  /// No queues configured; two minutes to bind; gangs may gather for ever; nobody is stopped.
  public static final Policies DEFAULT = of(Duration.ofMinutes(2), Optional.empty());

  /// Priority, then fair share between whatever queues there are, then age, with these limits.
  ///
  /// @param bindTimeout how long a reservation may stay unbound
  /// @param patience how long a gang may lack members; absent: for ever
  public static Policies of(Duration bindTimeout, Optional<Duration> patience) {
    return of(Queues.NONE, bindTimeout, patience);
  }

  /// Priority, then fair share, then age, with these queues and limits.
  ///
  /// @param bindTimeout how long a reservation may stay unbound
  /// @param patience how long a gang may lack members; absent: for ever
  public static Policies of(Queues queues, Duration bindTimeout, Optional<Duration> patience) {
    return new Policies(
        new Quorum(patience),
        new QuotaGate(queues),
        BackfillSettings.DEFAULT,
        bindTimeout,
        REPAIR,
        PreemptionPolicy.OFF);
  }

  /// All queues.
  public Queues queues() {
    return quota.queues();
  }

  /// Whose turn comes first.
  public FairShare order() {
    return new FairShare(queues());
  }

  /// Whether a gang that lacks members since then has had its time for repair.
  public boolean isRepairOver(Instant since, Instant now) {
    return !now.isBefore(since.plus(repairTimeout));
  }

  /// A reservation without promises for the gang, with all its time to become whole.
  public Reservation reservation(GangId gang, Instant now) {
    return Reservation.open(gang, now, now.plus(bindTimeout));
  }

  /// The gang's priority as far as it counts: its queue may cap it.
  public int priority(Gang gang) {
    return queues().priority(gang);
  }

  /// The same where what others claim of these models binds nobody.
  public Policies unclaimed(SortedSet<String> models) {
    QuotaGate open = new QuotaGate(queues(), models);
    return new Policies(quorum, open, backfill, bindTimeout, repairTimeout, preemption);
  }

  /// The same with another way to backfill.
  public Policies with(BackfillSettings other) {
    return new Policies(quorum, quota, other, bindTimeout, repairTimeout, preemption);
  }

  /// The same with another time for repair.
  public Policies repairingWithin(Duration time) {
    return new Policies(quorum, quota, backfill, bindTimeout, time, preemption);
  }

  /// The same with another policy of preemption.
  public Policies with(PreemptionPolicy other) {
    return new Policies(quorum, quota, backfill, bindTimeout, repairTimeout, other);
  }
}
