package dev.muster.core.engine;

import dev.muster.core.admission.AdmissionGate;
import dev.muster.core.admission.Backfill;
import dev.muster.core.admission.FairShare;
import dev.muster.core.admission.GangOrder;
import dev.muster.core.admission.Queues;
import dev.muster.core.admission.Quorum;
import dev.muster.core.admission.QuotaGate;
import dev.muster.core.cluster.Gang;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.preemption.PreemptionPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;

/// The whole configuration of the brain.
///
/// @param queues all queues; order and gates go by them
/// @param order whose turn comes first
/// @param gates who may try at all, asked in this order
/// @param backfill how big gangs are kept from waiting for ever behind small ones
/// @param bindTimeout how long a reservation may stay unbound before the gang is released
/// @param repairTimeout how long the place of a failed member is kept for its running gang, and how
///   long that may run without it
/// @param preemption who may be stopped for whom
public record Policies(
    Queues queues,
    GangOrder order,
    List<AdmissionGate> gates,
    Backfill backfill,
    Duration bindTimeout,
    Duration repairTimeout,
    PreemptionPolicy preemption) {
  /// How long a running gang may lack a member whose replacement finds no place.
  public static final Duration REPAIR = Duration.ofMinutes(10);

  /// No queues configured; two minutes to bind; gangs may gather for ever; nobody is stopped.
  public static final Policies DEFAULT = of(Duration.ofMinutes(2), Optional.empty());

  public Policies {
    gates = List.copyOf(gates);
  }

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
        queues,
        new FairShare(queues),
        List.of(new Quorum(patience), new QuotaGate(queues)),
        Backfill.DEFAULT,
        bindTimeout,
        REPAIR,
        PreemptionPolicy.OFF);
  }

  /// How long a reservation of the gang may stay unbound: its own say comes first.
  Duration bindTimeout(Gang gang) {
    return gang.spec().flatMap(GangSpec::bindTimeout).orElse(bindTimeout);
  }

  /// The gang's priority as far as it counts: its queue may cap it.
  public int priority(Gang gang) {
    return order.standing(gang).priority();
  }

  /// The limits of the queues.
  public QuotaGate quota() {
    for (AdmissionGate gate : gates) {
      if (gate instanceof QuotaGate quota) {
        return quota;
      }
    }
    return new QuotaGate(queues);
  }

  /// The same where what others claim of these models binds nobody.
  Policies unclaimed(SortedSet<String> models) {
    List<AdmissionGate> open =
        gates.stream()
            .map(gate -> gate instanceof QuotaGate ? new QuotaGate(queues, models) : gate)
            .toList();
    return with(open);
  }

  /// The same with another order.
  public Policies with(GangOrder other) {
    return new Policies(queues, other, gates, backfill, bindTimeout, repairTimeout, preemption);
  }

  /// The same with other gates.
  public Policies with(List<AdmissionGate> others) {
    return new Policies(queues, order, others, backfill, bindTimeout, repairTimeout, preemption);
  }

  /// The same with another way to backfill.
  public Policies with(Backfill other) {
    return new Policies(queues, order, gates, other, bindTimeout, repairTimeout, preemption);
  }

  /// The same with another time for repair.
  public Policies repairingWithin(Duration time) {
    return new Policies(queues, order, gates, backfill, bindTimeout, time, preemption);
  }

  /// The same with another policy of preemption.
  public Policies with(PreemptionPolicy other) {
    return new Policies(queues, order, gates, backfill, bindTimeout, repairTimeout, other);
  }
}
