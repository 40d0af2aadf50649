package dev.muster.simulator.kit;

import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Resources;
import dev.muster.core.gang.TopologyConstraint;
import dev.muster.simulator.trace.TraceJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Parses jobs, one line each: `name submit+run~stated WORKERSxGPUS queue`. Times are in seconds.
/// The stated run time and the queue are optional: `a 0+100 2x8`.
public final class TraceJobs {
  private TraceJobs() {}

  /// The jobs of the lines.
  public static List<TraceJob> of(String lines) {
    List<TraceJob> jobs = new ArrayList<>();
    lines.lines().filter(line -> !line.isBlank()).map(TraceJobs::job).forEach(jobs::add);
    return jobs;
  }

  private static TraceJob job(String line) {
    String[] words = line.strip().split(" +", -1);
    String[] times = words[1].split("[+~]", -1);
    Optional<Duration> stated =
        times.length > 2
            ? Optional.of(Duration.ofSeconds(Long.parseLong(times[2])))
            : Optional.empty();
    String[] size = words[2].split("x", -1);
    String queue = words.length > 3 ? words[3] : "";
    return new TraceJob(
        words[0],
        "",
        queue,
        1000 * Long.parseLong(times[0]),
        1000 * Long.parseLong(times[1]),
        Integer.parseInt(size[0]),
        Integer.parseInt(size[0]),
        gpus(Integer.parseInt(size[1])),
        new GangConstraints(TopologyConstraint.NONE, GpuModelPreference.ANY, stated),
        0,
        "");
  }

  /// A request for GPUs alone.
  public static Request gpus(int gpus) {
    return Request.of(
        Resources.of(Map.of("nvidia.com/gpu", (long) gpus, Resources.PODS, 1L)), gpus);
  }
}
