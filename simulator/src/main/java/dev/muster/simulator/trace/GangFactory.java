package dev.muster.simulator.trace;

import dev.muster.core.gang.NodeSelection;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Resources;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/// Creates the members of the gangs of one trace.
///
/// Equal requests become one object, so that a million jobs fit in memory.
public final class GangFactory {
  /// The resource of GPUs on simulated nodes.
  static final String GPU = "nvidia.com/gpu";

  private final int perWorker;
  private final Map<Need, Request> requests = new HashMap<>();
  private final Map<Integer, Shape> ofGpus = new HashMap<>();

  /// The members of a gang.
  ///
  /// @param workers number of members
  /// @param request request of each member
  public record Shape(int workers, Request request) {}

  /// The resources that one member needs.
  ///
  /// @param gpuMilli thousandths of GPUs: a part of one, or whole ones
  /// @param cpuMilli thousandths of a core
  /// @param memory bytes
  public record Need(long gpuMilli, long cpuMilli, long memory) {
    /// Returns a need of GPUs only.
    public static Need gpus(long count) {
      return new Need(1000 * count, 0, 0);
    }
  }

  /// Creates shapes with a limit of GPUs per member.
  ///
  /// @param perWorker most GPUs of a member, where only the GPUs of the job are known
  public GangFactory(int perWorker) {
    this.perWorker = perWorker;
  }

  /// Returns the shape of members with equal needs.
  public Shape of(int workers, Need need) {
    return new Shape(workers, requests.computeIfAbsent(need, GangFactory::request));
  }

  /// Returns the shape of a job with a number of GPUs: the fewest members that are all equal.
  ///
  /// Examples for at most 8 GPUs a member: 16 are two of 8, 12 are two of 6, 20 are four of 5.
  public Shape ofGpus(int gpus) {
    return ofGpus.computeIfAbsent(gpus, this::split);
  }

  private Shape split(int gpus) {
    int workers = Math.ceilDiv(gpus, perWorker);
    while (workers <= TraceJob.MOST_WORKERS && gpus % workers != 0) {
      workers++; // jobs with more workers are rejected
    }
    return of(workers, Need.gpus(gpus / workers));
  }

  /// The assumption of [#ofGpus], as a sentence.
  public String assumption() {
    return "A job of more than %d GPUs is split into the fewest workers that have equally many GPUs."
        .formatted(perWorker);
  }

  /// Creates the request; it rounds up above one GPU, since a request such as 1.5 GPUs is
  /// impossible.
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
