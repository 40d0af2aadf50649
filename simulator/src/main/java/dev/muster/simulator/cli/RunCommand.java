package dev.muster.simulator.cli;

import dev.muster.simulator.cli.option.ChosenPolicy;
import dev.muster.simulator.cli.option.FailureRate;
import dev.muster.simulator.cli.option.ScenarioOptions;
import dev.muster.simulator.cli.terminal.ProgressLine;
import dev.muster.simulator.cli.terminal.ProgressStream;
import dev.muster.simulator.cli.terminal.SummaryTable;
import dev.muster.simulator.experiment.Assumptions;
import dev.muster.simulator.experiment.PolicyVariant;
import dev.muster.simulator.experiment.Scenario;
import dev.muster.simulator.experiment.TraceSource;
import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.fleet.Fleets;
import dev.muster.simulator.report.ResultFiles;
import dev.muster.simulator.report.TeamPages;
import dev.muster.simulator.run.record.RunResult;
import dev.muster.simulator.summary.Summary;
import dev.muster.simulator.summary.SummaryCalculation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// The command `muster simulate run`: a trace on a fleet under one policy.
@Command(
    name = "run",
    description = "Simulates a trace on a fleet under one policy.",
    mixinStandardHelpOptions = true)
final class RunCommand implements Callable<Integer> {
  @Mixin private ScenarioOptions options = new ScenarioOptions();
  @Mixin private FailureRate failures = new FailureRate();
  @Mixin private ChosenPolicy policy = new ChosenPolicy();

  @Option(
      names = "--cluster",
      required = true,
      paramLabel = "FLEET",
      description = "Fleet: a file, or nodes x GPUs like 12x8 or 4x8:V100,2x4:P4.")
  private String cluster = "";

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Folder for jobs.csv, summary.json and report.html. Default: none.")
  private @Nullable Path out;

  @Option(
      names = "--teams",
      description = "Also writes team-NAME.html with the jobs of each queue alone to --out.")
  private boolean teams;

  @Spec private CommandSpec spec = CommandSpec.create(); // replaced by picocli

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (teams && out == null) {
      throw new IllegalArgumentException("--teams needs --out, the folder of the pages.");
    }
    PolicyVariant variant = policy.variant();
    TraceSource trace = options.source();
    Fleet fleet = Fleets.of(cluster);
    Assumptions assumed = failures.in(options.assumed(List.of(fleet), List.of(variant)));
    Scenario scenario = new Scenario(fleet, trace, variant, assumed, policy.seed());
    ResultFolder.prepare(spec, out, ResultFiles.NAMES);
    try (InterruptHandler interrupt = new InterruptHandler()) {
      ProgressLine progress = new ProgressLine(ProgressStream.open(), interrupt);
      RunResult result;
      try {
        result = scenario.run(progress);
      } finally {
        progress.end(); // errors start on their own line
      }
      System.out.print(SummaryTable.of(written(result)));
      interrupt.report("the result covers the jobs submitted so far.");
    }
    return 0;
  }

  /// Writes the results; prints the summary even if this fails, since the run may have taken hours.
  private Summary written(RunResult result) throws IOException {
    if (out == null) {
      return SummaryCalculation.of(result);
    }
    try {
      Summary summary = ResultFiles.write(result, out);
      if (teams) {
        TeamPages.write(result, out);
      }
      return summary;
    } catch (IOException e) {
      System.out.print(SummaryTable.of(SummaryCalculation.of(result)));
      throw e;
    }
  }
}
