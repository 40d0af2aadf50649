package dev.muster.simulator.cli.terminal;

import dev.muster.simulator.experiment.ConfidenceInterval;
import dev.muster.simulator.experiment.RunComparison;
import dev.muster.simulator.report.Distribution;
import dev.muster.simulator.report.Summary;
import dev.muster.simulator.report.SummaryCalculation;
import dev.muster.simulator.run.record.RunResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/// A table that compares variants with the first of them; all figures are means over the seeds.
public final class ComparisonTable {
  private static final int WORST = 10;

  private final StringBuilder text = new StringBuilder();
  private final int seeds;
  private final String row;

  private ComparisonTable(List<List<RunResult>> variants) {
    this.seeds = variants.getFirst().size();
    int width = variants.stream().mapToInt(runs -> name(runs).length()).max().orElse(0);
    this.row = "%-" + width + "s %10s %10s %10s %10s %7s %9s %22s %15s %15s";
  }

  /// Returns the table.
  ///
  /// @param variants one run per seed for each variant, with equal order of seeds
  public static String of(List<List<RunResult>> variants) {
    List<RunResult> base = variants.getFirst();
    ComparisonTable table = new ComparisonTable(variants);
    table.head();
    boolean allComparable = true;
    for (List<RunResult> runs : variants) {
      List<RunComparison> jobs = new ArrayList<>();
      for (int seed = 0; seed < runs.size(); seed++) {
        jobs.add(RunComparison.of(base.get(seed), runs.get(seed)));
      }
      table.row(name(runs), runs.stream().map(SummaryCalculation::of).toList(), jobs);
      allComparable &= jobs.stream().allMatch(each -> each.incomparable() == 0);
    }
    table.notes(allComparable);
    table.skipped(base.getFirst().setup().skipped());
    variants.forEach(table::warnings);
    variants.subList(1, variants.size()).forEach(runs -> table.worst(base, runs));
    return table.text.toString();
  }

  @SuppressWarnings("AnnotateFormatMethod") // the annotation would need one more dependency
  private void line(String format, Object... values) {
    text.append(String.format(Locale.ROOT, format, values)).append('\n');
  }

  private void head() {
    line(
        row,
        "",
        "wait mean",
        "wait p95",
        "JCT mean",
        "JCT p95",
        "util.",
        "not done",
        "JCT vs. first",
        "better/worse",
        "not comparable");
  }

  private void row(String name, List<Summary> runs, List<RunComparison> jobs) {
    line(
        row,
        name,
        time(runs, Summary::waitS, Distribution::mean),
        time(runs, Summary::waitS, Distribution::p95),
        time(runs, Summary::jctS, Distribution::mean),
        time(runs, Summary::jctS, Distribution::p95),
        String.format(Locale.ROOT, "%.1f%%", 100 * mean(runs, Summary::utilisation)),
        count(runs, run -> run.jobs() - run.states().getOrDefault("done", 0L)),
        difference(jobs),
        count(jobs, RunComparison::better) + "/" + count(jobs, RunComparison::worse),
        count(jobs, RunComparison::incomparable));
  }

  /// Returns the mean over the seeds that have the figure; a dash where none has it.
  private static String time(
      List<Summary> runs,
      Function<Summary, Distribution> stats,
      ToDoubleFunction<Distribution> figure) {
    List<Distribution> known = runs.stream().map(stats).filter(each -> each.count() > 0).toList();
    return known.isEmpty() ? "-" : SummaryTable.time(mean(known, figure));
  }

  private static <T> double mean(List<T> all, ToDoubleFunction<T> figure) {
    return all.stream().mapToDouble(figure).average().orElse(0);
  }

  private <T> String count(List<T> all, ToDoubleFunction<T> figure) {
    return String.format(Locale.ROOT, seeds == 1 ? "%.0f" : "%.1f", mean(all, figure));
  }

  private static String name(List<RunResult> runs) {
    RunResult first = runs.getFirst();
    String cut = runs.stream().anyMatch(RunResult::cutShort) ? " *" : "";
    return "%s %s/%s%s"
        .formatted(first.fleet().name(), first.setup().policy(), first.setup().placement(), cut);
  }

  private static String difference(List<RunComparison> jobs) {
    List<Double> means =
        jobs.stream()
            .flatMapToDouble(each -> each.meanMillis().stream())
            .mapToObj(millis -> millis / 1000)
            .toList();
    return means.isEmpty() ? "-" : difference(ConfidenceInterval.of(means));
  }

  private static String difference(ConfidenceInterval change) {
    String sign = change.mean() < 0 ? "-" : "+";
    double plusMinus = change.plusMinus().orElse(0);
    String width = plusMinus > 0 ? " +-" + SummaryTable.time(plusMinus) : "";
    return sign + SummaryTable.time(Math.abs(change.mean())) + width;
  }

  private void notes(boolean allComparable) {
    if (seeds > 1) {
      line("%nAll figures are means over %d seeds.", seeds);
    }
    if (!allComparable) {
      line(
          "%nNot comparable: jobs that are not done in both runs. Means cover only the jobs that a run started or ended, so a variant that never starts the worst jobs looks good.");
    }
  }

  private void skipped(long rows) {
    if (rows > 0) {
      line("%n%,d unreadable rows of the trace skipped.", rows);
    }
  }

  private void warnings(List<RunResult> runs) {
    runs.stream()
        .map(run -> SummaryCalculation.of(run).warnings())
        .filter(told -> !told.isEmpty())
        .findFirst()
        .ifPresent(told -> line("%n%s: %s", name(runs), String.join(" ", told)));
  }

  private void worst(List<RunResult> base, List<RunResult> runs) {
    RunResult run = runs.getFirst();
    List<RunComparison.Change> worse =
        RunComparison.of(base.getFirst(), run).changes().stream()
            .filter(change -> change.millis() > 0)
            .limit(WORST)
            .toList();
    line(
        "%nJobs that got worse under %s on %s%s: %s",
        run.setup().policy(),
        run.fleet().name(),
        seeds == 1 ? "" : " with seed " + run.setup().seed(),
        worse.isEmpty() ? "none" : "");
    for (RunComparison.Change change : worse) {
      line(
          "  %-24s %6.1f GPUs  +%s",
          change.now().job().id(),
          change.now().job().gpuMilli() / 1000.0,
          SummaryTable.time(change.millis() / 1000.0));
    }
  }
}
