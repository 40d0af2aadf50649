package dev.muster.server.metrics;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.node.NodeState;
import dev.muster.core.node.TopologyDomain;
import dev.muster.core.topology.Topology;
import io.micrometer.core.instrument.Tags;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/// Sums of the GPUs of a cluster, in one walk from its nodes up over the domains.
final class GpuTally {
  /// The model of GPUs whose node states none.
  private static final String UNKNOWN = "unknown";

  private final Topology topology;
  private final Map<Tags, Integer> byState = new HashMap<>();
  private final Map<Tags, Integer> largest = new HashMap<>();

  private GpuTally(Topology topology) {
    this.topology = topology;
  }

  static GpuTally of(Cluster cluster) {
    GpuTally tally = new GpuTally(cluster.topology());
    var _ = tally.free(cluster.fabric());
    return tally;
  }

  /// Returns the GPUs by model and state.
  Map<Tags, Integer> byState() {
    return byState;
  }

  /// Returns the most free GPUs of any one domain, by level and model.
  Map<Tags, Integer> largest() {
    return largest;
  }

  /// Returns the free GPUs of each model in the domain, after all of it is counted.
  private Map<String, Integer> free(TopologyDomain domain) {
    Map<String, Integer> free = new TreeMap<>();
    for (NodeState node : domain.nodes()) {
      if (node.node().gpus() > 0) {
        String model = count(node);
        free.merge(model, available(node), Integer::sum);
      }
    }
    for (TopologyDomain child : domain.children()) {
      free(child).forEach((model, sum) -> free.merge(model, sum, Integer::sum));
    }
    free.forEach((model, sum) -> top(domain.path().depth(), model, sum));
    return free;
  }

  /// Counts the node alone, and returns its model.
  private String count(NodeState node) {
    String name = node.node().model().name();
    String model = name.isEmpty() ? UNKNOWN : name;
    add(model, "used", node.usedGpus());
    add(model, "promised", node.promisedGpus());
    add(model, takesPods(node) ? "free" : "out", node.unpromisedGpus());
    top(topology.nodeDepth(), model, available(node));
    return model;
  }

  private void add(String model, String state, int gpus) {
    byState.merge(Tags.of("model", model, "state", state), gpus, Integer::sum);
  }

  private void top(int depth, String model, int gpus) {
    largest.merge(Tags.of("level", topology.nameAt(depth), "model", model), gpus, Math::max);
  }

  private static boolean takesPods(NodeState node) {
    return node.node().faults().isEmpty() && !node.node().cordoned();
  }

  private static int available(NodeState node) {
    return takesPods(node) ? node.unpromisedGpus() : 0;
  }
}
