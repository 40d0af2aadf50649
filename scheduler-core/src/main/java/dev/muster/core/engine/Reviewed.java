package dev.muster.core.engine;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.NodeState;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.collect.SortedTable.Difference;
import dev.muster.core.gang.GangId;
import java.util.SortedSet;
import java.util.TreeSet;

/// What was true when the preemptions were last reviewed: only those on which something hangs that
/// has changed since are to be reviewed again.
///
/// Cost: what has changed times the logarithm of what there is.
///
/// @param cluster the image
/// @param waiting who waited for what
/// @param underWay the preemptions
record Reviewed(Cluster cluster, Waiting waiting, SortedTable<GangId, Preemption> underWay) {
  static Reviewed of(State state) {
    return new Reviewed(state.cluster(), state.waiting(), state.preemptions().underWay());
  }

  /// For whom others are stopped and that is to be reviewed: whatever has changed its mind about
  /// one, and all at a tick, since time has passed, and where the policy is another one.
  static SortedSet<GangId> due(Event event, State state) {
    boolean all =
        event instanceof Event.Tick
            || event instanceof Event.PolicyChanged
            || event instanceof Event.Synced;
    return state
        .preemptions()
        .reviewed()
        .filter(old -> !all && !old.isReasonOther(state.waiting()))
        .map(old -> old.touched(state))
        .orElseGet(() -> new TreeSet<>(state.preemptions().underWay().keys()));
  }

  /// Whether some class waits for room that did not, or the other way round.
  private boolean isReasonOther(Waiting now) {
    for (var changed : now.classes().differences(waiting.classes())) {
      if (changed.before().isPresent()
          && changed.now().isPresent()
          && changed.before().get().needsRoom() != changed.now().get().needsRoom()) {
        return true;
      }
    }
    return false;
  }

  private SortedSet<GangId> touched(State state) {
    Cluster now = state.cluster();
    TreeSet<GangId> changed = new TreeSet<>();
    now.gangs().differences(cluster.gangs()).forEach(gang -> changed.add(gang.key()));
    now.reservations().differences(cluster.reservations()).forEach(r -> changed.add(r.key()));
    now.holds().differences(cluster.holds()).forEach(hold -> changed.add(hold.key()));
    state.waiting().seats().differences(waiting.seats()).forEach(seat -> changed.add(seat.key()));
    now.nodes().differences(cluster.nodes()).forEach(node -> addClaimants(node, changed));
    for (var preemption : state.preemptions().underWay().differences(underWay)) {
      changed.add(preemption.key());
      preemption.before().ifPresent(old -> changed.addAll(old.stops().keys()));
      preemption.now().ifPresent(other -> changed.addAll(other.stops().keys()));
    }
    return stopping(changed, state.preemptions());
  }

  /// Those for whom something is kept on the node.
  private static void addClaimants(Difference<?, NodeState> node, SortedSet<GangId> claimants) {
    node.before().ifPresent(old -> claimants.addAll(old.claims().keys()));
    node.now().ifPresent(other -> claimants.addAll(other.claims().keys()));
  }

  /// Those of the gangs for whom others are stopped, and those for whom one of them is.
  private static SortedSet<GangId> stopping(SortedSet<GangId> gangs, Preemptions preemptions) {
    TreeSet<GangId> stopping = new TreeSet<>();
    for (GangId gang : gangs) {
      if (preemptions.underWay().contains(gang)) {
        stopping.add(gang);
      }
      preemptions.by(gang).ifPresent(preemption -> stopping.add(preemption.gang()));
    }
    return stopping;
  }
}
