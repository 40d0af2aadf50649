package dev.muster.core.kit;

import dev.muster.core.cluster.Event;
import dev.muster.core.engine.Engine;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Resources;
import dev.muster.core.node.GpuModel;
import dev.muster.core.node.Node;
import dev.muster.core.state.State;
import dev.muster.core.topology.Topology;
import dev.muster.core.topology.TopologyLevel;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;

/// A cluster of any size, nine tenths in use, in which many gangs wait and none of them fits.
///
/// Nodes of 8 GPUs, 128 cores and 1 TiB; 8 nodes to a rack, 32 racks to a block, 8 blocks to a
/// zone. Of ten nodes in a row four are H100, four A100, two L40S. The H100 are full; the free GPUs
/// are on the others.
///
/// @param gpus how many GPUs there are, a multiple of 80
/// @param waiting how many gangs wait
/// @param room how the free GPUs lie
/// @param seed equal seeds give equal clusters
public record BusyCluster(int gpus, int waiting, Room room, long seed) {
  /// Distribution of the free GPUs.
  public enum Room {
    /// At most 3 on a node.
    SCATTERED,
    /// On empty nodes.
    WHOLE_NODES
  }

  /// The levels of its fabric.
  public static final Topology FABRIC =
      new Topology(
          List.of(
              new TopologyLevel("zone", "topology.kubernetes.io/zone"),
              new TopologyLevel("block", "net.example/block"),
              new TopologyLevel("rack", "net.example/rack")));

  /// When it stands as described.
  public static final Instant NOW = Instant.parse("2026-11-01T00:00:00Z");

  private static final int GPUS_PER_NODE = 8;
  private static final int NODES_PER_RACK = 8;
  private static final int NODES_PER_BLOCK = 32 * NODES_PER_RACK;
  private static final int NODES_PER_ZONE = 8 * NODES_PER_BLOCK;

  /// Jobs with smaller numbers than this run.
  private static final int WAITING = 50_000;

  private static final int LATE = 100_000;

  private static final String FULL = "H100";
  private static final List<String> MODELS =
      List.of(FULL, "A100", FULL, "A100", "L40S", FULL, "A100", FULL, "A100", "L40S");

  /// The state after all of it was seen and every gang had its turn.
  public State state(Engine engine) {
    State[] state = {State.empty(FABRIC)};
    tell(event -> state[0] = engine.step(state[0], event).after());
    return engine.step(state[0], new Event.Synced(NOW)).after();
  }

  /// Tells all that is true: nodes, gangs that run, gangs that wait.
  public void tell(Consumer<Event> to) {
    Random random = new Random(seed);
    RunningJobs running = new RunningJobs(random, to);
    for (int i = 0; i < gpus / GPUS_PER_NODE; i++) {
      Node node = node(i);
      to.accept(new Event.NodeSeen(NOW, node));
      running.fill(node, GPUS_PER_NODE - free(i, random));
    }
    running.end();
    for (int i = 0; i < waiting; i++) {
      misfit(WAITING + i, random).arrival().forEach(to);
    }
  }

  private int free(int index, Random random) {
    if (model(index).equals(FULL)) {
      return 0;
    }
    return switch (room) {
      case SCATTERED -> random.nextInt(12) < 5 ? 2 + random.nextInt(2) : random.nextInt(2);
      case WHOLE_NODES -> random.nextInt(6) == 0 ? GPUS_PER_NODE : 0;
    };
  }

  private static String model(int index) {
    return MODELS.get(index % MODELS.size());
  }

  private static Node node(int index) {
    TreeMap<String, String> labels = new TreeMap<>();
    labels.put("kubernetes.io/hostname", name(index).name());
    labels.put("topology.kubernetes.io/zone", "zone-" + index / NODES_PER_ZONE);
    labels.put("net.example/block", "block-" + index / NODES_PER_BLOCK);
    labels.put("net.example/rack", "rack-" + index / NODES_PER_RACK);
    labels.put("nvidia.com/gpu.product", model(index));
    Map<String, Long> allocatable =
        Map.of(
            "nvidia.com/gpu",
            (long) GPUS_PER_NODE,
            Resources.CPU,
            128_000L,
            Resources.MEMORY,
            1L << 40,
            Resources.PODS,
            110L);
    return new Node(
        name(index),
        labels,
        Resources.of(allocatable),
        GPUS_PER_NODE,
        new GpuModel(model(index), GpuModel.Kind.WHOLE, 81_920, "580.95.05"),
        List.of(),
        false,
        List.of());
  }

  private static NodeId name(int index) {
    return new NodeId("gpu-node-%05d".formatted(index));
  }

  // ---- Gangs that wait, and gangs that come ----

  /// Returns a gang that fits nowhere. It requests the full model, more GPUs or cores than any node
  /// has left, or more members than fit any domain of its level.
  private ScenarioJob misfit(int number, Random random) {
    ScenarioJob job = any(number, random);
    if (room == Room.WHOLE_NODES) {
      return job.on(FULL);
    }
    int size = job.members() * job.gpusEach();
    if (job.gpusEach() >= 4) {
      return job;
    }
    return switch (random.nextInt(3)) {
      case 0 -> job.on(FULL);
      case 1 -> job.cores(100);
      default -> size > 24 && size <= 64 ? job.within("rack") : job.on(FULL);
    };
  }

  /// A gang of any size, some with a required level, some for one model only, some urgent.
  private static ScenarioJob any(int number, Random random) {
    ScenarioJob job = sized(number, random);
    int size = job.members() * job.gpusEach();
    job = size <= 64 && random.nextInt(5) == 0 ? job.within("rack") : job;
    job = size > 64 && random.nextInt(3) == 0 ? job.within("block") : job;
    job = random.nextInt(3) == 0 ? job.on(MODELS.get(random.nextInt(MODELS.size()))) : job;
    return switch (random.nextInt(20)) {
      case 0 -> job.priority(1000);
      case 1, 2, 3 -> job.priority(100);
      default -> job;
    };
  }

  /// Of 1 to 1,024 GPUs: half of the gangs have one pod, one in twenty has 128 GPUs or more.
  private static ScenarioJob sized(int number, Random random) {
    int draw = random.nextInt(100);
    if (draw < 50) {
      return ScenarioJob.of(number, 1, 1 << random.nextInt(4));
    }
    if (draw < 85) {
      return ScenarioJob.of(number, 2 << random.nextInt(4), draw < 70 ? 8 : 1 << random.nextInt(3));
    }
    return ScenarioJob.of(number, draw < 95 ? 8 : 16 << random.nextInt(4), 8);
  }

  /// Gangs that may come next, some of which fit, each as the events that tell of it.
  public List<List<Event>> arrivals(int count) {
    Random random = new Random(seed + 1);
    List<List<Event>> arrivals = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      arrivals.add(any(LATE + i, random).arrival());
    }
    return arrivals;
  }

  /// Gangs of 128 members of 8 GPUs each, which fit where 1,024 GPUs are on empty nodes.
  public List<List<Event>> bigArrivals(int count) {
    List<List<Event>> arrivals = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ScenarioJob job = ScenarioJob.of(LATE + i, 128, GPUS_PER_NODE);
      arrivals.add((i % 3 == 0 ? job.on("A100") : job).arrival());
    }
    return arrivals;
  }

  /// Urgent gangs of 8, 64, 256 and 1,024 GPUs in turn, some for one model or within one block.
  public List<List<Event>> urgentArrivals(int count) {
    int[] members = {1, 8, 32, 128};
    List<List<Event>> arrivals = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ScenarioJob job = ScenarioJob.of(LATE + i, members[i % 4], GPUS_PER_NODE).priority(2000);
      job = i % 3 == 0 ? job.on("A100") : job;
      arrivals.add((i % 5 == 0 ? job.within("block") : job).arrival());
    }
    return arrivals;
  }
}
