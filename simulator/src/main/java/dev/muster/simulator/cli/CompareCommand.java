package dev.muster.simulator.cli;

import dev.muster.simulator.cli.option.ComparedPolicies;
import dev.muster.simulator.cli.option.FailureRate;
import dev.muster.simulator.cli.option.ScenarioOptions;
import dev.muster.simulator.cli.option.Seeds;
import dev.muster.simulator.cli.terminal.ComparisonTable;
import dev.muster.simulator.cli.terminal.ProgressStream;
import dev.muster.simulator.cli.terminal.RunCounter;
import dev.muster.simulator.experiment.Assumptions;
import dev.muster.simulator.experiment.ComparisonVerdict;
import dev.muster.simulator.experiment.ParallelRuns;
import dev.muster.simulator.experiment.PolicyVariant;
import dev.muster.simulator.experiment.RunComparison;
import dev.muster.simulator.experiment.Scenario;
import dev.muster.simulator.experiment.TraceSource;
import dev.muster.simulator.experiment.Variant;
import dev.muster.simulator.file.AtomicFiles;
import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.report.Headline;
import dev.muster.simulator.report.HtmlReport;
import dev.muster.simulator.run.RunObserver;
import dev.muster.simulator.run.record.RunResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// The command `muster simulate compare`: several policies or fleets side by side.
@Command(
    name = "compare",
    description = "Compares policies and fleets job by job; the first one is the baseline.",
    mixinStandardHelpOptions = true)
final class CompareCommand implements Callable<Integer> {
  private static final List<String> FILES = List.of("changes.csv", "report.html");

  @Mixin private ScenarioOptions options = new ScenarioOptions();
  @Mixin private FailureRate failures = new FailureRate();
  @Mixin private ComparedPolicies policies = new ComparedPolicies();

  @Option(
      names = "--seeds",
      defaultValue = "42",
      paramLabel = "FIRST[..LAST]",
      description = "Seeds for node failures. Default: ${DEFAULT-VALUE}.")
  private String seeds = "42";

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Folder for changes.csv and report.html. Default: none.")
  private @Nullable Path out;

  @Spec private CommandSpec spec = CommandSpec.create(); // replaced by picocli

  @Override
  public Integer call() throws IOException, InterruptedException {
    List<Long> all = Seeds.of(seeds);
    List<Scenario> scenarios = scenarios(all);
    ResultFolder.prepare(spec, out, FILES);
    int cores = Runtime.getRuntime().availableProcessors();
    try (InterruptHandler interrupt = new InterruptHandler()) {
      RunObserver observer = (_, _) -> interrupt.getAsBoolean();
      RunCounter done = new RunCounter(ProgressStream.open(), scenarios.size());
      List<RunResult> runs =
          ParallelRuns.map(
              scenarios,
              cores,
              scenario -> {
                RunResult run = scenario.run(observer);
                done.count();
                return run;
              });
      done.end();
      List<List<RunResult>> variants = variants(runs, all.size());
      List<Variant> compared = variants.stream().map(Variant::of).toList();
      System.out.print(ComparisonTable.of(compared));
      if (out != null) {
        write(variants, ComparisonVerdict.of(compared), out);
      }
      interrupt.report(
          "runs marked with * cover the jobs submitted so far; only jobs done in both runs are"
              + " compared.");
    }
    return 0;
  }

  /// Returns all variants, each with all seeds.
  private List<Scenario> scenarios(List<Long> all) {
    TraceSource trace = TraceSource.kept(options.source());
    List<Fleet> fleets = policies.fleets();
    List<PolicyVariant> variants = policies.variants();
    Assumptions assumed = failures.in(options.assumed(fleets, variants));
    List<Scenario> scenarios = new ArrayList<>();
    for (Fleet fleet : fleets) {
      for (PolicyVariant variant : variants) {
        all.forEach(seed -> scenarios.add(new Scenario(fleet, trace, variant, assumed, seed)));
      }
    }
    return scenarios;
  }

  private static List<List<RunResult>> variants(List<RunResult> runs, int seeds) {
    List<List<RunResult>> variants = new ArrayList<>();
    for (int first = 0; first < runs.size(); first += seeds) {
      variants.add(runs.subList(first, first + seeds));
    }
    return variants;
  }

  private static void write(List<List<RunResult>> variants, Headline headline, Path folder)
      throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add("fleet,policy,placement,job_id,queue,gpus,jct_before_s,jct_s,change_s,seed");
    for (List<RunResult> runs : variants) {
      for (int seed = 0; seed < runs.size(); seed++) {
        RunResult run = runs.get(seed);
        RunComparison.of(variants.getFirst().get(seed), run)
            .changes()
            .forEach(change -> lines.add(line(run, change)));
      }
    }
    AtomicFiles.write(
        folder,
        FILES,
        half -> {
          Files.write(half.resolve("changes.csv"), lines);
          HtmlReport.write(
              variants.stream().map(List::getFirst).toList(),
              headline,
              half.resolve("report.html"));
        });
  }

  private static String line(RunResult run, RunComparison.Change change) {
    return String.format(
        Locale.ROOT,
        "\"%s\",%s,%s,\"%s\",\"%s\",%.3f,%.3f,%.3f,%.3f,%d",
        run.fleet().name().replace("\"", "\"\""),
        run.setup().policy(),
        run.setup().placement(),
        change.now().job().id().replace("\"", "\"\""),
        change.now().job().queue().replace("\"", "\"\""),
        change.now().job().gpuMilli() / 1000.0,
        change.before().jctMillis().orElseThrow() / 1000.0,
        change.now().jctMillis().orElseThrow() / 1000.0,
        change.millis() / 1000.0,
        run.setup().seed());
  }
}
