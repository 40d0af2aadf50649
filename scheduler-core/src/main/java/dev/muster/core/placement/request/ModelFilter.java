package dev.muster.core.placement.request;

import dev.muster.core.gang.Request;
import dev.muster.core.node.DomainCapacity;
import dev.muster.core.node.DomainCapacity.Histogram;
import dev.muster.core.node.NodeKind;
import dev.muster.core.node.NodeState;
import java.util.Optional;
import java.util.function.ToLongFunction;

/// A filter of nodes by GPU model. It passes the one model that all members with GPUs get, or any
/// model.
///
/// @param only that model; absent if members may get any models, also several
public record ModelFilter(Optional<String> only) {
  /// The filter that passes any model.
  public static final ModelFilter ANY = new ModelFilter(Optional.empty());

  /// True if the node's model suits the member. Members without GPUs accept nodes of any model.
  public boolean takes(NodeState node, Request request) {
    return takes(node.kind(), request);
  }

  /// True if the model of this node kind suits the member.
  public boolean takes(NodeKind nodes, Request request) {
    return only.isEmpty() || !request.wantsGpu() || only.get().equals(nodes.model());
  }

  /// Returns the members with this many GPUs each, at least 1, that the free GPUs can hold.
  long holds(DomainCapacity capacity, int gpus) {
    long members = 0;
    for (Histogram free : capacity.byKind()) {
      members += counts(free) ? free.holds(gpus) : 0;
    }
    return members;
  }

  /// Returns the free GPUs that pass the filter, in thousandths of a GPU.
  long freeMilli(DomainCapacity capacity) {
    return only.isEmpty() ? capacity.freeMilli() : sum(capacity, Histogram::freeMilli);
  }

  /// Returns a lower bound on the nodes that the members need, judged by their GPUs. The bound is 0
  /// if members are of several kinds or need no whole GPUs.
  public int fewestNodes(DomainCapacity capacity, KindDemand demand) {
    int gpus = demand.kind(0).gpus();
    if (demand.kinds() > 1 || gpus == 0) {
      return 0;
    }
    int most = 0;
    for (Histogram free : capacity.byKind()) {
      most = Math.max(most, free.largest());
    }
    long left = demand.count(0);
    int nodes = 0;
    for (int each = most / gpus; each > 0 && left > 0; each--) {
      long here = 0;
      for (int free = each * gpus; free < (each + 1) * gpus; free++) {
        int amount = free;
        here += sum(capacity, histogram -> histogram.nodesWith(amount));
      }
      long used = Math.min(here, (left + each - 1) / each);
      nodes += (int) used;
      left -= used * each;
    }
    return nodes;
  }

  private long sum(DomainCapacity capacity, ToLongFunction<Histogram> amount) {
    long sum = 0;
    for (Histogram free : capacity.byKind()) {
      sum += counts(free) ? amount.applyAsLong(free) : 0;
    }
    return sum;
  }

  private boolean counts(Histogram free) {
    return only.isEmpty() || only.get().equals(free.kind().model());
  }

  @Override
  public String toString() {
    return only.orElse("any model");
  }
}
