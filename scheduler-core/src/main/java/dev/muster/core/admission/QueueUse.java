package dev.muster.core.admission;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.UsageLedger;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.Hold;
import dev.muster.core.node.NodeState;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/// Queue use is the number of GPUs that a queue uses, as one gang must count them.
///
/// GPUs that are vacated for a gang count for its queue before the gang has started. Otherwise two
/// gangs of one queue could each have others stopped for the same quota. Where the GPUs of the
/// queue itself leave for the gang, they count once. A gang of higher priority need not count
/// vacated GPUs, unless they are reclaimed for a guarantee.
///
/// GPUs that are kept for a lost member count as those of the member did. Otherwise a queue could
/// keep more GPUs from others than it may use. Those of the gang itself do not count for it, since
/// its replacement takes their place.
///
/// @param queues priority ceilings
/// @param cluster the GPUs in use
/// @param gang the gang that counts; absent if it is not known
record QueueUse(Queues queues, Cluster cluster, Optional<Gang> gang) {
  /// Returns the GPUs of these models that the queue uses.
  int of(String queue, Predicate<String> model) {
    int gpus = cluster.ledger().account(queue).charged(model) - own(queue, model);
    Set<MemberId> leaving = new TreeSet<>();
    for (Hold hold : Hold.vacated(cluster.holds())) {
      if (counts(hold, queue)) {
        gpus += Math.max(0, vacated(cluster, hold, model) - charged(hold, queue, model, leaving));
      }
    }
    return gpus;
  }

  /// Returns the GPUs for which the queue is charged and that are kept for lost members of the
  /// gang.
  private int own(String queue, Predicate<String> model) {
    return gang.flatMap(it -> cluster.ledger().gangUsages().get(it.id()))
        .filter(it -> it.queue().equals(queue))
        .map(it -> it.kept(model))
        .orElse(0);
  }

  private boolean counts(Hold hold, String queue) {
    Gang holder = cluster.gang(hold.gang());
    return holder.queue().equals(queue)
        && gang.filter(own ->
                own.id().equals(holder.id())
                    || (hold.yieldsToHigher() && queues.priority(own) > queues.priority(holder)))
            .isEmpty();
  }

  /// Returns the GPUs that the queue is still charged for, and that leave for the hold. The gang
  /// gets them once they have left, so they must not count twice.
  ///
  /// @param counted pods that leave for holds before this one
  private int charged(Hold hold, String queue, Predicate<String> model, Set<MemberId> counted) {
    UsageLedger ledger = cluster.ledger();
    int gpus = 0;
    for (Hold.Share share : hold.shares()) {
      for (MemberId pod : share.leavers()) {
        Optional<UsageLedger.PodUsage> held = ledger.podUsages().get(pod);
        boolean meant =
            held.isPresent()
                && model.test(held.get().model())
                && ledger.gangUsages().contains(held.get().gang(), g -> g.queue().equals(queue));
        gpus += meant && counted.add(pod) ? held.get().charged() : 0;
      }
    }
    return gpus;
  }

  /// Returns the GPUs of these models that are kept by a hold, on nodes that exist.
  static int vacated(Cluster cluster, Hold hold, Predicate<String> model) {
    int gpus = 0;
    for (NodeId id : hold.shares().keys()) {
      Optional<NodeState> node = cluster.nodes().get(id);
      boolean meant = node.isPresent() && model.test(node.get().node().model().name());
      gpus += meant ? hold.shares().get(id).orElseThrow().needs().gpus() : 0;
    }
    return gpus;
  }
}
