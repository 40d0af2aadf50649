package dev.muster.simulator.pack;

import dev.muster.core.gang.Resources;
import dev.muster.core.node.Node;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/// A node that is being filled.
final class PackNode {
  final String model;
  final long cpuCapacity;
  final long memoryCapacity;
  final int[] milli; // free on each GPU
  long cpu;
  long memory;
  int changes; // how often it was filled: what was worked out before is outdated
  private final Map<Integer, Integer> alike = new HashMap<>();

  PackNode(Node node) {
    this.model = node.model().name();
    this.cpu = node.allocatable().get(Resources.CPU);
    this.memory = node.allocatable().get(Resources.MEMORY);
    this.cpuCapacity = cpu;
    this.memoryCapacity = memory;
    this.milli = new int[node.gpus()];
    Arrays.fill(milli, 1000);
  }

  /// Thousandths of GPUs that are free.
  long free() {
    return Arrays.stream(milli).sum();
  }

  boolean isIdle() {
    return changes == 0;
  }

  /// Whether the pod has room here.
  boolean fits(PackPod pod) {
    return cpu >= pod.cpuMilli()
        && memory >= pod.memory()
        && (pod.devices() == 0 || (pod.choice().accepts(model) && devices(pod) >= pod.devices()));
  }

  private int devices(PackPod pod) {
    int enough = 0;
    for (int left : milli) {
      enough += left >= pod.milli() ? 1 : 0;
    }
    return enough;
  }

  /// The GPU on which a part fits most tightly, the first of those; -1 where none fits.
  int tightest(int part) {
    int best = -1;
    for (int gpu = 0; gpu < milli.length; gpu++) {
      boolean fits = milli[gpu] >= part;
      best = fits && (best < 0 || milli[gpu] < milli[best]) ? gpu : best;
    }
    return best;
  }

  /// Puts the pod here; a part goes to the tightest GPU.
  void put(PackPod pod) {
    put(pod, pod.devices() == 1 ? tightest(pod.milli()) : 0);
  }

  /// Puts the pod here, one GPU onto this one, several onto the first that are free.
  void put(PackPod pod, int gpu) {
    take(pod, gpu);
    changes++;
    alike.merge(pod.devices() * 1000 + pod.milli() - 1, 1, Integer::sum);
  }

  /// Returns the number of pods with an equal GPU request here.
  int alike(PackPod pod) {
    return alike.getOrDefault(pod.devices() * 1000 + pod.milli() - 1, 0);
  }

  /// Returns the value of `use` with the pod here, on this GPU.
  double trying(PackPod pod, int gpu, ToDoubleFunction<PackNode> use) {
    int[] before = milli.clone();
    take(pod, gpu);
    double found = use.applyAsDouble(this);
    System.arraycopy(before, 0, milli, 0, milli.length);
    cpu += pod.cpuMilli();
    memory += pod.memory();
    return found;
  }

  private void take(PackPod pod, int gpu) {
    cpu -= pod.cpuMilli();
    memory -= pod.memory();
    int left = pod.devices();
    for (int i = pod.devices() == 1 ? gpu : 0; left > 0; i++) {
      if (milli[i] >= pod.milli()) {
        milli[i] -= pod.milli();
        left--;
      }
    }
  }
}
