package dev.muster.server.http;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.GangPhase;
import dev.muster.core.cluster.NodeState;
import dev.muster.core.engine.State;
import java.util.EnumMap;
import java.util.Map;

/// The sums over one image.
///
/// @param gangs how many gangs stand in each phase; phases without gangs may be left out
/// @param nodes how many nodes there are
/// @param freeGpus neither used nor promised
/// @param usedGpus of bound pods
/// @param promisedGpus of gangs that start
record Tally(
    Map<GangPhase, Integer> gangs, int nodes, long freeGpus, long usedGpus, long promisedGpus) {
  static Tally of(State state) {
    Cluster cluster = state.cluster();
    Map<GangPhase, Integer> gangs = new EnumMap<>(GangPhase.class);
    for (Gang gang : cluster.gangs()) {
      gangs.merge(cluster.phase(gang.id()), 1, Integer::sum);
    }
    long free = 0;
    long used = 0;
    long promised = 0;
    for (NodeState node : cluster.nodes()) {
      free += node.freeGpus();
      used += node.usedGpus();
      promised += node.promisedGpus();
    }
    return new Tally(gangs, cluster.nodes().size(), free, used, promised);
  }

  int gangs(GangPhase phase) {
    return gangs.getOrDefault(phase, 0);
  }
}
