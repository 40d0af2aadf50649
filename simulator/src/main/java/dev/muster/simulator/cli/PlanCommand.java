package dev.muster.simulator.cli;

import dev.muster.simulator.cli.option.ChosenPolicy;
import dev.muster.simulator.cli.option.ScenarioOptions;
import dev.muster.simulator.cli.terminal.ProgressLine;
import dev.muster.simulator.experiment.Assumptions;
import dev.muster.simulator.experiment.FleetPlan;
import dev.muster.simulator.experiment.PlanGoal;
import dev.muster.simulator.experiment.PolicyVariant;
import dev.muster.simulator.experiment.Scenario;
import dev.muster.simulator.experiment.TraceSource;
import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.fleet.FleetNotation;
import dev.muster.simulator.fleet.Fleets;
import dev.muster.simulator.report.FigureText;
import dev.muster.simulator.report.Summary;
import dev.muster.simulator.trace.TraceJob;
import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// The command `muster simulate plan`: the smallest fleet that meets a goal.
@Command(
    name = "plan",
    description = "Finds the smallest fleet of equal nodes that meets a goal.",
    mixinStandardHelpOptions = true)
public final class PlanCommand implements Callable<Integer> {
  @Mixin private ScenarioOptions options = new ScenarioOptions();
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
      description = "Price of a node per hour; adds a column with the cost.")
  private double price;

  @Option(
      names = "--with",
      paramLabel = "FLEET",
      description = "Additional nodes, for example a pool of cloud nodes.")
  private @Nullable String others;

  @Override
  public Integer call() throws InterruptedException {
    PlanGoal wanted = PlanGoal.of(goal);
    if (most < 1 || most > FleetNotation.MOST_NODES) {
      throw new IllegalArgumentException(
          "--most %d: must be 1 to %d.".formatted(most, FleetNotation.MOST_NODES));
    }
    if (!(price >= 0 && price < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          "--price %s: must be a number of 0 or more.".formatted(price));
    }
    TraceSource trace = options.kept();
    PolicyVariant variant = policy.variant();
    Fleet one = fleet(1);
    Assumptions assumed = options.assumed(List.of(one, fleet(most)), List.of(variant));
    Scenario scenario = new Scenario(one, trace, variant, assumed, policy.seed());
    FleetPlan.Found found;
    try (InterruptHandler interrupt = new InterruptHandler()) {
      ProgressLine progress = new ProgressLine(System.err, interrupt);
      try {
        found = FleetPlan.search(scenario, this::fleet, wanted, most, progress);
      } finally {
        progress.end(); // errors start on their own line
      }
      System.out.print(table(found, wanted));
      interrupt.report(
          "the table has the numbers of nodes tried so far; fewer nodes may also meet the goal.");
    }
    return found.nodes().isPresent() ? 0 : 1;
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

  private String table(FleetPlan.Found found, PlanGoal wanted) {
    StringBuilder text = new StringBuilder();
    found.never().ifPresent(job -> text.append(never(job, most)));
    text.append(
        found
            .nodes()
            .map(n -> "%d nodes of %s meet the goal: %s.%n".formatted(n, node, goal))
            .orElse(
                found.stopped() || found.never().isPresent()
                    ? "No number of nodes tried so far meets the goal: %s.%n".formatted(goal)
                    : "Not even %d nodes of %s meet the goal: %s.%n".formatted(most, node, goal)));
    text.append(
        String.format(
            Locale.ROOT,
            "%n%8s %8s %12s %12s%s%s%n",
            "nodes",
            "meets",
            wanted.percentile() + " " + wanted.figure(),
            "utilisation",
            any(found, run -> wanted.unfinished(run) > 0) ? "   unfinished" : "",
            any(found, run -> run.cost() > 0) ? "           cost" : ""));
    for (Map.Entry<Integer, Summary> point : found.curve().entrySet()) {
      text.append(row(point.getKey(), point.getValue(), wanted));
      if (any(found, run -> wanted.unfinished(run) > 0)) {
        text.append(String.format(Locale.ROOT, "%13d", wanted.unfinished(point.getValue())));
      }
      if (any(found, run -> run.cost() > 0)) {
        text.append(String.format(Locale.ROOT, "%15.2f", point.getValue().cost()));
      }
      text.append('\n');
    }
    return text.toString();
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

  private static boolean any(FleetPlan.Found found, Predicate<Summary> is) {
    return found.curve().values().stream().anyMatch(is);
  }

  private static String shown(double figure, PlanGoal wanted) {
    return wanted.figure().equals("slowdown")
        ? String.format(Locale.ROOT, "%.2f", figure)
        : FigureText.time(figure);
  }

  public static String row(int nodes, Summary run, PlanGoal wanted) {
    String shown =
        wanted.of(run).stream().mapToObj(figure -> shown(figure, wanted)).findAny().orElse("-");
    return String.format(
        Locale.ROOT,
        "%8d %8s %12s %11.1f%%",
        nodes,
        wanted.isMet(run) ? "yes" : "no",
        shown,
        100 * run.utilisation());
  }
}
