package dev.muster.core.engine;

import dev.muster.core.admission.AdmissionGate;
import dev.muster.core.admission.FairShare;
import dev.muster.core.admission.GangOrder;
import dev.muster.core.admission.Queues;
import dev.muster.core.admission.Quorum;
import dev.muster.core.admission.QuotaGate;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// The whole configuration of the brain.
///
/// @param queues all queues; order and gates go by them
/// @param order whose turn comes first
/// @param gates who may try at all, asked in this order
/// @param bindTimeout how long a reservation may stay unbound before the gang is released
public record Policies(
    Queues queues, GangOrder order, List<AdmissionGate> gates, Duration bindTimeout) {
  /// No queues configured; two minutes to bind; gangs may gather for ever.
  public static final Policies DEFAULT = of(Duration.ofMinutes(2), Optional.empty());

  public Policies {
    gates = List.copyOf(gates);
  }

  /// Priority, then fair share, then age, with these limits; no queues configured.
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
        bindTimeout);
  }

  /// The limits of the queues.
  public QuotaGate quota() {
    return new QuotaGate(queues);
  }
}
