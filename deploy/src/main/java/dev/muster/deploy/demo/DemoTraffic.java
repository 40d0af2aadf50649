package dev.muster.deploy.demo;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Resources;
import dev.muster.core.gang.TopologyConstraint;
import dev.muster.core.node.Node;
import dev.muster.simulator.run.EventKind;
import dev.muster.simulator.run.SimulationContext;
import dev.muster.simulator.run.engine.VirtualCluster;
import dev.muster.simulator.trace.TraceJob;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The traffic after the scenario, so that the web pages have something to show. Each minute jobs
/// of four teams come, some wait, one of high priority preempts, and a node is unhealthy for a
/// while.
record DemoTraffic(SimulationContext context, VirtualCluster cluster) {
  private static final long MINUTE = 60_000;
  private static final String SICK = "node-11";

  /// A job of each minute.
  ///
  /// @param second second of the minute in which it comes
  /// @param seconds its run time
  private record Job(
      int second, String team, String name, int pods, int gpus, int priority, int seconds) {}

  private static final List<Job> JOBS =
      List.of(
          new Job(0, "vision", "resnet", 4, 8, 0, 38),
          new Job(3, "llm", "finetune", 4, 8, 0, 38),
          new Job(8, "bio", "fold", 6, 2, 0, 30),
          new Job(12, "vision", "tune", 4, 8, 0, 12),
          new Job(15, "bio", "dock", 2, 4, 0, 10),
          new Job(25, "prod", "serve", 2, 8, 100, 12));

  /// Schedules each minute from this one on, without end.
  void schedule(long from) {
    context.queue().schedule(from, EventKind.SUBMISSION, () -> minute(from));
  }

  private void minute(long from) {
    long number = from / MINUTE + 1;
    for (Job job : JOBS) {
      long at = from + Duration.ofSeconds(job.second()).toMillis();
      TraceJob trace = trace(job, number, at);
      context
          .queue()
          .schedule(
              at,
              EventKind.SUBMISSION,
              () -> cluster.submit(context.recorder().submit(trace), trace, 0));
    }
    health(from + 18_000, List.of("GpuUnhealthy"));
    health(from + 42_000, List.of());
    schedule(from + MINUTE);
  }

  private static TraceJob trace(Job job, long number, long at) {
    Resources each =
        Resources.of(
            Map.of(
                "nvidia.com/gpu",
                (long) job.gpus(),
                "cpu",
                4_000L,
                "memory",
                16L << 30,
                "pods",
                1L));
    return new TraceJob(
        "%s-%d".formatted(job.name(), number),
        "",
        job.team(),
        at,
        Duration.ofSeconds(job.seconds()).toMillis(),
        job.pods(),
        job.pods(),
        Request.of(each, job.gpus()),
        GangConstraints.of(
            TopologyConstraint.of(Optional.empty(), Optional.empty()), GpuModelPreference.ANY),
        job.priority(),
        "");
  }

  private void health(long at, List<String> faults) {
    context
        .queue()
        .schedule(
            at,
            EventKind.DECISION,
            () -> {
              for (Node node : context.fleet().nodes()) {
                if (node.id().name().equals(SICK)) {
                  cluster.add(new Event.NodeSeen(cluster.now(), node.withFaults(faults)));
                }
              }
            });
  }
}
