package dev.muster.core.cycle;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.DomainCapacity.Histogram;
import dev.muster.core.node.Hold;
import dev.muster.core.node.MaxFreeCapacity;
import dev.muster.core.node.NodeState;
import dev.muster.core.state.WaitClass;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/// Headroom sums the free GPUs of the cluster, withheld ones included.
///
/// The sums rule out most waiting gangs of a wake set without a search for each.
///
/// Example: a pod with 8 GPUs has ended. A waiting gang of 128 such pods could use its node, but
/// only 40 nodes have 8 free GPUs. So no search is needed.
final class Headroom {
  private final Cluster cluster;
  private final List<NodeState> withheld;
  private final Map<String, Long> milliByModel = new TreeMap<>();
  private final Map<Integer, Map<String, Long>> heldByModel = new TreeMap<>();
  private final Map<Integer, Long> moreByGpus = new TreeMap<>();
  private final long withheldMilli;

  Headroom(Cluster cluster) {
    this.cluster = cluster;
    this.withheld = withheld(cluster);
    this.withheldMilli = withheld.stream().mapToLong(n -> 1000L * n.withheld().gpus()).sum();
    cluster
        .fabric()
        .capacity()
        .byKind()
        .forEach(free -> milliByModel.merge(free.kind().model(), free.freeMilli(), Long::sum));
    withheld.forEach(
        node -> milliByModel.merge(node.kind().model(), 1000L * node.withheld().gpus(), Long::sum));
  }

  private static List<NodeState> withheld(Cluster cluster) {
    TreeSet<NodeId> ids = new TreeSet<>();
    for (Hold hold : cluster.holds()) {
      ids.addAll(hold.shares().keys());
    }
    List<NodeState> nodes = new ArrayList<>();
    ids.forEach(
        id -> cluster.nodes().get(id).filter(n -> n.withheld().gpus() > 0).ifPresent(nodes::add));
    return nodes;
  }

  /// True if the need may fit; otherwise no search would find a placement.
  boolean mayHold(WaitClass.Need need) {
    return need.gpuMilli() == 0 || (isInModels(need) && isInDomain(need));
  }

  private boolean isInModels(WaitClass.Need need) {
    long milli = 0;
    long held = 0;
    for (Map.Entry<String, Long> free : milliByModel.entrySet()) {
      if (need.models().accepts(free.getKey())) {
        milli = need.models().mixed() ? milli + free.getValue() : free.getValue();
        long here = need.gpus() == 0 ? need.members() : held(need.gpus(), free.getKey());
        held = need.models().mixed() ? held + here : here;
        if (milli >= need.gpuMilli() && held >= need.members()) {
          return true;
        }
      }
    }
    return false;
  }

  /// Returns the number of members of so many GPUs each that fit on the nodes of the model.
  private long held(int gpus, String model) {
    return heldByModel.computeIfAbsent(gpus, this::held).getOrDefault(model, 0L);
  }

  private Map<String, Long> held(int gpus) {
    Map<String, Long> held = new TreeMap<>();
    for (Histogram free : cluster.fabric().capacity().byKind()) {
      held.merge(free.kind().model(), (long) free.holds(gpus), Long::sum);
    }
    withheld.forEach(node -> held.merge(node.kind().model(), more(gpus, node), Long::sum));
    return held;
  }

  /// Returns the number of additional members that fit on the node with the withheld GPUs.
  private static long more(int gpus, NodeState node) {
    int all = node.freeGpus() + node.withheld().gpus();
    return (long) (all / gpus) - node.freeGpus() / gpus;
  }

  private long more(int gpus) {
    return moreByGpus.computeIfAbsent(
        gpus, size -> withheld.stream().mapToLong(node -> more(size, node)).sum());
  }

  private boolean isInDomain(WaitClass.Need need) {
    if (need.depth() == 0) {
      return true;
    }
    MaxFreeCapacity maxFree = cluster.fabric().maxFree(need.depth());
    long milli = maxFree.freeMilli() + withheldMilli;
    long held = need.gpus() == 0 ? need.members() : maxFree.holds(need.gpus()) + more(need.gpus());
    return milli >= need.gpuMilli() && held >= need.members();
  }
}
