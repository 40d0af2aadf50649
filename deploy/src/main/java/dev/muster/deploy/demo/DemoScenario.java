package dev.muster.deploy.demo;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Resources;
import dev.muster.core.gang.TopologyConstraint;
import dev.muster.core.node.GpuModel;
import dev.muster.core.node.Node;
import dev.muster.core.topology.Topology;
import dev.muster.core.topology.TopologyLevel;
import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.run.EventKind;
import dev.muster.simulator.run.SimulationContext;
import dev.muster.simulator.run.engine.VirtualCluster;
import dev.muster.simulator.trace.TraceJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// The fabric and the gangs of the demo: each gang shows one feature.
final class DemoScenario {
  private static final String GPU = "nvidia.com/gpu";
  private static final String NAMESPACE = "ml";
  private static final Duration LATE = Duration.ofSeconds(4);

  /// Blocks of racks.
  static final Topology TOPOLOGY =
      new Topology(
          List.of(
              new TopologyLevel("block", "demo/block"), new TopologyLevel("rack", "demo/rack")));

  /// The end of the last gang.
  static final Duration LENGTH = Duration.ofSeconds(32);

  private final SimulationContext context;
  private final VirtualCluster cluster;

  private DemoScenario(SimulationContext context, VirtualCluster cluster) {
    this.context = context;
    this.cluster = cluster;
  }

  /// Returns the fabric: two racks of large nodes, and one of small ones.
  static Fleet fleet() {
    List<Node> nodes = new ArrayList<>();
    nodes.addAll(rack("block-1", "rack-1", 1, "H100", 8));
    nodes.addAll(rack("block-1", "rack-2", 5, "H100", 8));
    nodes.addAll(rack("block-2", "rack-3", 9, "P100", 4));
    return new Fleet("demo", nodes, TOPOLOGY, List.of());
  }

  private static List<Node> rack(String block, String rack, int first, String model, int gpus) {
    Map<String, String> labels =
        Map.of("demo/block", block, "demo/rack", rack, "nvidia.com/gpu.product", model);
    Resources allocatable =
        Resources.of(Map.of(GPU, (long) gpus, "cpu", 64_000L, "memory", 512L << 30, "pods", 110L));
    GpuModel kind = new GpuModel(model, GpuModel.Kind.WHOLE, 0, "");
    List<Node> nodes = new ArrayList<>();
    for (int i = first; i < first + 4; i++) {
      NodeId id = new NodeId("node-%02d".formatted(i));
      nodes.add(
          new Node(
              id, new TreeMap<>(labels), allocatable, gpus, kind, List.of(), false, List.of()));
    }
    return nodes;
  }

  /// Schedules all events of the cluster.
  static void schedule(SimulationContext context, VirtualCluster cluster) {
    cluster.sync();
    DemoScenario scenario = new DemoScenario(context, cluster);
    scenario.gangs();
    scenario.tick(1_000);
  }

  private void gangs() {
    Duration ever = Duration.ofDays(365);
    submit(1, new Pods("notebook", 1, 1), Optional.empty(), ever);
    submit(3, new Pods("llm", 4, 8), Optional.of("rack"), Duration.ofSeconds(14));
    submit(5, new Pods("vision", 3, 8), Optional.of("rack"), Duration.ofSeconds(9));
    submit(7, new Pods("speech", 4, 8), Optional.of("rack"), Duration.ofSeconds(8));
    submit(9, new Pods("sweep", 6, 2), Optional.empty(), Duration.ofSeconds(8));
    submit(11, new Pods("late", 4, 2, 1), Optional.empty(), Duration.ofSeconds(8));
    submit(13, new Pods("dreamer", 1, 16), Optional.empty(), ever);
  }

  /// The pods of a gang.
  ///
  /// @param late number of last pods that are created [#LATE] after the others
  private record Pods(String gang, int count, int gpusEach, int late) {
    Pods(String gang, int count, int gpusEach) {
      this(gang, count, gpusEach, 0);
    }

    Request request() {
      Resources resources =
          Resources.of(
              Map.of(GPU, (long) gpusEach, "cpu", 4_000L, "memory", 16L << 30, "pods", 1L));
      return Request.of(resources, gpusEach);
    }
  }

  private void submit(int second, Pods pods, Optional<String> within, Duration runtime) {
    long at = second * 1_000L;
    GangConstraints constraints =
        GangConstraints.of(TopologyConstraint.of(within, Optional.empty()), GpuModelPreference.ANY);
    TraceJob job =
        new TraceJob(
            pods.gang(),
            "",
            NAMESPACE,
            at,
            runtime.toMillis(),
            pods.count(),
            pods.count(),
            pods.request(),
            constraints,
            0,
            "");
    context
        .queue()
        .schedule(
            at,
            EventKind.SUBMISSION,
            () -> cluster.submit(context.recorder().submit(job), job, pods.late()));
    if (pods.late() > 0) {
      GangId id = new GangId(NAMESPACE, GangId.Origin.POD_GROUP, pods.gang());
      context
          .queue()
          .schedule(
              at + LATE.toMillis(),
              EventKind.SUBMISSION,
              () -> cluster.createMissing(id, pods.late()));
    }
  }

  /// Schedules a tick every second, as in the live server.
  private void tick(long at) {
    context
        .queue()
        .schedule(
            at,
            EventKind.DECISION,
            () -> {
              cluster.add(new Event.Tick(cluster.now()));
              tick(at + 1_000);
            });
  }
}
