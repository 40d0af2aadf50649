package dev.muster.simulator.cli.terminal;

import dev.muster.core.decision.PlainText;
import dev.muster.simulator.experiment.ConfidenceInterval;
import dev.muster.simulator.experiment.DelayReason;
import dev.muster.simulator.experiment.RunComparison;
import dev.muster.simulator.experiment.TradeOff;
import dev.muster.simulator.experiment.Variant;
import dev.muster.simulator.experiment.Variant.Waits;
import dev.muster.simulator.report.FigureText;
import dev.muster.simulator.run.record.JobOutcome;
import dev.muster.simulator.run.record.RunResult;
import dev.muster.simulator.summary.Distribution;
import dev.muster.simulator.summary.Summary;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/// The tables of a comparison with the first variant; all figures are means over the seeds.
///
/// The first table has the figures of each variant. The second one has what a mean hides: the size
/// and the queue that wait longest, and the jobs that are later than under the first variant.
public final class ComparisonTable {
  private static final int WORST = 10;

  private final StringBuilder text = new StringBuilder();
  private final List<Variant> variants;
  private final int seeds;
  private final int width;
  private final boolean priced;

  private ComparisonTable(List<Variant> variants) {
    this.variants = variants;
    this.seeds = variants.getFirst().runs().size();
    this.width = variants.stream().mapToInt(each -> name(each).length()).max().orElse(0);
    this.priced = variants.stream().anyMatch(each -> each.mean(Summary::cost) > 0);
  }

  /// Returns the tables.
  ///
  /// @param variants one run per seed for each variant, with equal order of seeds
  public static String of(List<Variant> variants) {
    ComparisonTable table = new ComparisonTable(variants);
    table.figures();
    table.line("");
    boolean allComparable = table.differences();
    table.notes(allComparable);
    table.skipped(variants.getFirst().runs().getFirst().setup().skipped());
    variants.forEach(table::warnings);
    table.tradeOffs();
    variants.subList(1, variants.size()).forEach(table::worst);
    return table.text.toString();
  }

  @SuppressWarnings("AnnotateFormatMethod") // the annotation would need one more dependency
  private void line(String format, Object... values) {
    text.append(String.format(Locale.ROOT, format, PlainText.values(values))).append('\n');
  }

  private void row(String name, List<String> cells, List<Integer> widths) {
    StringBuilder row = new StringBuilder(name).repeat(' ', width - name.length());
    for (int i = 0; i < cells.size(); i++) {
      row.repeat(' ', Math.max(2, 2 + widths.get(i) - cells.get(i).length())).append(cells.get(i));
    }
    text.append(row).append('\n');
  }

  private void figures() {
    List<Integer> widths = List.of(9, 9, 9, 9, 9, 6, 8, 8, 12, 12);
    List<String> heads =
        new ArrayList<>(
            List.of(
                "wait mean",
                "wait p95",
                "wait p99",
                "JCT mean",
                "JCT p95",
                "util.",
                "stranded",
                "not done"));
    if (priced) {
      heads.addAll(List.of("cost", "per GPU-hour"));
    }
    row("", heads, widths);
    for (Variant each : variants) {
      List<String> cells = new ArrayList<>();
      cells.add(time(each, Summary::waitS, Distribution::mean));
      cells.add(time(each, Summary::waitS, Distribution::p95));
      cells.add(time(each, Summary::waitS, Distribution::p99));
      cells.add(time(each, Summary::jctS, Distribution::mean));
      cells.add(time(each, Summary::jctS, Distribution::p95));
      cells.add(String.format(Locale.ROOT, "%.1f%%", 100 * each.mean(Summary::utilisation)));
      cells.add(String.format(Locale.ROOT, "%,.0f", each.mean(Summary::strandedGpuHours)));
      cells.add(
          count(
              each.figures().stream()
                  .mapToDouble(run -> run.jobs() - run.states().getOrDefault("done", 0L))
                  .average()));
      if (priced) {
        cells.add(String.format(Locale.ROOT, "%,.0f", each.mean(Summary::cost)));
        cells.add(String.format(Locale.ROOT, "%.2f", each.mean(Summary::costPerGpuHour)));
      }
      row(name(each), cells, widths);
    }
  }

  /// Prints the second table.
  ///
  /// @return true if all jobs of all variants can be compared
  private boolean differences() {
    List<Integer> widths =
        List.of(
            longest(Variant::worstSize), longest(Variant::worstQueue), seeds > 1 ? 22 : 13, 12, 14);
    row(
        "",
        List.of(
            "worst size p95", "worst queue p95", "JCT vs. first", "better/worse", "not comparable"),
        widths);
    boolean allComparable = true;
    for (Variant each : variants) {
      List<RunComparison> jobs = comparisons(each);
      row(
          name(each),
          List.of(
              text(each.worstSize()),
              text(each.worstQueue()),
              difference(jobs),
              count(jobs.stream().mapToDouble(RunComparison::better).average())
                  + "/"
                  + count(jobs.stream().mapToDouble(RunComparison::worse).average()),
              count(jobs.stream().mapToDouble(RunComparison::incomparable).average())),
          widths);
      allComparable &= jobs.stream().allMatch(seed -> seed.incomparable() == 0);
    }
    return allComparable;
  }

  private int longest(Function<Variant, Optional<Waits>> of) {
    int longest = variants.stream().mapToInt(each -> text(of.apply(each)).length()).max().orElse(0);
    return Math.max("worst queue p95".length(), longest);
  }

  private static String text(Optional<Waits> group) {
    return group
        .map(each -> each.name() + ": " + FigureText.time(each.p95().orElseThrow()))
        .orElse("-");
  }

  private List<RunComparison> comparisons(Variant variant) {
    List<RunComparison> jobs = new ArrayList<>();
    for (int seed = 0; seed < seeds; seed++) {
      jobs.add(RunComparison.of(variants.getFirst().runs().get(seed), variant.runs().get(seed)));
    }
    return jobs;
  }

  /// Returns the mean over the seeds that have the figure; a dash where none has it.
  private static String time(
      Variant variant,
      Function<Summary, Distribution> stats,
      ToDoubleFunction<Distribution> figure) {
    OptionalDouble mean = variant.mean(stats, figure);
    return mean.isEmpty() ? "-" : FigureText.time(mean.getAsDouble());
  }

  private String count(OptionalDouble mean) {
    return String.format(Locale.ROOT, seeds == 1 ? "%.0f" : "%.1f", mean.orElse(0));
  }

  private static String name(Variant variant) {
    RunResult first = variant.runs().getFirst();
    String cut = variant.runs().stream().anyMatch(RunResult::cutShort) ? " *" : "";
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
    String width = plusMinus > 0 ? " +-" + FigureText.time(plusMinus) : "";
    return sign + FigureText.time(Math.abs(change.mean())) + width;
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

  private void warnings(Variant variant) {
    variant.figures().stream()
        .map(Summary::warnings)
        .filter(told -> !told.isEmpty())
        .findFirst()
        .ifPresent(told -> line("%n%s: %s", name(variant), String.join(" ", told)));
  }

  private void tradeOffs() {
    List<String> sentences =
        variants.stream().flatMap(each -> TradeOff.of(variants.getFirst(), each).stream()).toList();
    if (!sentences.isEmpty()) {
      line("");
      sentences.forEach(sentence -> line("%s", sentence));
    }
  }

  private void worst(Variant variant) {
    RunResult base = variants.getFirst().runs().getFirst();
    RunResult run = variant.runs().getFirst();
    List<RunComparison.Change> worse =
        RunComparison.of(base, run).changes().stream()
            .filter(change -> change.millis() > 0)
            .limit(WORST)
            .toList();
    line(
        "%nJobs that got worse under %s on %s%s: %s",
        run.setup().policy(),
        run.fleet().name(),
        seeds == 1 ? "" : " with seed " + run.setup().seed(),
        worse.isEmpty() ? "none" : "");
    DelayReason reason = new DelayReason(base, run);
    for (RunComparison.Change change : worse) {
      JobOutcome job = change.now();
      String why = reason.of(change);
      line(
          "  %-24s %6.1f GPUs%s  +%s%s",
          job.job().id(),
          job.job().gpuMilli() / 1000.0,
          job.job().queue().isEmpty() ? "" : "  " + job.job().queue(),
          FigureText.time(change.millis() / 1000.0),
          why.isEmpty() ? "" : ": " + why);
    }
  }
}
