package dev.muster.deploy.e2e;

import dev.muster.deploy.e2e.PeerSchedulers.Side;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Measures how long pods wait for their nodes on a real control plane. Muster as shipped is
/// compared with the stock kube-scheduler.
///
/// ```
/// deploy/e2e.sh -De2e=StartTimeBench
/// ```
///
/// The stock side goes before and after Muster, so that a machine that gets slower meanwhile
/// favours none; each turn begins with laps that do not count. Without Muster there is no Muster
/// process, no webhook and no extender, and kube-scheduler has its defaults. Not part of the tests:
/// its name is no test's name.
@Timeout(value = 18, unit = TimeUnit.MINUTES)
class StartTimeBench {

  /// Counted laps of each kind, for each side in all.
  private static final int LAPS = Integer.getInteger("bench.laps", 6);

  private static final int SMALL = 8;
  private static final int LARGE = 64;
  private static final int LONE = 500;
  private static final int WARM_UP = 2;

  /// kube-scheduler's default: 50 requests/s, 100 at once.
  private static final String DEFAULT = "{}";

  private static final String RAISED = "{qps: 1000, burst: 1000}";

  @RegisterExtension static final TestStage STAGE = TestStage.asShipped();

  /// The laps of one side.
  private static final class Results {
    final List<LapTimer> small = new ArrayList<>();
    final List<LapTimer> large = new ArrayList<>();
    final List<LapTimer> lone = new ArrayList<>();
    final List<LapTimer> unlimited = new ArrayList<>();
    CpuTime cpu = new CpuTime(Map.of());
  }

  @Test
  void on_100_nodes() throws IOException {
    run(100);
  }

  @Test
  void on_1000_nodes() throws IOException {
    run(1_000);
  }

  private static void run(int nodes) throws IOException {
    STAGE
        .cluster()
        .createNodes(
            IntStream.range(0, nodes)
                .mapToObj(i -> NodeShape.withGpus("n%04d".formatted(i), 8))
                .toArray(NodeShape[]::new));
    var results = new EnumMap<Side, Results>(Side.class);
    try (var track = new PodTrack(STAGE.admin());
        var opponents = new PeerSchedulers(STAGE)) {
      for (Side side : List.of(Side.STOCK, Side.MUSTER, Side.STOCK)) {
        measure(results.computeIfAbsent(side, _ -> new Results()), track, opponents, side);
      }
    }
    report(nodes, results);
  }

  private static void measure(
      Results results, PodTrack track, PeerSchedulers opponents, Side side) {
    int laps =
        switch (side) {
          case STOCK -> (LAPS + 1) / 2; // It has two turns.
          case MUSTER -> LAPS;
        };
    opponents.turn(side, RAISED);
    for (int lap = 0; lap < WARM_UP; lap++) {
      track.lone(LONE);
      track.gang(LARGE);
    }
    for (int lap = 0; lap < laps; lap++) {
      CpuTime before = CpuTime.now();
      results.unlimited.add(track.lone(LONE));
      results.cpu = results.cpu.plus(CpuTime.now().since(before));
    }
    opponents.turn(side, DEFAULT);
    track.gang(SMALL);
    for (int lap = 0; lap < laps; lap++) {
      results.small.add(track.gang(SMALL));
      results.large.add(track.gang(LARGE));
    }
    for (int lap = 0; lap < laps; lap++) {
      results.lone.add(track.lone(LONE));
    }
  }

  private static void report(int nodes, Map<Side, Results> results) throws IOException {
    var stock = results.getOrDefault(Side.STOCK, new Results());
    var muster = results.getOrDefault(Side.MUSTER, new Results());
    var table = new BenchTable(nodes);
    table.times("gang of 8, last created to last bound", stock.small, muster.small, LapTimer::tail);
    table.times(
        "gang of 8, first request to last bound", stock.small, muster.small, LapTimer::whole);
    table.times(
        "gang of 64, last created to last bound", stock.large, muster.large, LapTimer::tail);
    table.times(
        "gang of 64, first request to last bound", stock.large, muster.large, LapTimer::whole);
    table.rates("500 lone pods", LONE, stock.lone, muster.lone);
    table.rates("500 lone pods, scheduler unlimited", LONE, stock.unlimited, muster.unlimited);
    table.parts("gang of 8", muster.small);
    table.parts("gang of 64", muster.large);
    table.creating("500 lone pods, scheduler unlimited", muster.unlimited); // they have no gate
    table.creating("500 lone pods, without Muster", stock.unlimited);
    table.cpu("without Muster", stock.cpu, LONE * stock.unlimited.size());
    table.cpu("with Muster", muster.cpu, LONE * muster.unlimited.size());
    table.print(STAGE.plane().logs().resolve("table-%d.md".formatted(nodes)));
  }
}
