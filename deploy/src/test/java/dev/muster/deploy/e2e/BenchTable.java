package dev.muster.deploy.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.ToDoubleFunction;

/// The figures of a benchmark as a Markdown table.
final class BenchTable {
  private final int nodes;
  private final StringBuilder compared =
      new StringBuilder(
          """
          | nodes | what | without: median | max | with Muster: median | max | ratio of medians |
          |---|---|---|---|---|---|---|
          """);
  private final StringBuilder parts =
      new StringBuilder(
          """
          | nodes | what (medians, ms) | create | decide and record | nominate, ungate | bind |
          |---|---|---|---|---|---|
          """);
  private final StringBuilder cpu = new StringBuilder();

  BenchTable(int nodes) {
    this.nodes = nodes;
  }

  /// Milliseconds, less is better.
  void times(
      String what, List<LapTimer> stock, List<LapTimer> muster, ToDoubleFunction<LapTimer> of) {
    double[] without = sorted(stock, of);
    double[] with = sorted(muster, of);
    line(
        compared,
        "| %d | %s | %.0f ms | %.0f ms | %.0f ms | %.0f ms | %.2f |"
            .formatted(
                nodes,
                what,
                median(without),
                without[without.length - 1],
                median(with),
                with[with.length - 1],
                median(with) / median(without)));
  }

  /// Pods per second, more is better; the column max holds the worst.
  void rates(String what, int pods, List<LapTimer> stock, List<LapTimer> muster) {
    ToDoubleFunction<LapTimer> of = lap -> pods / lap.whole() * 1_000;
    double[] without = sorted(stock, of);
    double[] with = sorted(muster, of);
    line(
        compared,
        "| %d | %s | %.0f/s | %.0f/s (min) | %.0f/s | %.0f/s (min) | %.2f |"
            .formatted(
                nodes,
                what,
                median(without),
                without[0],
                median(with),
                with[0],
                median(with) / median(without)));
  }

  /// Adds the phases of the start of Muster's pods.
  void parts(String what, List<LapTimer> laps) {
    line(
        parts,
        "| %d | %s | %.0f | %.0f | %.0f | %.0f |"
            .formatted(
                nodes,
                what,
                median(sorted(laps, LapTimer::creating)),
                median(sorted(laps, LapTimer::deciding)),
                median(sorted(laps, LapTimer::starting)),
                median(sorted(laps, LapTimer::binding))));
  }

  /// Adds the duration of creation without any other request.
  void creating(String what, List<LapTimer> laps) {
    double median = median(sorted(laps, LapTimer::creating));
    line(parts, "| %d | %s | %.0f | | | |".formatted(nodes, what, median));
  }

  /// Processor time per lone pod.
  void cpu(String side, CpuTime used, int pods) {
    cpu.append("%d nodes, %s, ms of processor time per lone pod:".formatted(nodes, side));
    used.millis()
        .forEach((name, ms) -> cpu.append(" %s %.2f,".formatted(name, (double) ms / pods)));
    cpu.append('\n');
  }

  void print(Path file) throws IOException {
    String all = compared + "\n" + parts + "\n" + cpu;
    System.out.println(all);
    Files.writeString(file, all);
  }

  private static double[] sorted(List<LapTimer> laps, ToDoubleFunction<LapTimer> of) {
    return laps.stream().mapToDouble(of).sorted().toArray();
  }

  private static double median(double[] sorted) {
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  private static void line(StringBuilder to, String text) {
    to.append(text).append('\n');
  }
}
