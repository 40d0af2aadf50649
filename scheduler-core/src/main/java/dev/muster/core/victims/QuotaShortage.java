package dev.muster.core.victims;

import dev.muster.core.cluster.UsageLedger;
import dev.muster.core.gang.MemberId;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/// A quota shortage is a number of GPUs that must leave before the quota admits a preemptor.
///
/// @param queue the queue whose gangs must leave; absent if any GPUs count that become free
/// @param models GPU models that count
/// @param gpus number of GPUs, at least 1
public record QuotaShortage(Optional<String> queue, SortedSet<String> models, int gpus) {
  public QuotaShortage {
    models = Collections.unmodifiableSortedSet(new TreeSet<>(models));
  }

  /// Returns the GPUs by which the departure of the candidate reduces the shortage.
  int reducedBy(VictimCandidate candidate, UsageLedger ledger) {
    boolean counts =
        queue.isEmpty()
            || ledger
                .gangUsages()
                .get(candidate.gang())
                .filter(usage -> usage.queue().equals(queue.get()))
                .isPresent();
    int reduced = 0;
    for (MemberId pod : candidate.members()) {
      Optional<UsageLedger.PodUsage> held = ledger.podUsages().get(pod);
      boolean meant = held.isPresent() && models.contains(held.get().model());
      reduced += counts && meant ? held.get().charged() : 0;
    }
    return reduced;
  }
}
