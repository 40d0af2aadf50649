package dev.muster.simulator.cli;

import dev.muster.policy.file.Durations;
import dev.muster.simulator.cli.option.ComparedPolicies;
import dev.muster.simulator.cli.option.NodeFailures;
import dev.muster.simulator.cli.option.ScenarioAxes;
import dev.muster.simulator.cli.option.ScenarioOptions;
import dev.muster.simulator.cli.option.Seeds;
import dev.muster.simulator.cli.option.ShardOption;
import dev.muster.simulator.cli.terminal.ProgressStream;
import dev.muster.simulator.cli.terminal.RunCounter;
import dev.muster.simulator.cli.terminal.SweepTable;
import dev.muster.simulator.experiment.Assumptions;
import dev.muster.simulator.experiment.ParallelRuns;
import dev.muster.simulator.experiment.ParameterSweep;
import dev.muster.simulator.experiment.Scenario;
import dev.muster.simulator.experiment.SweepVerdict;
import dev.muster.simulator.experiment.TraceSource;
import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.report.Headline;
import dev.muster.simulator.report.HtmlReport;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// The command `muster simulate sweep`: every combination of the listed values.
@Command(
    name = "sweep",
    description =
        "Runs every combination of the listed values in parallel; resumes where it stopped.",
    mixinStandardHelpOptions = true)
final class SweepCommand implements Callable<Integer> {
  private static final int MOST_THREADS = 1_024;

  @Mixin private ScenarioOptions options = new ScenarioOptions();
  @Mixin private ComparedPolicies policies = new ComparedPolicies();
  @Mixin private ScenarioAxes axes = new ScenarioAxes();

  @Option(
      names = "--scale",
      split = ",",
      defaultValue = "1",
      paramLabel = "FACTOR",
      description =
          "Arrival rates relative to --arrivals, for example 1,1.2,1.5. Default: ${DEFAULT-VALUE}.")
  private List<Double> scales = List.of();

  @Option(
      names = "--failures",
      split = ",",
      paramLabel = "TIME",
      description =
          "Failures of nodes: mean times per node or rates, for example never,30d,1/1000gpu-days."
              + " Default: --mtbf.")
  private List<String> failures = List.of();

  @Option(
      names = "--seeds",
      defaultValue = "42",
      paramLabel = "FIRST[..LAST]",
      description =
          "Seeds for node failures; one run where nodes never fail. Default: ${DEFAULT-VALUE}.")
  private String seeds = "42";

  @Option(
      names = "--index",
      paramLabel = "I",
      description = "Part to run, numbered from 0. Default: $JOB_COMPLETION_INDEX, or 0.")
  private @Nullable Integer index;

  @Option(
      names = "--of",
      defaultValue = "1",
      paramLabel = "N",
      description = "Number of parts of the sweep. Default: ${DEFAULT-VALUE}.")
  private int of = 1;

  @Option(
      names = "--threads",
      defaultValue = "0",
      paramLabel = "N",
      description = "Number of concurrent runs. Default: number of cores.")
  private int threads;

  @Option(
      names = "--merge-only",
      description = "Only writes sweep.csv from the runs in the folder.")
  private boolean mergeOnly;

  @Option(
      names = "--out",
      required = true,
      paramLabel = "DIR",
      description = "Folder for runs/, sweep.csv and report.html.")
  private Path out = Path.of("");

  @Spec private CommandSpec spec = CommandSpec.create(); // replaced by picocli

  @Override
  public Integer call() throws IOException, InterruptedException {
    ShardOption part = ShardOption.of(index, of, System.getenv());
    if (threads < 0 || threads > MOST_THREADS) {
      throw new IllegalArgumentException(
          "--threads %d: must be 0 to %d.".formatted(threads, MOST_THREADS));
    }
    ParameterSweep sweep = new ParameterSweep(points(), out);
    ResultFolder.prepare(spec, out, List.of("sweep.csv", "report.html"));
    try (InterruptHandler interrupt = new InterruptHandler()) {
      if (!mergeOnly) {
        run(sweep, sweep.missing(part.index(), part.of()), interrupt);
      }
      int done = sweep.merge();
      List<ParameterSweep.Result> results = sweep.results();
      System.out.print(SweepTable.of(results));
      if (!results.isEmpty()) {
        Headline headline = SweepVerdict.of(results, SweepTable.report(results));
        HtmlReport.write(List.of(), headline, out.resolve("report.html"));
      }
      System.out.printf(
          "%d of %d runs are done; %s has a line for each.%n",
          done, sweep.points().size(), out.resolve("sweep.csv"));
      interrupt.report("run the same command again to resume.");
    }
    return 0;
  }

  private void run(ParameterSweep sweep, List<Integer> missing, InterruptHandler interrupt)
      throws InterruptedException {
    int many = threads > 0 ? threads : Runtime.getRuntime().availableProcessors();
    RunCounter done = new RunCounter(ProgressStream.open(), missing.size());
    ParallelRuns.map(
        missing,
        many,
        number -> {
          Scenario scenario = sweep.points().get(number).scenario();
          if (interrupt.getAsBoolean()) {
            sweep.keep(number, scenario.run((_, _) -> interrupt.getAsBoolean()));
          }
          if (interrupt.getAsBoolean()) {
            done.count();
          }
          return number;
        });
    done.end();
  }

  private List<ParameterSweep.Point> points() {
    List<SequencedMap<String, String>> combinations = axes.combinations();
    TraceSource trace = options.kept();
    List<Fleet> fleets = policies.fleets();
    List<ScenarioOptions> each = combinations.stream().map(this::options).toList();
    List<ParameterSweep.Point> points = new ArrayList<>();
    for (int i = 0; i < each.size(); i++) {
      Assumptions given = each.get(i).assumed(fleets, policies.variants(), each);
      for (Fleet fleet : fleets) {
        SortedMap<String, String> values = new TreeMap<>(combinations.get(i));
        values.put("cluster", fleet.name());
        String print = each.get(i).fingerprint(given).withFile(Path.of(fleet.name())).text();
        add(points, fleet, trace, given, values, print);
      }
    }
    return points;
  }

  /// Adds the points of a fleet under given assumptions.
  ///
  /// @param axes the values that are equal for all of them
  private void add(
      List<ParameterSweep.Point> points,
      Fleet fleet,
      TraceSource trace,
      Assumptions given,
      SortedMap<String, String> axes,
      String print) {
    for (String policy : policies.names()) {
      for (double scale : scales.stream().distinct().toList()) {
        for (NodeFailures failure : failures(given)) {
          for (long seed : seeds(failure, seeds)) {
            SortedMap<String, String> values = new TreeMap<>(axes);
            values.put("policy", policy);
            values.put("scale", Double.toString(scale));
            values.put("failures", failure.text());
            values.put("seed", Long.toString(seed));
            Assumptions assumed =
                given.with(failure.in(given.outages())).hastened(given.arrivals() * scale);
            Scenario scenario =
                new Scenario(fleet, trace, ComparedPolicies.variant(policy), assumed, seed);
            points.add(new ParameterSweep.Point(values, scenario, print));
            ParameterSweep.checkRuns(points.size());
          }
        }
      }
    }
  }

  /// Returns the scenario options of this command with these values of the axes.
  private ScenarioOptions options(SequencedMap<String, String> values) {
    if (values.isEmpty()) {
      return options;
    }
    SweepCommand with = new SweepCommand();
    CommandLine line = Simulate.converting(new CommandLine(with));
    line.getCommandSpec().version(spec.root().version()); // part of the fingerprint
    List<String> arguments = ScenarioAxes.arguments(spec.commandLine().getParseResult(), values);
    try {
      line.parseArgs(arguments.toArray(String[]::new));
    } catch (ParameterException wrong) {
      throw new ParameterException(
          spec.commandLine(), "--axis %s: %s".formatted(values, wrong.getMessage()));
    }
    return with.options;
  }

  private List<NodeFailures> failures(Assumptions given) {
    Optional<Duration> mtbf = given.outages().mtbf();
    if (mtbf.isPresent() && !failures.isEmpty()) {
      throw new IllegalArgumentException("--mtbf and --failures exclude each other.");
    }
    return failures.isEmpty()
        ? List.of(
            mtbf.map(time -> new NodeFailures(Durations.print(time), mtbf, false))
                .orElse(NodeFailures.NEVER))
        : failures.stream().map(text -> NodeFailures.of("--failures", text)).distinct().toList();
  }

  /// Returns the seeds; only the first where nodes never fail, since nothing else is random.
  private static List<Long> seeds(NodeFailures failures, String text) {
    List<Long> all = Seeds.of(text);
    return failures.between().isEmpty() ? List.of(all.getFirst()) : all;
  }
}
