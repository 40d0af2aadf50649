package dev.muster.simulator.cli;

import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.engine.Policies;
import dev.muster.policy.config.ConfigurationLoader;
import dev.muster.policy.config.MusterConfiguration;
import dev.muster.policy.preemption.PolicyLoader;
import dev.muster.simulator.baseline.NodeChoice;
import dev.muster.simulator.baseline.PolicyName;
import dev.muster.simulator.baseline.Semantics;
import dev.muster.simulator.experiment.Assumptions;
import dev.muster.simulator.experiment.TraceSource;
import dev.muster.simulator.experiment.Variant;
import dev.muster.simulator.file.PlainNumber;
import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.run.Budgets;
import dev.muster.simulator.run.Losses;
import dev.muster.simulator.run.Outages;
import dev.muster.simulator.run.Pace;
import dev.muster.simulator.trace.Trace;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/// What every simulation of a trace may be told: the trace, and what is assumed of the world.
final class ScenarioOptions {
  /// An option that only some policies go by.
  private record OfSome(String option, String policies, Predicate<Variant> any) {
    static OfSome live(String option) {
      return new OfSome(option, Variant.MUSTER, policy -> policy.classic().isEmpty());
    }

    static OfSome classic(String option, PolicyName... policies) {
      List<PolicyName> some = List.of(policies);
      return new OfSome(
          option,
          String.join(" or ", some.stream().map(PolicyName::key).toList()),
          policy -> policy.classic().filter(some::contains).isPresent());
    }
  }

  private static final List<OfSome> OF_SOME =
      List.of(
          OfSome.live("--preemption"),
          OfSome.live("--config"),
          OfSome.live("--latency"),
          new OfSome(
              "--one-gpu-workers", "a classic policy", policy -> policy.classic().isPresent()),
          new OfSome("--charge", "a classic policy", policy -> policy.classic().isPresent()),
          OfSome.classic("--reservations", PolicyName.EASY, PolicyName.CONSERVATIVE),
          OfSome.classic("--thresholds", PolicyName.LAS));

  @Mixin private TraceChoice trace = new TraceChoice();

  @Option(
      names = "--arrivals",
      defaultValue = "1",
      paramLabel = "FACTOR",
      description = "How much more often jobs come than in the trace. Default: ${DEFAULT-VALUE}.")
  private double arrivals;

  @Option(
      names = "--reservations",
      defaultValue = "counted",
      paramLabel = "counted|named",
      description =
          "Whether a backfill reservation of easy and conservative counts GPUs or names them."
              + " Default: ${DEFAULT-VALUE}.")
  private Semantics.Reservations reservations = Semantics.Reservations.COUNTED;

  @Option(
      names = "--one-gpu-workers",
      description = "A job of k GPUs counts as a gang of k workers of one GPU (classic policies).")
  private boolean oneGpuWorkers;

  @Option(
      names = "--thresholds",
      split = ",",
      defaultValue = "1h,10h",
      paramLabel = "TIME",
      description =
          "GPU time after which a job falls to the next queue of las. Default: ${DEFAULT-VALUE}.")
  private List<Duration> thresholds = List.of();

  @Option(
      names = "--restart",
      defaultValue = "0s",
      paramLabel = "TIME",
      description =
          "What a restart after a preemption, a move or a lost node costs. Default:"
              + " ${DEFAULT-VALUE}.")
  private Duration restart = Duration.ZERO;

  @Option(
      names = "--charge",
      defaultValue = "restart",
      paramLabel = "restart|every_event",
      description =
          "When the classic policies charge --restart: at restarts, or whenever an event interrupts"
              + " a run (Muri). Default: ${DEFAULT-VALUE}.")
  private Semantics.Charge charge = Semantics.Charge.RESTART;

  @Option(
      names = "--checkpoint",
      paramLabel = "TIME",
      description =
          "How much work lies between two checkpoints; work since the last is lost. Default:"
              + " nothing is lost.")
  private @Nullable Duration checkpoint;

  @Option(
      names = "--speed",
      split = ",",
      paramLabel = "MODEL=FACTOR",
      description = "How fast a GPU model is, for example V100=1.9. Default: 1.")
  private List<String> speeds = List.of();

  @Option(
      names = "--slowdown",
      split = ",",
      paramLabel = "LEVEL=FACTOR",
      description =
          "By what the run time is multiplied when a gang spans more than one domain of a level, or"
              + " node. Default: 1.")
  private List<String> slowdowns = List.of();

  @Option(
      names = "--mtbf",
      paramLabel = "TIME",
      description = "Mean time between failures of a node. Default: nodes do not fail.")
  private @Nullable Duration mtbf;

  @Option(
      names = "--repair",
      defaultValue = "1h",
      paramLabel = "TIME",
      description = "Mean time until a failed node is back. Default: ${DEFAULT-VALUE}.")
  private Duration repair = Duration.ofHours(1);

  @Option(
      names = "--maintenance",
      split = ",",
      paramLabel = "NODE@FROM+LENGTH",
      description = "Takes a node out for some time, for example node-00003@2h+30m.")
  private List<String> maintenance = List.of();

  @Option(
      names = "--latency",
      defaultValue = "0s",
      paramLabel = "TIME",
      description =
          "How long the control plane takes from a decision until the pods run (muster). Default:"
              + " ${DEFAULT-VALUE}.")
  private Duration latency = Duration.ZERO;

  @Option(
      names = "--preemption",
      paramLabel = "FILE",
      description =
          "The preemption policy of muster, a file or folder as the live server takes it. Default:"
              + " nobody is stopped.")
  private @Nullable Path preemption;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description =
          "The configuration of the live server: muster goes by its queues, gangs and backfill."
              + " Default: as without a file.")
  private @Nullable Path config;

  @Option(
      names = "--budgets",
      paramLabel = "FILE",
      description = "GPU-hours that queues, users and projects may use, to account against.")
  private @Nullable Path budgets;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec = CommandSpec.create();

  /// The trace.
  TraceSource source() {
    return trace.source();
  }

  /// The trace, for many runs. What was left out of it is said at once: no table of theirs does.
  ///
  /// @throws IllegalArgumentException if it has no jobs
  TraceSource kept() {
    TraceSource kept = TraceSource.kept(source());
    try (Trace jobs = kept.open()) {
      if (jobs.skipped() > 0) {
        System.out.printf(
            "%,d rows of the trace could not be read and were left out%n", jobs.skipped());
      }
    }
    return kept;
  }

  /// What is assumed of the world.
  ///
  /// @param fleets those that are simulated
  /// @param policies those that decide
  /// @throws IllegalArgumentException if a speed or slowdown is of something that none of the
  ///   fleets has, or an option was given that none of the policies goes by
  Assumptions assumed(List<Fleet> fleets, List<Variant> policies) {
    check(policies);
    Losses losses = new Losses(Optional.ofNullable(checkpoint), restart);
    Semantics semantics =
        Semantics.of(NodeChoice.CONSOLIDATED)
            .with(reservations)
            .withOneGpuWorkers(oneGpuWorkers)
            .with(thresholds)
            .with(restart, charge);
    return new Assumptions(
        new Pace(factors("--speed", speeds), factors("--slowdown", slowdowns)).on(fleets),
        losses,
        new Outages(
                Optional.ofNullable(mtbf), repair, maintenance.stream().map(Windows::of).toList())
            .on(fleets),
        latency,
        semantics,
        arrivals,
        policies(),
        budgets == null ? Budgets.NONE : Budgets.read(budgets).orThrow(this::refusal));
  }

  /// All that results hang on but the fleet, the seed and who decides.
  ///
  /// @param assumed what [#assumed] gave
  Fingerprint fingerprint(Assumptions assumed) {
    return new Fingerprint()
        .with(List.of(spec.root().version())) // another version may decide otherwise
        .withFile(trace.file())
        .withFile(config)
        .with(
            trace.options(), assumed.pace(), assumed.losses(), assumed.outages(), assumed.latency())
        .with(assumed.semantics(), assumed.arrivals(), assumed.budgets())
        .with(assumed.policies().preemption().revision());
  }

  /// What is of no use would change nothing, and nobody would know.
  private void check(List<Variant> policies) {
    List<String> names = policies.stream().map(Variant::name).distinct().toList();
    ParseResult given = spec.commandLine().getParseResult();
    checkLists(given);
    for (OfSome each : OF_SOME) {
      if (given.hasMatchedOption(each.option()) && policies.stream().noneMatch(each.any())) {
        throw new IllegalArgumentException(
            "%s is for %s; %s %s. Maybe leave %s out, or take %s with --policy."
                .formatted(
                    each.option(),
                    each.policies(),
                    names.size() == 1 ? "the policy here is" : "the policies here are",
                    String.join(", ", names),
                    each.option(),
                    each.policies()));
      }
    }
    if (given.hasMatchedOption("--repair")
        && !given.hasMatchedOption("--mtbf")
        && !given.hasMatchedOption("--failures")) {
      throw new IllegalArgumentException(
          "There is --repair, but no node fails. Maybe add --mtbf, the mean time between failures"
              + " of a node.");
    }
    checkLosses(policies, given);
  }

  /// A list of nothing, such as a comma alone, would be passed over without a word.
  static void checkLists(ParseResult given) {
    for (OptionSpec option : given.matchedOptions()) {
      boolean list = !option.splitRegex().isEmpty();
      if (list && option.getValue() instanceof Collection<?> values && values.isEmpty()) {
        throw new IllegalArgumentException(
            "%s \"%s\" lists nothing. Maybe leave it out."
                .formatted(option.longestName(), String.join(" ", option.originalStringValues())));
      }
    }
  }

  private void checkLosses(List<Variant> policies, ParseResult given) {
    boolean someStop =
        !maintenance.isEmpty()
            || Stream.of("--preemption", "--mtbf", "--failures").anyMatch(given::hasMatchedOption)
            || policies.stream().anyMatch(ScenarioOptions::stops);
    for (String loss : List.of("--restart", "--checkpoint")) {
      if (!someStop && given.hasMatchedOption(loss)) {
        throw new IllegalArgumentException(
            "There is %s, but nobody is ever stopped. Maybe add --preemption, --mtbf or --maintenance, or leave %s out."
                .formatted(loss, loss));
      }
    }
  }

  private static boolean stops(Variant policy) {
    return policy.classic().filter(PolicyName::preempts).isPresent();
  }

  /// Not left to the command line's own maps: of a name that is given twice these take the last.
  private static SortedMap<String, Double> factors(String option, List<String> entries) {
    SortedMap<String, Double> factors = new TreeMap<>();
    for (String entry : entries) {
      int equals = entry.lastIndexOf('=');
      String name = entry.substring(0, Math.max(0, equals));
      if (name.isEmpty() || factors.containsKey(name)) {
        throw new IllegalArgumentException(
            name.isEmpty()
                ? "%s \"%s\" is not of the form NAME=FACTOR. Maybe you meant V100=1.9."
                    .formatted(option, entry)
                : "%s names \"%s\" twice. Maybe leave one of them out.".formatted(option, name));
      }
      factors.put(name, factor(option, entry, entry.substring(equals + 1)));
    }
    return factors;
  }

  private static double factor(String option, String entry, String text) {
    try {
      return PlainNumber.decimal(text);
    } catch (NumberFormatException _) {
      throw new IllegalArgumentException(
          "%s \"%s\": the factor \"%s\" is no number. Maybe you meant 1.9."
              .formatted(option, entry, text));
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

  /// Traces know queues, but no namespaces: so every queue takes gangs of all.
  private static Policies policies(MusterConfiguration live) {
    List<Queue> queues =
        live.queues().stream().map(entry -> entry.queue().taking(List.of())).toList();
    return live.policies(Queues.of(queues, live.usageHalfLife()));
  }

  private ParameterException refusal(String problems) {
    return new ParameterException(spec.commandLine(), problems);
  }
}
