package dev.muster.simulator.pack;

import dev.muster.core.gang.Resources;
import dev.muster.core.node.Node;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;

/// A node that is being filled.
final class PackNode {
  final String model;
  final long cpuCapacity;
  final long memoryCapacity;
  final int[] milli; // free on each GPU
  long cpu;
  long memory;
  int changes; // how often it was filled; results for fewer changes are outdated
  final Set<Integer> kinds = new TreeSet<>(); // of the pods here, see PackPod.kind

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
    long free = 0;
    for (int left : milli) {
      free += left;
    }
    return free;
  }

  /// GPUs that nothing uses.
  int wholeGpus() {
    int whole = 0;
    for (int left : milli) {
      whole += left == 1000 ? 1 : 0;
    }
    return whole;
  }

  /// The first GPU with exactly this much left.
  int first(int left) {
    int gpu = 0;
    while (milli[gpu] != left) {
      gpu++;
    }
    return gpu;
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
    if (pod.devices() > 0) {
      kinds.add(pod.kind());
    }
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
