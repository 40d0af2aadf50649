package dev.muster.simulator.pack;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Fragmentation gradient descent chooses the node and GPU on which the pod adds the least
/// fragmentation.
///
/// The score is 50 where fragmentation stays equal. A whole GPU more or less makes 26 or 73, as a
/// logistic function flattens large differences. Scores are whole numbers, so the first of several
/// similar nodes is taken.
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

  /// The score of a pod on this GPU.
  private record Step(int score, int gpu) {}

  GradientDescent(Fragments fragments) {
    this.fragments = fragments;
  }

  @Override
  public boolean put(PackPod pod, List<PackNode> boxes) {
    PackPod shape = pod.withoutMemory();
    PackNode best = null;
    Step highest = new Step(-1, -1);
    for (PackNode box : boxes) {
      if (box.fits(pod)) {
        Step step = step(box, shape);
        if (step.score() > highest.score()) {
          best = box;
          highest = step;
        }
      }
    }
    if (best != null) {
      best.put(pod, highest.gpu());
    }
    return best != null;
  }

  private Step step(PackNode box, PackPod shape) {
    Known of = known.get(box);
    if (of == null || of.changes != box.changes) {
      of = new Known(box.changes, fragments.of(box));
      known.put(box, of);
    }
    double now = of.now;
    return of.steps.computeIfAbsent(shape, _ -> best(box, shape, now));
  }

  private Step best(PackNode box, PackPod shape, double now) {
    if (shape.devices() != 1) {
      return new Step(score(now, box.trying(shape, 0, fragments::of)), 0);
    }
    Step best = new Step(-1, -1);
    for (int gpu = 0; gpu < box.milli.length; gpu++) {
      if (box.milli[gpu] >= shape.milli() && box.first(box.milli[gpu]) == gpu) {
        int score = score(now, box.trying(shape, gpu, fragments::of));
        best = score > best.score() ? new Step(score, gpu) : best;
      }
    }
    return best;
  }

  /// Returns the score of a change of fragmentation, in thousandths of GPUs.
  static int score(double before, double after) {
    return (int) (1 / (1 + Math.exp((after - before) / 1000)) * 100);
  }
}
