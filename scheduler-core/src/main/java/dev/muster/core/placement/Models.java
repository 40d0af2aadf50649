package dev.muster.core.placement;

import dev.muster.core.cluster.Capacity;
import dev.muster.core.cluster.NodeState;
import dev.muster.core.gang.Request;
import java.util.Optional;

/// The GPU model that all members with GPUs get; any, even several, where it is absent.
record Models(Optional<String> only) {
  /// Whatever comes.
  static final Models ANY = new Models(Optional.empty());

  /// Members without GPUs go to nodes of any model.
  boolean takes(NodeState node, Request request) {
    return only.isEmpty() || !request.wantsGpu() || only.get().equals(node.node().model().name());
  }

  /// How many members with so many GPUs each, at least 1, could find them here.
  long holds(Capacity capacity, int gpus) {
    if (only.isPresent()) {
      return capacity.byModel().get(only.get()).map(free -> free.holds(gpus)).orElse(0);
    }
    long members = 0;
    for (Capacity.Histogram free : capacity.byModel()) {
      members += free.holds(gpus);
    }
    return members;
  }

  /// All that is free here, in thousandths of a GPU.
  long freeMilli(Capacity capacity) {
    if (only.isPresent()) {
      return capacity.byModel().get(only.get()).map(Capacity.Histogram::freeMilli).orElse(0L);
    }
    long milli = 0;
    for (Capacity.Histogram free : capacity.byModel()) {
      milli += free.freeMilli();
    }
    return milli;
  }

  @Override
  public String toString() {
    return only.orElse("any model");
  }
}
