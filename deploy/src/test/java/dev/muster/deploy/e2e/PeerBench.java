package dev.muster.deploy.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Measures how fast gangs start under Muster and under the schedulers that a user would take
/// instead. All run in turn on one control plane.
///
/// ```
/// deploy/e2e.sh -De2e=PeerBench                                         # 1,000 nodes
/// deploy/e2e.sh -De2e=PeerBench -Dbench.scale=0.1 -Dbench.laps=1        # a quick look: 100 nodes
/// ```
///
/// `-Dbench.sides=COSCHEDULING,MUSTER_GATE` measures only some. The feature gates of native gangs
/// are on for all sides, and kube-scheduler's client limits are lifted. Speeds may be compared only
/// within one run.
///
/// Not part of the tests: its name is no test's name.
@EnabledIf(value = "isServed", disabledReason = "Measured with the native PodGroup of 1.36")
@Timeout(value = 2, unit = TimeUnit.HOURS)
class PeerBench {
  /// Scales nodes and pods alike.
  private static final double SCALE = Double.parseDouble(System.getProperty("bench.scale", "1"));

  /// Single gangs of each size, for the latency.
  private static final int LAPS = Integer.getInteger("bench.laps", 5);

  private static final List<PeerSide> SIDES =
      System.getProperty("bench.sides", "").isEmpty()
          ? List.of(PeerSide.values())
          : List.of(System.getProperty("bench.sides", "").split(",", -1)).stream()
              .map(PeerSide::valueOf)
              .toList();

  private static final int NODES = 1_000;
  private static final int SMALL = 8;
  private static final int LARGE = 64;
  private static final int SMALL_GANGS = 125;
  private static final int LARGE_GANGS = 20;

  /// Gangs that ask for twice the GPUs of the cluster.
  private static final int RIVALS = 31;

  private static int gangs;

  @RegisterExtension
  static final TestStage STAGE = TestStage.asShipped().on(NativeSwitch::everywhere);

  static boolean isServed() {
    return NativeSwitch.isServed();
  }

  /// @param first gangs of 8, before any other; says what a process costs that has just started
  /// @param small latencies of gangs of 8, in milliseconds
  /// @param large latencies of gangs of 64
  /// @param rivals seconds until all gangs had started, of twice the capacity
  private record Result(
      PeerSide side,
      PodSurge first,
      List<Double> small,
      List<Double> large,
      PodSurge manySmall,
      PodSurge manyLarge,
      String rivals) {}

  @Test
  void gangs_beside_other_schedulers() throws IOException, InterruptedException {
    var results = new ArrayList<Result>();
    var stage = new PeerStage(STAGE);
    var bulk = new BulkObjects(STAGE.admin());
    bulk.nodes(scaled(NODES));
    try (var flood = new PodFlood(STAGE.admin())) {
      for (PeerSide side : SIDES) {
        stage.turn(side);
        results.add(measured(side, flood));
        new TestGangs(STAGE.admin(), "scheduling.k8s.io", "v1alpha2").deleteAll();
      }
    }
    String text = table(results);
    System.out.println(text);
    Files.writeString(STAGE.plane().logs().resolve("peers.md"), text);
  }

  private static Result measured(PeerSide side, PodFlood flood) {
    PodSurge first = many(side, flood, scaled(SMALL_GANGS), SMALL);
    List<Double> small = laps(side, flood, SMALL);
    List<Double> large = laps(side, flood, LARGE);
    PodSurge manySmall = many(side, flood, scaled(SMALL_GANGS), SMALL);
    PodSurge manyLarge = many(side, flood, scaled(LARGE_GANGS), LARGE);
    String rivals = side.isGang() ? "%.1f".formatted(rivals(side, flood)) : "";
    return new Result(side, first, small, large, manySmall, manyLarge, rivals);
  }

  private static List<Double> laps(PeerSide side, PodFlood flood, int members) {
    return IntStream.range(0, LAPS)
        .mapToObj(_ -> flood.lap(gang(side, members, 8, 0)).tail())
        .sorted()
        .toList();
  }

  private static PodSurge many(PeerSide side, PodFlood flood, int count, int members) {
    return flood.run(
        count * members,
        IntStream.range(0, count).mapToObj(_ -> gang(side, members, 1, 0)).toList());
  }

  private static double rivals(PeerSide side, PodFlood flood) {
    int members = Math.max(1, scaled(NODES) * 13 / 200);
    PodSurge all =
        flood.run(
            RIVALS * members,
            IntStream.range(0, RIVALS).mapToObj(i -> gang(side, members, 8, 3 + i % 5)).toList());
    return all.binding() / 1e9;
  }

  /// Returns a gang's object and, after it, its members.
  ///
  /// @param seconds for which each member runs; 0 for no end
  private static List<BulkObjects.Creation> gang(
      PeerSide side, int members, int gpus, int seconds) {
    String name = "gang" + gangs++;
    var all = new ArrayList<BulkObjects.Creation>();
    all.add(side.group(name, members));
    for (int i = 0; i < members; i++) {
      var pod = side.member(name, i, gpus);
      all.add(
          BulkObjects.pod(
              seconds == 0
                  ? pod
                  : pod.editMetadata()
                      .addToAnnotations(TestCluster.RUN_FOR, seconds + "s")
                      .endMetadata()));
    }
    return all;
  }

  private static int scaled(int count) {
    return (int) Math.ceil(count * SCALE);
  }

  private static String table(List<Result> results) {
    var text = new StringBuilder();
    text.append(
        """
        | %d nodes | gang of 8, ms | gang of 64, ms | %d gangs of 8, pods/s | %d of 64 | created/s (8 / 64) | writes per pod (8 / 64) | twice the capacity, s |
        |---|---|---|---|---|---|---|---|
        """
            .formatted(scaled(NODES), scaled(SMALL_GANGS), scaled(LARGE_GANGS)));
    for (Result result : results) {
      text.append(
          "| %s | %.0f | %.0f | %.0f | %.0f | %.0f / %.0f | %.2f / %.2f | %s |%n"
              .formatted(
                  result.side().label(),
                  result.small().get(LAPS / 2),
                  result.large().get(LAPS / 2),
                  result.manySmall().bound(),
                  result.manyLarge().bound(),
                  result.manySmall().created(),
                  result.manyLarge().created(),
                  writes(result.manySmall(), SMALL),
                  writes(result.manyLarge(), LARGE),
                  result.rivals()));
    }
    for (Result result : results) {
      text.append(details(result.side(), "first gangs of 8", result.first()));
      text.append(details(result.side(), "gangs of 8", result.manySmall()));
      text.append(details(result.side(), "gangs of 64", result.manyLarge()));
    }
    return text.toString();
  }

  /// Returns the writes per pod without the creation of pods and gangs, and without the status that
  /// each kubelet writes once. Refused ones do not count: Muster has no pod here that it could
  /// label.
  private static double writes(PodSurge surge, int members) {
    long all =
        surge.written().counts().entrySet().stream()
            .filter(call -> call.getKey().matches(".* 20\\d"))
            .mapToLong(Map.Entry::getValue)
            .sum();
    return (all - 2.0 * surge.pods() - (double) surge.pods() / members) / surge.pods();
  }

  private static String details(PeerSide side, String what, PodSurge surge) {
    String cpu =
        surge.cpu().millis().entrySet().stream()
            .map(e -> " %s %.2f".formatted(e.getKey(), (double) e.getValue() / surge.pods()))
            .collect(Collectors.joining(","));
    String writes =
        surge.written().counts().entrySet().stream()
            .map(e -> " %s %.2f".formatted(e.getKey(), (double) e.getValue() / surge.pods()))
            .collect(Collectors.joining(","));
    return "%s, %s, ms of processor time per pod:%s%n%s, %s, writes per pod:%s%n"
        .formatted(side.label(), what, cpu, side.label(), what, writes);
  }
}
