package dev.muster.simulator.pack;

import dev.muster.simulator.experiment.ConfidenceInterval;
import dev.muster.simulator.pack.PackRun.Point;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/// Formats packing results: a row of the printed table, and the lines of `pack.csv`.
///
/// All figures are shares of the fleet's GPUs, means over the seeds. A half width of a 95 %
/// confidence interval is left out where there is one seed.
final class PackTable {
  /// The columns of `pack.csv`.
  static final String HEADER = "policy,arrived,allocated,allocated_95,fragmented,fragmented_95";

  private PackTable() {}

  /// Returns the lines of `pack.csv` of one policy, one for each requested hundredth of the fleet's
  /// GPUs.
  ///
  /// @param runs one run per seed, all with the same number of points
  static List<String> lines(String policy, List<List<Point>> runs) {
    return IntStream.range(0, runs.getFirst().size()).mapToObj(i -> line(policy, runs, i)).toList();
  }

  /// The row of the printed table of one policy: its figures at the end.
  static String row(String policy, List<List<Point>> runs) {
    int last = runs.getFirst().size() - 1;
    return String.format(
        Locale.ROOT,
        "%-16s %22s %22s",
        policy,
        share(at(runs, last, Point::allocated)),
        share(at(runs, last, Point::fragmented)));
  }

  private static ConfidenceInterval at(
      List<List<Point>> runs, int i, ToDoubleFunction<Point> figure) {
    return ConfidenceInterval.of(
        runs.stream().map(run -> figure.applyAsDouble(run.get(i))).toList());
  }

  private static String share(ConfidenceInterval share) {
    String mean = String.format(Locale.ROOT, "%.2f %%", 100 * share.mean());
    return share.plusMinus().isEmpty()
        ? mean
        : mean + String.format(Locale.ROOT, " +-%.2f", 100 * share.plusMinus().getAsDouble());
  }

  private static String width(ConfidenceInterval share) {
    return share.plusMinus().isEmpty()
        ? ""
        : String.format(Locale.ROOT, "%.6f", share.plusMinus().getAsDouble());
  }

  private static String line(String policy, List<List<Point>> runs, int i) {
    ConfidenceInterval allocated = at(runs, i, Point::allocated);
    ConfidenceInterval fragmented = at(runs, i, Point::fragmented);
    return String.format(
        Locale.ROOT,
        "%s,%.2f,%.6f,%s,%.6f,%s",
        policy,
        runs.getFirst().get(i).arrived(),
        allocated.mean(),
        width(allocated),
        fragmented.mean(),
        width(fragmented));
  }
}
