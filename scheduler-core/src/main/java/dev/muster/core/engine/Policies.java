package dev.muster.core.engine;

import dev.muster.core.admission.AdmissionGate;
import dev.muster.core.admission.GangOrder;
import dev.muster.core.admission.Quorum;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// The whole configuration of the brain.
///
/// @param order whose turn comes first
/// @param gates who may try at all, asked in this order
/// @param bindTimeout how long a reservation may stay unbound before the gang is released
public record Policies(GangOrder order, List<AdmissionGate> gates, Duration bindTimeout) {
  /// Priority, then age; two minutes to bind; gangs may gather for ever.
  public static final Policies DEFAULT = of(Duration.ofMinutes(2), Optional.empty());

  public Policies {
    gates = List.copyOf(gates);
  }

  /// Priority, then age, with these limits.
  ///
  /// @param bindTimeout how long a reservation may stay unbound
  /// @param patience how long a gang may lack members; absent: for ever
  public static Policies of(Duration bindTimeout, Optional<Duration> patience) {
    return new Policies(GangOrder.PRIORITY_THEN_AGE, List.of(new Quorum(patience)), bindTimeout);
  }
}
