package dev.muster.core.placement.request;

import dev.muster.core.cluster.DemandMix;
import dev.muster.core.cluster.DemandMix.Expected;
import dev.muster.core.cluster.RequestShape;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// How much of a node's free GPUs the requests that are to be expected cannot use: the measure of
/// fragmentation of Weng et al., "Beware of Fragmentation: Scheduling GPU-Sharing Workloads with
/// Fragmentation Gradient Descent", USENIX ATC 2023, in whole numbers.
///
/// For each expected shape, weighted by how often it comes: all free thousandths of GPUs where the
/// node cannot host one such request, for whatever reason; else those on shared GPUs that have less
/// than it needs of one.
///
/// Example: 2 and 8 GPUs are expected once each; a node has 3 GPUs free. The 2 can use them: 0. The
/// 8 cannot: 3,000. After a member of 1 GPU has gone there it is 0 + 2,000: 1,000 less. A node with
/// 8 free would have gone from 0 to 7,000.
public final class Fragmentation {
  private final List<Expected> mix;
  private final Map<String, boolean[]> accepted = new LinkedHashMap<>();
  private @Nullable String lastModel;
  private boolean @Nullable [] last;

  Fragmentation(DemandMix mix) {
    this.mix = mix.top();
  }

  /// The fragmentation of a node of this GPU model.
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

  @SuppressWarnings("ReferenceEquality") // only to ask less: equal names have equal answers
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

  /// What is free on GPUs that have less than the shape needs of one.
  private static long useless(int[] shared, RequestShape shape) {
    int needed = shape.gpus() > 0 ? 1000 : shape.gpuMilli();
    long sum = 0;
    for (int milli : shared) {
      sum += milli < needed ? milli : 0;
    }
    return sum;
  }
}
