package dev.muster.simulator.cli.option;

import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.state.Policies;
import dev.muster.policy.config.ConfigurationLoader;
import dev.muster.policy.config.MusterConfiguration;
import dev.muster.policy.preemption.load.PolicyLoader;
import dev.muster.simulator.baseline.BaselineOptions;
import dev.muster.simulator.baseline.NodeChoice;
import dev.muster.simulator.experiment.Assumptions;
import dev.muster.simulator.experiment.ModelWishes;
import dev.muster.simulator.experiment.PolicyVariant;
import dev.muster.simulator.experiment.TraceSource;
import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.run.OutageSchedule;
import dev.muster.simulator.run.PreemptionCost;
import dev.muster.simulator.run.RestartTimes;
import dev.muster.simulator.run.record.QueueBudgets;
import dev.muster.simulator.run.record.SpeedModel;
import dev.muster.simulator.trace.Trace;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// Options of all commands that simulate a trace: the trace and the assumptions.
public final class ScenarioOptions {
  @Mixin private TraceChoice trace = new TraceChoice();

  @Option(
      names = "--arrivals",
      defaultValue = "1",
      paramLabel = "FACTOR",
      description = "Arrival rate relative to the trace. Default: ${DEFAULT-VALUE}.")
  private double arrivals;

  @Option(
      names = "--restart",
      split = ",",
      paramLabel = "[SIZES:][MODEL:]TIME",
      description =
          "Time lost per restart after a preemption, migration or node failure, for example 2m or"
              + " 8+:10m,V100:5m,2m; the first that fits a job counts. Default: 0s.")
  private List<String> restart = List.of();

  @Option(
      names = "--checkpoint",
      paramLabel = "TIME",
      description =
          "Checkpoint interval; work since the last checkpoint is lost when a job is stopped."
              + " Default: no work is lost.")
  private @Nullable Duration checkpoint;

  @Option(
      names = "--speed",
      split = ",",
      paramLabel = "MODEL=FACTOR",
      description = "Relative speed per GPU model, for example V100=1.9. Default: 1.")
  private List<String> speeds = List.of();

  @Option(
      names = "--prefer",
      split = ",",
      paramLabel = "SIZES:MODEL",
      description =
          "GPU models that jobs of a size prefer, if the trace names none, for example"
              + " 8+:V100,1-7:P100>P4. Default: none.")
  private List<String> prefer = List.of();

  @Option(
      names = "--slowdown",
      split = ",",
      paramLabel = "LEVEL=FACTOR",
      description =
          "Run time factor of gangs that span several domains of a topology level, or several"
              + " nodes. Default: 1.")
  private List<String> slowdowns = List.of();

  @Option(
      names = "--mtbf",
      paramLabel = "TIME",
      description = "Mean time between failures per node. Default: no failures.")
  private @Nullable Duration mtbf;

  @Option(
      names = "--repair",
      defaultValue = "1h",
      paramLabel = "TIME",
      description = "Mean time to repair a node. Default: ${DEFAULT-VALUE}.")
  private Duration repair = Duration.ofHours(1);

  @Option(
      names = "--maintenance",
      split = ",",
      paramLabel = "NODE@FROM+LENGTH",
      description = "Maintenance windows, for example node-00003@2h+30m. Default: none.")
  private List<String> maintenance = List.of();

  @Option(
      names = "--latency",
      defaultValue = "0s",
      paramLabel = "TIME",
      description =
          "Time from a scheduling decision until the pods are bound (muster only). Default:"
              + " ${DEFAULT-VALUE}.")
  private Duration latency = Duration.ZERO;

  @Option(
      names = "--preemption",
      paramLabel = "FILE",
      description =
          "Preemption policy of muster, a file or folder as for the live server. Default: no"
              + " preemption.")
  private @Nullable Path preemption;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description =
          "Configuration of the live server; its queues, gangs and backfill settings apply to"
              + " muster. Default: the built-in defaults.")
  private @Nullable Path config;

  @Option(
      names = "--budgets",
      paramLabel = "FILE",
      description = "GPU-hour budgets of queues, users and projects; reported, not enforced.")
  private @Nullable Path budgets;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec = CommandSpec.create();

  /// Returns the trace.
  public TraceSource source() {
    return trace.source();
  }

  /// Returns the trace, kept in memory for many runs.
  ///
  /// It prints the number of skipped rows, since the tables of these commands do not show it.
  ///
  /// @throws IllegalArgumentException if it has no jobs
  public TraceSource kept() {
    TraceSource kept = TraceSource.kept(source());
    try (Trace jobs = kept.open()) {
      if (jobs.skipped() > 0) {
        System.out.printf("%,d unreadable rows of the trace skipped%n", jobs.skipped());
      }
    }
    return kept;
  }

  /// Returns the assumptions.
  ///
  /// @param fleets the simulated fleets
  /// @param policies the simulated policies
  /// @throws IllegalArgumentException if a speed or slowdown names a model or level that no fleet
  ///   has, or an option was given that no policy uses
  public Assumptions assumed(List<Fleet> fleets, List<PolicyVariant> policies) {
    return assumed(fleets, policies, List.of(this));
  }

  /// Returns the assumptions of one of several combinations of options.
  ///
  /// @param all the combinations; an option is refused only if none of them uses it
  public Assumptions assumed(
      List<Fleet> fleets, List<PolicyVariant> policies, List<ScenarioOptions> all) {
    RestartTimes restarts = restarts();
    OptionChecks.check(
        all.stream().map(each -> each.spec.commandLine().getParseResult()).toList(), policies);
    return new Assumptions(
        new SpeedModel(Factors.of("--speed", speeds), Factors.of("--slowdown", slowdowns))
            .on(fleets),
        new PreemptionCost(Optional.ofNullable(checkpoint), restarts.on(fleets)),
        new OutageSchedule(
                Optional.ofNullable(mtbf),
                repair,
                maintenance.stream().map(MaintenanceWindows::of).toList())
            .on(fleets),
        latency,
        BaselineOptions.of(NodeChoice.CONSOLIDATED),
        arrivals,
        policies(),
        budgets == null ? QueueBudgets.NONE : QueueBudgets.read(budgets).orThrow(this::refusal),
        ModelWishes.of(prefer).on(fleets));
  }

  /// Returns a hash of all inputs of a run except the fleet, the seed and the policy.
  ///
  /// @param assumed result of [#assumed]
  public Fingerprint fingerprint(Assumptions assumed) {
    return new Fingerprint()
        .with(List.of(spec.root().version())) // decisions may differ between versions
        .withFile(trace.file())
        .withFile(config)
        .with(
            trace.options(),
            assumed.speed(),
            assumed.preemptionCost(),
            assumed.outages(),
            assumed.latency())
        .with(assumed.options(), assumed.arrivals(), assumed.budgets(), assumed.wishes())
        .with(assumed.policies().preemption().revision());
  }

  private RestartTimes restarts() {
    try {
      return RestartTimes.parse(restart);
    } catch (IllegalArgumentException wrong) {
      throw refusal("--restart: " + wrong.getMessage());
    }
  }

  private Policies policies() {
    Policies policies =
        config == null
            ? Policies.DEFAULT
            : policies(ConfigurationLoader.load(config).orThrow(this::refusal));
    return preemption == null
        ? policies
        : policies.with(PolicyLoader.plain(preemption).orThrow(this::refusal));
  }

  /// Lets every queue admit gangs of all namespaces, because traces have no namespaces.
  private static Policies policies(MusterConfiguration live) {
    List<Queue> queues =
        live.queues().stream().map(entry -> entry.queue().taking(List.of())).toList();
    return live.policies(Queues.of(queues, live.usageHalfLife()));
  }

  private ParameterException refusal(String problems) {
    return new ParameterException(spec.commandLine(), problems);
  }
}
