package dev.muster.simulator.pack;

import dev.muster.simulator.experiment.ConfidenceInterval;
import dev.muster.simulator.pack.PackRun.Point;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
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

  /// The heading of the printed table.
  static String head(String mix) {
    return String.format(
        Locale.ROOT, "%n%-16s %20s %20s %20s", mix, "allocated", "free, of no use", "published");
  }

  /// The row of the printed table of one policy: its figures at the end, and what was published. A
  /// published deviation is that of one seed.
  static String row(
      String policy, List<List<Point>> runs, Optional<PublishedPacking.Figure> published) {
    int last = runs.getFirst().size() - 1;
    ConfidenceInterval allocated = at(runs, last, Point::allocated);
    return String.format(
        Locale.ROOT,
        "%-16s %20s %20s %20s  %s",
        policy,
        share(allocated),
        share(at(runs, last, Point::fragmented)),
        published.map(PackTable::text).orElse(""),
        published.map(figure -> verdict(figure, 100 * allocated.mean())).orElse(""));
  }

  private static String text(PublishedPacking.Figure figure) {
    return String.format(Locale.ROOT, "%.2f %% (sd %.2f)", figure.mean(), figure.deviation());
  }

  private static String verdict(PublishedPacking.Figure figure, double percent) {
    return String.format(
        Locale.ROOT,
        "%s two deviations: %.1f",
        figure.holds(percent) ? "within" : "OUTSIDE",
        figure.deviations(percent));
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
