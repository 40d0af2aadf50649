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
/// Fragmentation Gradient Descent", USENIX ATC 2023.
///
/// The measure is a sum over the expected shapes, each weighted by its frequency. If the node
/// cannot host one request of the shape, for any reason, all its free GPU thousandths count.
/// Otherwise the free thousandths count that lie on shared GPUs with less than the request needs of
/// one GPU.
///
/// Example: requests of 2 and of 8 GPUs are expected once each. A node has 3 free GPUs. The request
/// of 2 can use them: 0. The request of 8 cannot: 3,000. After a member of 1 GPU was placed there,
/// the measure is 0 + 2,000, which is 1,000 less. A node with 8 free GPUs would go from 0 to 7,000.
public final class Fragmentation {
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
    int[] shared = trial.shared();
    long whole = 1000L * trial.gpus();
    for (int milli : shared) {
      whole += milli;
    }
    long sum = 0;
    for (int i = 0; i < accepts.length && whole > 0; i++) {
      Expected each = mix.get(i);
      RequestShape shape = each.shape();
      boolean hosts = accepts[i] && hosts(trial, shape);
      sum += each.count() * (hosts ? useless(shared, shape) : whole);
    }
    return sum;
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

  private static boolean hosts(TrialNode trial, RequestShape shape) {
    int[] shared = trial.shared();
    boolean piece =
        shape.gpuMilli() == 0
            || trial.gpus() > shape.gpus()
            || (shared.length > 0 && shared[shared.length - 1] >= shape.gpuMilli());
    return piece
        && trial.gpus() >= shape.gpus()
        && trial.cpu() >= shape.cpu()
        && trial.memory() >= shape.memory();
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
