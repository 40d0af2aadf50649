package dev.muster.simulator.cli;

import dev.muster.simulator.cli.option.ChosenPolicy;
import dev.muster.simulator.cli.option.FailureRate;
import dev.muster.simulator.cli.option.ScenarioOptions;
import dev.muster.simulator.cli.terminal.DrawProgress;
import dev.muster.simulator.cli.terminal.PlanTable;
import dev.muster.simulator.cli.terminal.ProgressLine;
import dev.muster.simulator.cli.terminal.ProgressStream;
import dev.muster.simulator.experiment.Assumptions;
import dev.muster.simulator.experiment.FleetPlan;
import dev.muster.simulator.experiment.PlanBand;
import dev.muster.simulator.experiment.PlanFiles;
import dev.muster.simulator.experiment.PlanGoal;
import dev.muster.simulator.experiment.Planned;
import dev.muster.simulator.experiment.PolicyVariant;
import dev.muster.simulator.experiment.Scenario;
import dev.muster.simulator.experiment.TraceSource;
import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.fleet.FleetNotation;
import dev.muster.simulator.fleet.Fleets;
import dev.muster.simulator.trace.TraceJob;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// The command `muster simulate plan`: the smallest fleet that meets a goal.
@Command(
    name = "plan",
    description = "Finds the smallest fleet of equal nodes that meets a goal.",
    mixinStandardHelpOptions = true)
public final class PlanCommand implements Callable<Integer> {
  private static final int MOST_RESAMPLES = 999;

  @Mixin private ScenarioOptions options = new ScenarioOptions();
  @Mixin private FailureRate failures = new FailureRate();
  @Mixin private ChosenPolicy policy = new ChosenPolicy();

  @Option(
      names = "--goal",
      required = true,
      paramLabel = "GOAL",
      description = "Goal, for example \"p95 wait of queue prod under 15m\".")
  private String goal = "";

  @Option(
      names = "--node",
      defaultValue = "8",
      paramLabel = "GPUS[:MODEL]",
      description = "GPUs and model of each node. Default: ${DEFAULT-VALUE}.")
  private String node = "8";

  @Option(
      names = "--most",
      defaultValue = "4096",
      paramLabel = "N",
      description = "Maximum number of nodes to try. Default: ${DEFAULT-VALUE}.")
  private int most;

  @Option(
      names = "--price",
      defaultValue = "0",
      paramLabel = "AMOUNT",
      description = "Price of a node per hour; adds columns with the cost.")
  private double price;

  @Option(
      names = "--with",
      paramLabel = "FLEET",
      description = "Additional nodes, for example a pool of cloud nodes.")
  private @Nullable String others;

  @Option(
      names = "--resamples",
      defaultValue = "19",
      paramLabel = "N",
      description =
          "Number of traces drawn from the weeks of the trace, each with its own seed, for the range"
              + " of the answer. Default: ${DEFAULT-VALUE}, for 90 %%.")
  private int resamples;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Folder for plan.csv, plan.json and report.html. Default: none.")
  private @Nullable Path out;

  @Spec private CommandSpec spec = CommandSpec.create(); // replaced by picocli

  @Override
  public Integer call() throws IOException, InterruptedException {
    PlanGoal wanted = PlanGoal.of(goal);
    if (resamples < PlanBand.LEAST_DRAWS || resamples > MOST_RESAMPLES) {
      throw new IllegalArgumentException(
          "--resamples %d: must be %d to %d. One trace and one seed give one number by chance."
              .formatted(resamples, PlanBand.LEAST_DRAWS, MOST_RESAMPLES));
    }
    if (most < 1 || most > FleetNotation.MOST_NODES) {
      throw new IllegalArgumentException(
          "--most %d: must be 1 to %d.".formatted(most, FleetNotation.MOST_NODES));
    }
    if (!(price >= 0 && price < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          "--price %s: must be a number of 0 or more.".formatted(price));
    }
    TraceSource trace = options.kept();
    wanted.check(trace);
    PolicyVariant variant = policy.variant();
    Fleet one = fleet(1);
    Assumptions assumed = failures.in(options.assumed(List.of(one, fleet(most)), List.of(variant)));
    Scenario scenario = new Scenario(one, trace, variant, assumed, policy.seed());
    ResultFolder.prepare(spec, out, PlanFiles.NAMES);
    try (InterruptHandler interrupt = new InterruptHandler()) {
      Planned planned = new Planned(goal, wanted, node, most, found(scenario, wanted, interrupt));
      System.out.print(PlanTable.of(planned));
      planned.found().never().ifPresent(job -> System.out.print(never(job, most)));
      if (out != null) {
        PlanFiles.write(planned, scenario, out);
      }
      interrupt.report(
          "the table has the numbers of nodes tried so far; other numbers may be the answer.");
      return planned.found().nodes().isPresent() ? 0 : 1;
    }
  }

  private FleetPlan.Found found(Scenario scenario, PlanGoal wanted, InterruptHandler interrupt)
      throws InterruptedException {
    ProgressLine progress = new ProgressLine(ProgressStream.open(), interrupt);
    int cores = Runtime.getRuntime().availableProcessors();
    DrawProgress drawn = new DrawProgress(ProgressStream.open(), interrupt);
    try {
      PlanBand.Draws draws = new PlanBand.Draws(resamples, cores, drawn);
      return FleetPlan.search(scenario, this::fleet, wanted, most, draws, progress);
    } finally {
      progress.end(); // errors start on their own line
      drawn.end();
    }
  }

  private Fleet fleet(int nodes) {
    Optional<Fleet> besides = Optional.ofNullable(others).map(Fleets::of);
    Fleet equal =
        FleetNotation.parse(nodes + "x" + node, name(besides))
            .filter(fleet -> fleet.nodes().size() == nodes) // a comma would list several node types
            .orElseThrow(() ->
                new IllegalArgumentException(
                    "--node \"%s\": not of the form GPUS[:MODEL], such as 8:V100.".formatted(node)))
            .priced(price);
    return besides.isPresent() ? besides.get().and(equal) : equal;
  }

  /// Returns a name prefix for the nodes that no node of the other pools has.
  private static String name(Optional<Fleet> besides) {
    if (besides.isEmpty()) {
      return FleetNotation.NODE;
    }
    String name = "planned";
    while (isTaken(name, besides.get())) {
      name = "more-" + name;
    }
    return name;
  }

  private static boolean isTaken(String name, Fleet fleet) {
    return fleet.nodes().stream().anyMatch(node -> node.id().name().startsWith(name + "-"));
  }

  /// Returns the message about a job whose request fits on no number of nodes up to `most`.
  static String never(TraceJob job, int most) {
    List<String> models = job.constraints().gpus().models();
    String required =
        job.constraints().topology().required().map(", all in one "::concat).orElse("");
    return "Job %s never starts, not even on %s: it requests %d x %s%s%s.%n"
        .formatted(
            job.id(),
            most == 1 ? "one node" : most + " nodes",
            job.workers(),
            gpus(job.memberGpuMilli()),
            models.isEmpty() ? "" : " of the model " + String.join(" or ", models),
            required);
  }

  private static String gpus(long milli) {
    return BigDecimal.valueOf(milli, 3).stripTrailingZeros().toPlainString()
        + (milli == 1000 ? " GPU" : " GPUs");
  }
}
