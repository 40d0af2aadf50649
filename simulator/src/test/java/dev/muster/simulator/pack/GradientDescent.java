package dev.muster.simulator.pack;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Fragmentation gradient descent chooses the node and GPU on which the pod adds the least
/// fragmentation.
///
/// What a node would come to is worked out once for each shape of pod and kept until the node
/// changes.
///
/// Source: Weng et al., USENIX ATC 2023 (FGD).
final class GradientDescent implements Packer {
  private final Fragments fragments;
  private final Map<PackNode, Known> known = new HashMap<>();

  /// Results computed for a node after a number of changes.
  private static final class Known {
    private final int changes;
    private final double now;
    private final Map<PackPod, Step> steps = new HashMap<>();

    Known(int changes, double now) {
      this.changes = changes;
      this.now = now;
    }
  }

  /// By how much the fragmentation grows if a pod goes to this GPU.
  private record Step(double growth, int gpu) {}

  GradientDescent(Fragments fragments) {
    this.fragments = fragments;
  }

  @Override
  public boolean put(PackPod pod, List<PackNode> boxes) {
    PackNode best = null;
    Step least = new Step(Double.POSITIVE_INFINITY, -1);
    for (PackNode box : boxes) {
      if (box.fits(pod)) {
        Step step = step(box, pod);
        if (step.growth() < least.growth()) {
          best = box;
          least = step;
        }
      }
    }
    if (best != null) {
      best.put(pod, least.gpu());
    }
    return best != null;
  }

  private Step step(PackNode box, PackPod pod) {
    Known of = known.get(box);
    if (of == null || of.changes != box.changes) {
      of = new Known(box.changes, fragments.of(box));
      known.put(box, of);
    }
    double now = of.now;
    return of.steps.computeIfAbsent(pod, _ -> best(box, pod, now));
  }

  private Step best(PackNode box, PackPod pod, double now) {
    if (pod.devices() != 1) {
      return new Step(box.trying(pod, 0, fragments::of) - now, 0);
    }
    Step best = new Step(Double.POSITIVE_INFINITY, -1);
    for (int gpu = 0; gpu < box.milli.length; gpu++) {
      if (box.milli[gpu] >= pod.milli()) {
        double growth = box.trying(pod, gpu, fragments::of) - now;
        best = growth < best.growth() ? new Step(growth, gpu) : best;
      }
    }
    return best;
  }
}
