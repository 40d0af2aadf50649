package dev.muster.server;

import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.UsageLedger.ModelSupply;
import java.util.Optional;

/// Warns when the queues are guaranteed more GPUs than the nodes have. This is no configuration
/// error, since nodes come and go, but not all guarantees can be met at the moment.
final class GuaranteeCheck {
  private final int guaranteed;
  private boolean exceeded;

  GuaranteeCheck(Queues queues) {
    int sum = 0;
    for (Queue queue : queues.byName()) {
      int models = queue.guaranteed().models().values().stream().mapToInt(n -> n).sum();
      sum += Math.max(models, queue.guaranteed().gpus().orElse(0));
    }
    guaranteed = sum;
  }

  /// Returns the warning once when the condition begins; a condition that ended and begins again is
  /// reported again.
  Optional<String> warning(Cluster cluster) {
    int gpus = 0;
    for (ModelSupply supply : cluster.ledger().supply()) {
      gpus += supply.gpus();
    }
    boolean known = exceeded;
    exceeded = cluster.synced() && guaranteed > gpus;
    return exceeded && !known
        ? Optional.of(
            "The queues are guaranteed %d GPUs, but the schedulable nodes have only %d. Not all guarantees can be met."
                .formatted(guaranteed, gpus))
        : Optional.empty();
  }
}
