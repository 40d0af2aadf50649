package dev.muster.core.placement.oracle;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.NodeSelection;
import dev.muster.core.gang.NodeSelection.PreferredTerm;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Requirement;
import dev.muster.core.gang.Resources;
import dev.muster.core.gang.Slices;
import dev.muster.core.gang.Taint;
import dev.muster.core.gang.Toleration;
import dev.muster.core.gang.TopologyConstraint;
import dev.muster.core.gang.TopologyConstraint.Layout;
import dev.muster.core.node.GpuModel;
import dev.muster.core.node.Node;
import dev.muster.core.node.NodeState;
import dev.muster.core.topology.Topology;
import dev.muster.core.topology.TopologyLevel;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;

/// A small random cluster, partly full, and a waiting gang. Equal seeds give equal cases.
final class RandomCase {
  private static final Instant NOW = Instant.parse("2026-11-01T00:00:00Z");
  private static final long MIB = 1 << 20;
  private static final String GPU = "nvidia.com/gpu";
  private static final Taint BUSY = new Taint("busy", "", Taint.Effect.PREFER_NO_SCHEDULE);
  private static final Taint TAINT = new Taint("dedicated", "ml", Taint.Effect.NO_SCHEDULE);
  private static final List<GpuModelPreference> CHOICES =
      List.of(
          GpuModelPreference.ANY,
          GpuModelPreference.ANY,
          new GpuModelPreference(List.of(), true),
          new GpuModelPreference(List.of("H100"), false),
          new GpuModelPreference(List.of("A100", "H100"), false),
          new GpuModelPreference(List.of("H100", "A100"), true));

  private final Random random;
  private final int levels;
  private final boolean scarceCpu;
  private final int parts;
  private final int picky;
  private final boolean selective;
  private Cluster cluster;

  private RandomCase(long seed, boolean selective) {
    this.selective = selective;
    random = new Random(seed * 0x9E3779B97F4A7C15L);
    levels = 1 + random.nextInt(3);
    scarceCpu = random.nextInt(3) == 0;
    parts = chance(25) ? 50 : 0;
    picky = chance(30) ? 60 : 0;
    cluster =
        Cluster.empty(
            new Topology(
                IntStream.rangeClosed(1, levels)
                    .mapToObj(i -> new TopologyLevel("l" + i, "l" + i))
                    .toList()));
  }

  /// The case of the seed.
  static Puzzle of(long seed) {
    return of(new RandomCase(seed, false));
  }

  /// The case of the seed, in which some nodes are tainted and some members select nodes.
  static Puzzle selective(long seed) {
    return of(new RandomCase(seed, true));
  }

  private static Puzzle of(RandomCase drawn) {
    drawn.nodes();
    int others = drawn.random.nextInt(4);
    for (int i = 0; i < others; i++) {
      GangConstraints constraints = GangConstraints.of(TopologyConstraint.NONE, drawn.any(CHOICES));
      drawn.seatSome(drawn.gang("other-" + i, constraints), 60);
    }
    GangId id = drawn.gang("asked", drawn.wishes());
    drawn.seatSome(id, 25);
    return Puzzle.of(drawn.cluster, drawn.cluster.gang(id));
  }

  private boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }

  private <T> T any(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  private void then(Event event) {
    cluster = cluster.apply(event);
  }

  // ---- Nodes ----

  private void nodes() {
    int count = 1 + random.nextInt(12);
    int unlabelled = chance(30) ? 20 : 0;
    List<Integer> sizes = any(List.of(List.of(8), List.of(4), List.of(1, 2, 4, 8), List.of(4, 8)));
    int secondModel = chance(40) ? 40 : 0;
    int fullness = random.nextInt(70);
    for (int i = 0; i < count; i++) {
      Map<String, String> labels = new TreeMap<>();
      for (int level = 1; level <= levels; level++) {
        if (!chance(unlabelled)) {
          labels.put("l" + level, "d" + Math.min(random.nextInt(3), random.nextInt(3)));
        }
      }
      labels.put("disk", any(List.of("a", "b", "c")));
      if (selective) {
        labels.put("zone", any(List.of("a", "b")));
      }
      node("n%02d".formatted(i), labels, any(sizes), chance(secondModel) ? "A100" : "H100");
      occupy(new NodeId("n%02d".formatted(i)), fullness);
    }
  }

  private void node(String name, Map<String, String> labels, int gpus, String model) {
    Resources allocatable =
        Resources.of(
            Map.of(GPU, (long) gpus, "cpu", 4000L * gpus, "memory", MIB * 32 * gpus, "pods", 110L));
    then(
        new Event.NodeSeen(
            NOW,
            new Node(
                new NodeId(name),
                new TreeMap<>(labels),
                allocatable,
                gpus,
                new GpuModel(model, GpuModel.Kind.WHOLE, 0, ""),
                taints(),
                chance(5),
                List.of())));
  }

  private void occupy(NodeId id, int fullness) {
    NodeState node = cluster.nodes().get(id).orElseThrow();
    int total = node.node().gpus();
    int gpus = 0;
    for (int i = 0; i < total; i++) {
      gpus += chance(fullness) ? 1 : 0;
    }
    gpus = chance(20) ? 0 : gpus;
    long cpu = 1000L * random.nextInt(1 + (scarceCpu ? 4 * total : 4 * gpus));
    long memory = MIB * random.nextInt(1 + (scarceCpu ? 32 * total : 16 * gpus));
    Resources taken = Resources.of(Map.of(GPU, (long) gpus, "cpu", cpu, "memory", memory));
    then(new Event.UnmanagedPodSeen(NOW, new MemberId("x", "s-" + id, "s-" + id), id, taken, gpus));
  }

  // ---- Gangs ----

  private GangConstraints wishes() {
    List<String> names = new ArrayList<>(List.of("node"));
    IntStream.rangeClosed(1, levels).forEach(level -> names.add("l" + level));
    Optional<String> required = chance(30) ? Optional.of(any(names)) : Optional.empty();
    Optional<String> preferred = chance(20) ? Optional.of(any(names)) : Optional.empty();
    Optional<Slices> slices =
        chance(25) ? Optional.of(new Slices(1 + random.nextInt(4), any(names))) : Optional.empty();
    Layout layout = chance(25) ? Layout.BALANCED : Layout.PACKED;
    return GangConstraints.of(
        new TopologyConstraint(required, preferred, slices, layout), any(CHOICES));
  }

  private GangId gang(String name, GangConstraints constraints) {
    GangId id = new GangId("ml", GangId.Origin.POD_GROUP, name);
    boolean unlike = chance(4) && cluster.nodes().size() < 6; // too many ways to try them all
    int kinds = unlike ? 10 : 1 + random.nextInt(3);
    int left = unlike ? 10 : 1 + Math.min(random.nextInt(10), random.nextInt(10));
    int rank = 0;
    for (int kind = 0; kind < kinds && left > 0; kind++) {
      int members = unlike ? 1 : kind == kinds - 1 ? left : 1 + random.nextInt(left);
      Request request = request();
      for (int i = 0; i < members; i++) {
        then(new Event.MemberSeen(NOW, member(id, rank++, request)));
      }
      left -= members;
    }
    then(new Event.GangSeen(NOW, GangSpec.of(id, rank, "ml", NOW).wishing(constraints)));
    return id;
  }

  private Request request() {
    boolean part = chance(parts);
    int gpus = part ? 0 : any(List.of(0, 1, 1, 1, 1, 2, 2, 2, 3, 4, 4, 8));
    int milli = part ? any(List.of(100, 200, 250, 400, 500, 600, 750)) : 0;
    long cpu = 1000L * (1 + random.nextInt(1 + (scarceCpu ? 6 : 3) * Math.max(1, gpus)));
    long memory = MIB * random.nextInt(1 + (scarceCpu ? 48 : 16) * Math.max(1, gpus));
    Resources resources =
        Resources.of(Map.of(GPU, (long) gpus, "cpu", cpu, "memory", memory, "pods", 1L));
    return new Request(resources, gpus, milli, selection(), chance(10));
  }

  private List<Taint> taints() {
    List<Taint> taints = new ArrayList<>();
    if (chance(picky / 2)) {
      taints.add(BUSY);
    }
    if (selective && chance(15)) {
      taints.add(TAINT);
    }
    return taints;
  }

  private NodeSelection selection() {
    List<Requirement> required = new ArrayList<>();
    List<Toleration> tolerated = new ArrayList<>();
    List<PreferredTerm> preferred = new ArrayList<>();
    if (selective && chance(20)) {
      required.add(new Requirement("zone", Requirement.Operator.IN, List.of("a")));
    }
    if (selective && chance(40)) {
      tolerated.add(
          new Toleration(
              Optional.of(TAINT.key()),
              Optional.of(TAINT.value()),
              Optional.of(Taint.Effect.NO_SCHEDULE)));
    }
    if (chance(picky)) {
      for (int term = random.nextInt(3); term > 0; term--) {
        Requirement disk =
            new Requirement("disk", Requirement.Operator.IN, List.of(any(List.of("a", "b", "c"))));
        preferred.add(new PreferredTerm(1 + random.nextInt(100), List.of(disk)));
      }
      if (chance(30)) {
        tolerated.add(new Toleration(Optional.of("busy"), Optional.empty(), Optional.empty()));
      }
    }
    return new NodeSelection(required, List.of(), tolerated, preferred);
  }

  private static Member member(GangId gang, int rank, Request request) {
    String name = "%s-%02d".formatted(gang.name(), rank);
    return new Member(
        new MemberId("ml", name, name),
        gang,
        rank,
        0,
        request,
        GangConstraints.NONE,
        new MemberState.Held(false),
        NOW);
  }

  /// In some cases some of the members run already, wherever there was room.
  private void seatSome(GangId id, int percent) {
    int seated = chance(percent) ? 1 + random.nextInt(3) : 0;
    for (int i = 0; i < seated && cluster.gang(id).waiting().size() > 1; i++) {
      Member mate = any(cluster.gang(id).waiting());
      Puzzle puzzle = Puzzle.of(cluster, cluster.gang(id));
      List<NodeState> able =
          puzzle.nodes().stream()
              .filter(
                  node -> puzzle.models().isEmpty() || puzzle.models().contains(Puzzle.model(node)))
              .filter(node -> puzzle.takes(node, mate.request()))
              .filter(node -> OracleCapacity.on(node).with(List.of(mate.request())).isPresent())
              .toList();
      if (!able.isEmpty()) {
        NodeId node = any(able).id();
        then(new Event.MemberSeen(NOW, mate.as(new MemberState.Bound(node, NOW))));
      }
    }
  }
}
