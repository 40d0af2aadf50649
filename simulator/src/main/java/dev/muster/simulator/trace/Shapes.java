package dev.muster.simulator.trace;

import dev.muster.core.gang.NodeSelection;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Resources;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/// Makes the gangs of one trace. Equal requests become one object, so that a million jobs fit in
/// memory.
final class Shapes {
  /// The resource that simulated nodes offer their GPUs as.
  static final String GPU = "nvidia.com/gpu";

  private final int perWorker;
  private final Map<Need, Request> requests = new HashMap<>();
  private final Map<Integer, Shape> ofGpus = new HashMap<>();

  /// The members of a gang.
  ///
  /// @param workers how many
  /// @param request what each asks for
  record Shape(int workers, Request request) {}

  /// What one member needs.
  ///
  /// @param gpuMilli thousandths of GPUs: a part of one, or whole ones
  /// @param cpuMilli thousandths of a core
  /// @param memory bytes
  record Need(long gpuMilli, long cpuMilli, long memory) {
    /// GPUs and nothing else that is scarce.
    static Need gpus(long count) {
      return new Need(1000 * count, 0, 0);
    }
  }

  /// @param perWorker how many GPUs a member has at most, where only the job's are known
  Shapes(int perWorker) {
    this.perWorker = perWorker;
  }

  /// Several members that need the same.
  Shape of(int workers, Need need) {
    return new Shape(workers, requests.computeIfAbsent(need, Shapes::request));
  }

  /// A job of so many GPUs, as the fewest members that are all alike: 16 are two of 8, 12 are two
  /// of 6, 20 are four of 5.
  Shape ofGpus(int gpus) {
    return ofGpus.computeIfAbsent(gpus, this::split);
  }

  private Shape split(int gpus) {
    int workers = Math.ceilDiv(gpus, perWorker);
    while (workers <= TraceJob.MOST_WORKERS && gpus % workers != 0) {
      workers++; // a job of more is refused
    }
    return of(workers, Need.gpus(gpus / workers));
  }

  /// What [#ofGpus] assumes, as a sentence.
  String assumption() {
    return "A job of more than %d GPUs is split into the fewest workers that have equally many GPUs."
        .formatted(perWorker);
  }

  /// One GPU and a half cannot be asked for: parts above one GPU are rounded up to whole ones.
  private static Request request(Need need) {
    int parts = need.gpuMilli < 1000 ? (int) need.gpuMilli : 0;
    int whole = parts > 0 ? 0 : Math.toIntExact((need.gpuMilli + 999) / 1000);
    Map<String, Long> amounts = new TreeMap<>();
    amounts.put(GPU, (long) whole);
    amounts.put(Resources.CPU, need.cpuMilli);
    amounts.put(Resources.MEMORY, need.memory);
    amounts.put(Resources.PODS, 1L);
    return new Request(Resources.of(amounts), whole, parts, NodeSelection.ANY, false);
  }
}
