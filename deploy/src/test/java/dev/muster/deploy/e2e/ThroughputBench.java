package dev.muster.deploy.e2e;

import dev.muster.deploy.e2e.PeerSchedulers.Side;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Measures how many of thousands of pods get nodes per second. Muster as shipped and the stock
/// kube-scheduler run alternately on one control plane.
///
/// ```
/// deploy/e2e.sh -De2e=ThroughputBench                        # both sizes
/// deploy/e2e.sh -De2e='ThroughputBench#on_1000_nodes' -Dbench.scale=0.2 -Dbench.rounds=1
/// ```
///
/// `-Dbench.policy=true` puts the gate on by the admission policy instead of the webhook.
/// `-Dbench.native=true` starts gangs by native PodGroups, with the feature gates on for both
/// sides. kube-scheduler's client limits are lifted on both sides: they would hide everything else.
/// Not part of the tests: its name is no test's name.
@Timeout(value = 2, unit = TimeUnit.HOURS)
class ThroughputBench {
  /// Scales nodes and pods alike.
  private static final double SCALE = Double.parseDouble(System.getProperty("bench.scale", "1"));

  /// Number of rounds of each side.
  private static final int ROUNDS = Integer.getInteger("bench.rounds", 2);

  private static final int LONE = 5_000;
  private static final int GANGS = 1_000;
  private static final int MEMBERS = 8;
  private static final String UNLIMITED = "{qps: 10000, burst: 10000}";

  @RegisterExtension
  static final TestStage STAGE =
      Boolean.getBoolean("bench.policy")
          ? TestStage.asShipped().withPolicy()
          : Boolean.getBoolean("bench.native")
              ? TestStage.asShipped().on(NativeSwitch::everywhere)
              : TestStage.asShipped();

  private record Result(Side side, PodSurge lone, PodSurge gangs) {}

  @Test
  void on_1000_nodes() throws IOException {
    run(1_000);
  }

  @Test
  void on_5000_nodes() throws IOException {
    run(5_000);
  }

  private static void run(int nodes) throws IOException {
    var results = new ArrayList<Result>();
    try (var flood = new PodFlood(STAGE.admin());
        var opponents = new PeerSchedulers(STAGE)) {
      new BulkObjects(STAGE.admin()).nodes(scaled(nodes));
      for (int round = 0; round < ROUNDS; round++) {
        for (Side side : Side.values()) {
          opponents.turn(side, UNLIMITED);
          flood.lone(scaled(LONE) / 10); // Warms up; does not count.
          results.add(
              new Result(side, flood.lone(scaled(LONE)), flood.gangs(scaled(GANGS), MEMBERS)));
        }
      }
    }
    report(scaled(nodes), results);
  }

  private static int scaled(int count) {
    return (int) Math.ceil(count * SCALE);
  }

  private static void report(int nodes, List<Result> results) throws IOException {
    String lone = "%d pods".formatted(scaled(LONE));
    String gangs = "%d gangs of %d".formatted(scaled(GANGS), MEMBERS);
    String text =
        """
        | nodes | what | round | created/s | bound/s without | created/s | bound/s with | ratio |
        |---|---|---|---|---|---|---|---|
        """
            + rows(
                nodes,
                lone,
                of(results, Side.STOCK, Result::lone),
                of(results, Side.MUSTER, Result::lone))
            + rows(
                nodes,
                gangs,
                of(results, Side.STOCK, Result::gangs),
                of(results, Side.MUSTER, Result::gangs))
            + results.stream()
                .map(r -> details(r, lone, r.lone()) + details(r, gangs, r.gangs()))
                .collect(Collectors.joining());
    System.out.println(text);
    Files.writeString(STAGE.plane().logs().resolve("throughput-%d.md".formatted(nodes)), text);
  }

  private static List<PodSurge> of(
      List<Result> results, Side side, Function<Result, PodSurge> surge) {
    return results.stream().filter(r -> r.side() == side).map(surge).toList();
  }

  private static String rows(int nodes, String what, List<PodSurge> stock, List<PodSurge> muster) {
    var rows = new StringBuilder();
    for (int round = 0; round < stock.size(); round++) {
      rows.append(
          row(
              nodes,
              what,
              "" + (round + 1),
              List.of(stock.get(round)),
              List.of(muster.get(round))));
    }
    return rows + row(nodes, what, "mean", stock, muster);
  }

  private static String row(
      int nodes, String what, String round, List<PodSurge> stock, List<PodSurge> muster) {
    return "| %d | %s | %s | %.0f | %.0f | %.0f | %.0f | %.2f |%n"
        .formatted(
            nodes,
            what,
            round,
            mean(stock, PodSurge::created),
            mean(stock, PodSurge::bound),
            mean(muster, PodSurge::created),
            mean(muster, PodSurge::bound),
            mean(muster, PodSurge::bound) / mean(stock, PodSurge::bound));
  }

  private static double mean(List<PodSurge> surges, ToDoubleFunction<PodSurge> of) {
    return surges.stream().mapToDouble(of).average().orElse(Double.NaN);
  }

  private static String details(Result result, String what, PodSurge surge) {
    return cpu(result, what, surge) + written(result, what, surge);
  }

  private static String written(Result result, String what, PodSurge surge) {
    return surge.written().counts().entrySet().stream()
        .map(e -> " %s %.2f".formatted(e.getKey(), (double) e.getValue() / surge.pods()))
        .collect(
            Collectors.joining(
                ",", "%s, %s, writes per pod:".formatted(result.side(), what), "\n"));
  }

  private static String cpu(Result result, String what, PodSurge surge) {
    return surge.cpu().millis().entrySet().stream()
        .map(e -> " %s %.2f".formatted(e.getKey(), (double) e.getValue() / surge.pods()))
        .collect(
            Collectors.joining(
                ",", "%s, %s, ms of processor time per pod:".formatted(result.side(), what), "\n"));
  }
}
