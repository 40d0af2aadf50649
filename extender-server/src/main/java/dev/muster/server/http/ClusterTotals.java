package dev.muster.server.http;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.GangPhase;
import dev.muster.core.decision.Explanation;
import dev.muster.core.decision.ReasonText;
import dev.muster.core.gang.Member;
import dev.muster.core.node.NodeState;
import dev.muster.core.state.State;
import java.util.EnumMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// Totals of one image.
///
/// @param gangs number of gangs in each phase; phases without gangs may be missing
/// @param nodes number of nodes
/// @param freeGpus GPUs neither used nor promised, also those kept for a gang
/// @param usedGpus GPUs of bound pods
/// @param promisedGpus GPUs promised to gangs that start
/// @param waiting waiting gangs by reason token; reasons without gangs are missing
record ClusterTotals(
    Map<GangPhase, Integer> gangs,
    int nodes,
    long freeGpus,
    long usedGpus,
    long promisedGpus,
    SortedMap<String, Waiting> waiting) {
  /// The gangs that wait for one reason.
  ///
  /// @param gangs number of gangs
  /// @param gpus GPUs requested by their pods without a promise
  record Waiting(int gangs, long gpus) {
    Waiting plus(Waiting other) {
      return new Waiting(gangs + other.gangs, gpus + other.gpus);
    }
  }

  static ClusterTotals of(State state) {
    Cluster cluster = state.cluster();
    Map<GangPhase, Integer> gangs = new EnumMap<>(GangPhase.class);
    SortedMap<String, Waiting> waiting = new TreeMap<>();
    for (Gang gang : cluster.gangs()) {
      gangs.merge(cluster.phase(gang.id()), 1, Integer::sum);
      state
          .why(gang.id())
          .flatMap(Explanation::main)
          .map(ReasonText::token)
          .ifPresent(reason -> waiting.merge(reason, waiting(cluster, gang), Waiting::plus));
    }
    long free = 0;
    long used = 0;
    long promised = 0;
    for (NodeState node : cluster.nodes()) {
      free += node.unpromisedGpus();
      used += node.usedGpus();
      promised += node.promisedGpus();
    }
    return new ClusterTotals(gangs, cluster.nodes().size(), free, used, promised, waiting);
  }

  private static Waiting waiting(Cluster cluster, Gang gang) {
    long gpus = 0;
    for (Member member : cluster.unpromised(gang)) {
      gpus += member.request().gpus();
    }
    return new Waiting(1, gpus);
  }

  int gangs(GangPhase phase) {
    return gangs.getOrDefault(phase, 0);
  }
}
