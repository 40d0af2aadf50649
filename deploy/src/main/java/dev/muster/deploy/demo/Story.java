package dev.muster.deploy.demo;

import dev.muster.core.cluster.GpuModel;
import dev.muster.core.cluster.Node;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.GpuChoice;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Resources;
import dev.muster.core.gang.TopologyConstraint;
import dev.muster.core.gang.Wishes;
import dev.muster.core.topology.Topology;
import dev.muster.core.topology.TopologyLevel;
import dev.muster.simulator.world.Job;
import dev.muster.simulator.world.VirtualCluster;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// What happens in the demo: a small fabric, and a few gangs that show one thing each.
final class Story {
  private static final String GPU = "nvidia.com/gpu";

  /// Blocks of racks.
  static final Topology TOPOLOGY =
      new Topology(
          List.of(
              new TopologyLevel("block", "demo/block"), new TopologyLevel("rack", "demo/rack")));

  /// When the last gang of the story has ended.
  static final Duration LENGTH = Duration.ofSeconds(32);

  private final Instant start;
  private final VirtualCluster cluster;

  private Story(Instant start, VirtualCluster cluster) {
    this.start = start;
    this.cluster = cluster;
  }

  /// Puts the fabric and all that will happen into the cluster.
  static void tell(Instant start, VirtualCluster cluster) {
    Story story = new Story(start, cluster);
    story.rack("block-1", "rack-1", 1, "H100", 8);
    story.rack("block-1", "rack-2", 5, "H100", 8);
    story.rack("block-2", "rack-3", 9, "P100", 4);
    cluster.synced();
    story.gangs();
  }

  private void gangs() {
    Duration ever = Duration.ofDays(365);
    submit(1, "notebook", pods(1, 1, 0), Optional.empty(), ever);
    submit(3, "llm", pods(4, 8, 0), Optional.of("rack"), Duration.ofSeconds(14));
    submit(5, "vision", pods(3, 8, 0), Optional.of("rack"), Duration.ofSeconds(9));
    submit(7, "speech", pods(4, 8, 0), Optional.of("rack"), Duration.ofSeconds(8));
    submit(9, "sweep", pods(6, 2, 0), Optional.empty(), Duration.ofSeconds(8));
    submit(11, "late", pods(4, 2, 4), Optional.empty(), Duration.ofSeconds(8));
    submit(13, "dreamer", pods(1, 16, 0), Optional.empty(), ever);
  }

  private void rack(String block, String rack, int first, String model, int gpus) {
    for (int i = first; i < first + 4; i++) {
      String name = "node-%02d".formatted(i);
      TreeMap<String, String> labels =
          new TreeMap<>(
              Map.of("demo/block", block, "demo/rack", rack, "nvidia.com/gpu.product", model));
      Resources allocatable =
          Resources.of(
              Map.of(GPU, (long) gpus, "cpu", 64_000L, "memory", 512L << 30, "pods", 110L));
      GpuModel kind = new GpuModel(model, GpuModel.Kind.WHOLE, 0, "");
      cluster.add(
          new Node(new NodeId(name), labels, allocatable, gpus, kind, List.of(), false, List.of()));
    }
  }

  /// Some pods of equal size.
  ///
  /// @param lateSeconds how much later than the others the last one is created
  private record Pods(int count, int gpusEach, int lateSeconds) {}

  private static Pods pods(int count, int gpusEach, int lateSeconds) {
    return new Pods(count, gpusEach, lateSeconds);
  }

  private void submit(
      int second, String name, Pods pods, Optional<String> within, Duration runtime) {
    GangId id = new GangId("ml", GangId.Origin.POD_GROUP, name);
    Instant at = start.plusSeconds(second);
    GangSpec spec =
        GangSpec.of(id, pods.count(), "ml", at)
            .wishing(Wishes.of(TopologyConstraint.of(within, Optional.empty()), GpuChoice.ANY));
    cluster.submit(new Job(spec, members(id, at, pods), runtime));
  }

  private static List<Member> members(GangId id, Instant at, Pods pods) {
    Resources resources =
        Resources.of(
            Map.of(GPU, (long) pods.gpusEach(), "cpu", 4_000L, "memory", 16L << 30, "pods", 1L));
    Request request = Request.of(resources, pods.gpusEach());
    List<Member> members = new ArrayList<>();
    for (int rank = 0; rank < pods.count(); rank++) {
      String name = id.name() + "-" + rank;
      Instant created = rank == pods.count() - 1 ? at.plusSeconds(pods.lateSeconds()) : at;
      MemberId pod = new MemberId(id.namespace(), name, name + "-uid");
      members.add(
          new Member(pod, id, rank, 0, request, Wishes.NONE, new MemberState.Held(false), created));
    }
    return members;
  }
}
