package dev.muster.core.placement.request;

import dev.muster.core.cluster.DemandMix;
import dev.muster.core.cluster.DemandMix.Expected;
import dev.muster.core.cluster.RequestShape;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Measure of a node's free GPUs that expected requests cannot use, in whole numbers.
///
/// Source: Weng et al., "Beware of Fragmentation: Scheduling GPU-Sharing Workloads with
/// Fragmentation Gradient Descent", USENIX ATC 2023. Muster adds whole and stranded nodes.
///
/// The measure is a sum over the expected shapes, each weighted by its frequency:
///
/// - All free GPU thousandths of a node count if it has too few GPUs for one request of the shape,
///   or GPUs of another model.
/// - They count [#STRANDED] times if only CPU or memory is short. Nobody else can use such GPUs
///   either, so this is worse than to break a whole node.
/// - Otherwise the free thousandths count that lie on shared GPUs with less than the request needs
///   of one GPU.
///
/// For each expected request that accepts the node's model, a request for the whole node is
/// expected, too. So a gang with members of whole nodes finds room although none was seen before. A
/// used node is preferred to a whole one of equal size, as long as it strands nothing.
///
/// Example: requests of 2 and of 4 GPUs are expected once each. A node of 8 has 4 free GPUs. Both
/// requests can use them, but the two for the whole node cannot: 2 x 4,000. After a member of 1 GPU
/// was placed there, the request of 4 cannot use the rest: 3,000 + 2 x 3,000, which is 1,000 more.
/// An empty node would go from 0 to 2 x 7,000.
public final class Fragmentation {
  /// The weight of GPUs without CPU or memory. Measured: 4 is too little, 16 and more are alike.
  private static final long STRANDED = 16;

  private final List<Expected> mix;
  private final Map<String, boolean[]> accepted = new LinkedHashMap<>();
  private @Nullable String lastModel;
  private boolean @Nullable [] last;

  Fragmentation(DemandMix mix) {
    this.mix = mix.top();
  }

  /// Returns the fragmentation of a node with this GPU model.
  public long of(TrialNode trial, String model) {
    boolean[] accepts = accepted(model);
    long free = 1000L * trial.gpus();
    for (int milli : trial.shared()) {
      free += milli;
    }
    long sum = 0;
    long whole = 0;
    for (int i = 0; i < accepts.length && free > 0; i++) {
      Expected each = mix.get(i);
      RequestShape shape = each.shape();
      boolean hasGpus = accepts[i] && hasGpus(trial, shape);
      sum += each.count() * (hasGpus ? lost(trial, shape, free) : free);
      whole += accepts[i] ? each.count() : 0;
    }
    return trial.isWhole() ? sum : sum + whole * free;
  }

  @SuppressWarnings("ReferenceEquality") // a cache only: equal names have equal answers
  private boolean[] accepted(String model) {
    boolean[] known = model == lastModel ? last : accepted.get(model);
    if (known == null) {
      known = accepts(model);
      accepted.put(model, known);
    }
    lastModel = model;
    last = known;
    return known;
  }

  private boolean[] accepts(String model) {
    boolean[] accepts = new boolean[mix.size()];
    for (int i = 0; i < accepts.length; i++) {
      accepts[i] = mix.get(i).shape().accepts(model);
    }
    return accepts;
  }

  private static boolean hasGpus(TrialNode trial, RequestShape shape) {
    int[] shared = trial.shared();
    boolean piece =
        shape.gpuMilli() == 0
            || trial.gpus() > shape.gpus()
            || (shared.length > 0 && shared[shared.length - 1] >= shape.gpuMilli());
    return piece && trial.gpus() >= shape.gpus();
  }

  /// Returns the measure of a node that has the GPUs for the shape.
  private static long lost(TrialNode trial, RequestShape shape, long free) {
    return trial.cpu() >= shape.cpu() && trial.memory() >= shape.memory()
        ? useless(trial.shared(), shape)
        : STRANDED * free;
  }

  /// Returns the free thousandths on shared GPUs that have too little for the shape.
  private static long useless(int[] shared, RequestShape shape) {
    int needed = shape.gpus() > 0 ? 1000 : shape.gpuMilli();
    long sum = 0;
    for (int milli : shared) {
      sum += milli < needed ? milli : 0;
    }
    return sum;
  }
}
