package dev.muster.core.admission;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.fit.Veto;
import java.util.Optional;

/// May the gang try at all? Asked before any place is looked for.
@FunctionalInterface
public interface AdmissionGate {
  /// Why the gang may not try now; empty when it may.
  Optional<Veto> veto(Cluster cluster, Gang gang);
}
