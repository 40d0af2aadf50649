package dev.muster.simulator.cli;

import dev.muster.simulator.experiment.Comparison;
import dev.muster.simulator.experiment.Confidence;
import dev.muster.simulator.experiment.Models;
import dev.muster.simulator.experiment.Parallel;
import dev.muster.simulator.experiment.Scenario;
import dev.muster.simulator.experiment.TraceSource;
import dev.muster.simulator.experiment.Variant;
import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.fleet.Fleets;
import dev.muster.simulator.report.HtmlReport;
import dev.muster.simulator.report.Summaries;
import dev.muster.simulator.report.Summary;
import dev.muster.simulator.run.RunResult;
import dev.muster.simulator.run.Watch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `muster simulate compare`: several policies or fleets side by side.
@Command(
    name = "compare",
    description = "Compares policies and fleets, job by job, with the first of them.",
    mixinStandardHelpOptions = true)
final class CompareCommand implements Callable<Integer> {
  private static final int WORST = 10;

  @Mixin private ScenarioOptions options = new ScenarioOptions();

  @Option(
      names = "--cluster",
      required = true,
      paramLabel = "FLEET",
      description = "A fleet; may be given several times.")
  private List<String> clusters = List.of();

  @Option(
      names = "--policy",
      split = ",",
      defaultValue = Variant.MUSTER,
      paramLabel = "NAME[/PLACEMENT]",
      description = "Policies, for example fifo-strict/best-fit,easy,muster.")
  private List<String> policies = List.of();

  @Option(
      names = "--seeds",
      defaultValue = "42",
      paramLabel = "FIRST[..LAST]",
      description = "Over which seeds. They matter where nodes fail. Default: ${DEFAULT-VALUE}.")
  private String seeds = "42";

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Where changes.csv and report.html go. Default: nowhere.")
  private @Nullable Path out;

  @Override
  public Integer call() throws IOException, InterruptedException {
    List<Long> all = Seeds.of(seeds);
    List<Scenario> scenarios = scenarios(all);
    int cores = Runtime.getRuntime().availableProcessors();
    try (Interrupt interrupt = new Interrupt()) {
      Watch watch = (_, _) -> interrupt.getAsBoolean();
      List<RunResult> runs = Parallel.map(scenarios, cores, scenario -> scenario.run(watch));
      System.out.print(table(runs, all.size()));
      if (out != null) {
        write(runs, all.size(), out);
      }
      interrupt.tell(
          "runs marked with * are of the jobs submitted so far; jobs are compared that are done in both.");
    }
    return 0;
  }

  /// All variants, each with all seeds.
  private List<Scenario> scenarios(List<Long> all) {
    TraceSource trace = TraceSource.kept(options.source());
    Models models = options.models();
    List<Scenario> scenarios = new ArrayList<>();
    for (String cluster : clusters) {
      Fleet fleet = Fleets.of(cluster);
      for (String policy : policies) {
        Variant variant = variant(policy);
        all.forEach(seed -> scenarios.add(new Scenario(fleet, trace, variant, models, seed)));
      }
    }
    return scenarios;
  }

  /// The policy written `fifo-strict` or `fifo-strict/best-fit`.
  static Variant variant(String text) {
    int slash = text.indexOf('/');
    return slash < 0
        ? Variant.of(text, Optional.empty())
        : Variant.of(text.substring(0, slash), Optional.of(text.substring(slash + 1)));
  }

  private static String table(List<RunResult> runs, int seeds) {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "%-34s %10s %10s %10s %10s %7s %22s %18s%n",
            "",
            "wait mean",
            "wait p95",
            "JCT mean",
            "JCT p95",
            "util.",
            "JCT against the first",
            "better/worse"));
    for (int variant = 0; variant < runs.size(); variant += seeds) {
      text.append(row(runs.subList(0, seeds), runs.subList(variant, variant + seeds)));
    }
    text.append(worst(runs, seeds));
    return text.toString();
  }

  private static String row(List<RunResult> base, List<RunResult> runs) {
    Summary first = Summaries.of(runs.getFirst());
    List<Double> changes = new ArrayList<>();
    for (int i = 0; i < runs.size(); i++) {
      changes.add(Comparison.of(base.get(i), runs.get(i)).meanMillis() / 1000);
    }
    Confidence change = Confidence.of(changes);
    Comparison jobs = Comparison.of(base.getFirst(), runs.getFirst());
    return String.format(
        Locale.ROOT,
        "%-34s %10s %10s %10s %10s %6.1f%% %22s %18s%n",
        name(first),
        SummaryTable.time(first.waitS().mean()),
        SummaryTable.time(first.waitS().p95()),
        SummaryTable.time(first.jctS().mean()),
        SummaryTable.time(first.jctS().p95()),
        100 * first.utilisation(),
        difference(change),
        jobs.better() + "/" + jobs.worse());
  }

  private static String name(Summary run) {
    return "%s %s/%s%s"
        .formatted(run.fleet(), run.policy(), run.placement(), run.cutShort() ? " *" : "");
  }

  private static String difference(Confidence change) {
    String sign = change.mean() < 0 ? "-" : "+";
    String width = change.plusMinus() > 0 ? " +-" + SummaryTable.time(change.plusMinus()) : "";
    return sign + SummaryTable.time(Math.abs(change.mean())) + width;
  }

  private static String worst(List<RunResult> runs, int seeds) {
    StringBuilder text = new StringBuilder();
    for (int variant = seeds; variant < runs.size(); variant += seeds) {
      RunResult run = runs.get(variant);
      List<Comparison.Change> changes = Comparison.of(runs.getFirst(), run).changes();
      text.append(
          "%nWhich got worse under %s on %s:%n"
              .formatted(run.setup().policy(), run.fleet().name()));
      changes.stream()
          .filter(change -> change.millis() > 0)
          .limit(WORST)
          .forEach(change ->
              text.append(
                  "  %-24s %6.1f GPUs  +%s%n"
                      .formatted(
                          change.now().job().id(),
                          change.now().job().gpuMilli() / 1000.0,
                          SummaryTable.time(change.millis() / 1000.0))));
    }
    return text.toString();
  }

  private static void write(List<RunResult> runs, int seeds, Path folder) throws IOException {
    Files.createDirectories(folder);
    List<String> lines = new ArrayList<>();
    lines.add("fleet,policy,placement,job_id,queue,gpus,jct_before_s,jct_s,change_s");
    List<RunResult> shown = new ArrayList<>();
    for (int variant = 0; variant < runs.size(); variant += seeds) {
      RunResult run = runs.get(variant);
      shown.add(run);
      for (Comparison.Change change : Comparison.of(runs.getFirst(), run).changes()) {
        lines.add(line(run, change));
      }
    }
    Files.write(folder.resolve("changes.csv"), lines);
    HtmlReport.write(shown, folder.resolve("report.html"));
  }

  private static String line(RunResult run, Comparison.Change change) {
    return String.format(
        Locale.ROOT,
        "\"%s\",%s,%s,\"%s\",\"%s\",%.3f,%.3f,%.3f,%.3f",
        run.fleet().name().replace("\"", "\"\""),
        run.setup().policy(),
        run.setup().placement(),
        change.now().job().id().replace("\"", "\"\""),
        change.now().job().queue().replace("\"", "\"\""),
        change.now().job().gpuMilli() / 1000.0,
        change.before().jctMillis().orElseThrow() / 1000.0,
        change.now().jctMillis().orElseThrow() / 1000.0,
        change.millis() / 1000.0);
  }
}
