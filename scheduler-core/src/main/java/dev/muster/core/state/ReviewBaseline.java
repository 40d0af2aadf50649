package dev.muster.core.state;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.collect.SortedTable.Difference;
import dev.muster.core.gang.GangId;
import dev.muster.core.node.NodeState;
import java.util.SortedSet;
import java.util.TreeSet;

/// A review baseline keeps the inputs of the last review of preemptions.
///
/// Only preemptions with an input that changed since are reviewed. The baseline is compared with
/// the present, never shown, and replaced as a whole.
///
/// Cost: O(changes · log(size)).
///
/// @param cluster the image
/// @param waiting the waiting gangs
/// @param underWay the preemptions
public record ReviewBaseline(
    Cluster cluster, WaitingGangs waiting, SortedTable<GangId, Preemption> underWay) {
  /// True if a class started or stopped waiting for capacity or quota since the review.
  public boolean isReasonOther(WaitingGangs now) {
    for (var changed : now.classes().differences(waiting.classes())) {
      if (changed.before().isPresent()
          && changed.now().isPresent()
          && changed.before().get().needsVictims() != changed.now().get().needsVictims()) {
        return true;
      }
    }
    return false;
  }

  /// Returns the gangs with a change that a preemption may depend on.
  public SortedSet<GangId> changed(
      Cluster now, WaitingGangs waits, SortedTable<GangId, Preemption> preemptions) {
    TreeSet<GangId> changed = new TreeSet<>();
    now.gangs().differences(cluster.gangs()).forEach(gang -> changed.add(gang.key()));
    now.reservations().differences(cluster.reservations()).forEach(r -> changed.add(r.key()));
    now.holds().differences(cluster.holds()).forEach(hold -> changed.add(hold.key()));
    waits.seats().differences(waiting.seats()).forEach(seat -> changed.add(seat.key()));
    now.nodes().differences(cluster.nodes()).forEach(node -> addClaimants(node, changed));
    for (var preemption : preemptions.differences(underWay)) {
      changed.add(preemption.key());
      preemption.before().ifPresent(old -> changed.addAll(old.stops().keys()));
      preemption.now().ifPresent(other -> changed.addAll(other.stops().keys()));
    }
    return changed;
  }

  /// Adds the gangs for which capacity on the node is held.
  private static void addClaimants(Difference<?, NodeState> node, SortedSet<GangId> claimants) {
    node.before().ifPresent(old -> claimants.addAll(old.shares().keys()));
    node.now().ifPresent(other -> claimants.addAll(other.shares().keys()));
  }
}
