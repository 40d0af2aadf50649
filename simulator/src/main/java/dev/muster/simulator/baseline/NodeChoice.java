package dev.muster.simulator.baseline;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The choice of the GPUs of a job. On ties the node that is listed first is taken.
public enum NodeChoice {
  /// The fewest nodes, as in the Helios simulator (Hu et al., SC'21). A job that fits one node
  /// takes the node with the fewest free GPUs that suffice. A larger job takes empty nodes whole,
  /// the largest first. The remainder comes from the other node with the most free GPUs.
  CONSOLIDATED {
    @Override
    @Nullable Allocation place(GpuRequest request, ModelPool pool, NodeFreeGpus freeGpus) {
      return blocks(request, pool, freeGpus, pool::fewest, pool::most);
    }
  },

  /// The fewest nodes, the first that suffice, as in the Muri simulator (Zhao et al., SIGCOMM'22).
  /// A job that fits one node gets one. A larger job gets empty nodes, and the first other node for
  /// the remainder.
  FIRST_FIT {
    @Override
    @Nullable Allocation place(GpuRequest request, ModelPool pool, NodeFreeGpus freeGpus) {
      return blocks(request, pool, freeGpus, pool::first, pool::first);
    }
  },

  /// Worker by worker as in the trace, each on the node with the fewest free GPUs that suffice.
  BEST_FIT {
    @Override
    @Nullable Allocation place(GpuRequest request, ModelPool pool, NodeFreeGpus freeGpus) {
      return workers(request, pool, freeGpus, pool::fewest, false);
    }
  },

  /// Worker by worker, each on the node with the most free GPUs.
  SPREAD {
    @Override
    @Nullable Allocation place(GpuRequest request, ModelPool pool, NodeFreeGpus freeGpus) {
      return workers(request, pool, freeGpus, pool::most, false);
    }
  },

  /// Worker by worker, each on a separate node, the one with the fewest free GPUs that suffice.
  ONE_WORKER_PER_NODE {
    @Override
    @Nullable Allocation place(GpuRequest request, ModelPool pool, NodeFreeGpus freeGpus) {
      return workers(request, pool, freeGpus, pool::fewest, true);
    }
  },

  /// Any free GPUs, those of the first nodes first, without regard to workers. This is the result
  /// of a scheduler that only counts GPUs.
  SCATTERED {
    @Override
    @Nullable Allocation place(GpuRequest request, ModelPool pool, NodeFreeGpus freeGpus) {
      Allocation allocation = new Allocation();
      for (int left = request.gpus(); left > 0; ) {
        int node = pool.first(1);
        int gpus = Math.min(left, freeGpus.free(node));
        allocation.add(node, gpus);
        freeGpus.take(node, gpus);
        left -= gpus;
      }
      return allocation;
    }
  };

  /// Places the request within the pool, which has enough free GPUs in total, and takes them at
  /// once. Null when there is no placement.
  abstract @Nullable Allocation place(GpuRequest request, ModelPool pool, NodeFreeGpus freeGpus);

  /// Returns the name on the command line, for example `best-fit`.
  public String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /// Returns the placement of this name.
  public static Optional<NodeChoice> byKey(String key) {
    return Arrays.stream(values()).filter(placement -> placement.key().equals(key)).findFirst();
  }

  /// Returns all names, for error messages.
  public static String keys() {
    return Arrays.stream(values()).map(NodeChoice::key).collect(Collectors.joining(", "));
  }

  private static @Nullable Allocation blocks(
      GpuRequest request,
      ModelPool pool,
      NodeFreeGpus freeGpus,
      IntUnaryOperator one,
      IntUnaryOperator rest) {
    boolean large = request.gpus() > pool.size();
    Allocation allocation = new Allocation();
    for (int left = request.gpus(); left > 0; ) {
      int node = pool.find(large ? rest : one, left);
      node = node < 0 && large ? pool.empty(left) : node;
      if (node < 0) {
        freeGpus.give(allocation);
        return null;
      }
      int gpus = Math.min(left, freeGpus.free(node));
      allocation.add(node, gpus);
      freeGpus.take(node, gpus);
      left -= gpus;
    }
    return allocation;
  }

  private static @Nullable Allocation workers(
      GpuRequest request,
      ModelPool pool,
      NodeFreeGpus freeGpus,
      IntUnaryOperator way,
      boolean apart) {
    Allocation allocation = new Allocation();
    int placed = 0;
    while (placed < request.workers()) {
      int node = pool.find(way, request.each());
      if (node < 0) {
        break;
      }
      allocation.add(node, request.each());
      freeGpus.take(node, request.each());
      if (apart) {
        freeGpus.hide(node);
      }
      placed++;
    }
    for (int i = 0; apart && i < allocation.size(); i++) {
      freeGpus.show(allocation.node(i));
    }
    if (placed < request.workers()) {
      freeGpus.give(allocation);
      return null;
    }
    return allocation;
  }
}
