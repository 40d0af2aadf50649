package dev.muster.simulator.cli;

import dev.muster.simulator.experiment.Confidence;
import dev.muster.simulator.experiment.TraceSource;
import dev.muster.simulator.file.WholeFiles;
import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.fleet.Fleets;
import dev.muster.simulator.pack.PackPolicy;
import dev.muster.simulator.pack.PackRun;
import dev.muster.simulator.pack.PackRun.Point;
import dev.muster.simulator.trace.Trace;
import dev.muster.simulator.trace.TraceJob;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// `muster simulate pack`: how much of a fleet can be handed out.
@Command(
    name = "pack",
    description = "Fills a fleet with pods that never leave, and shows what is left of no use.",
    mixinStandardHelpOptions = true)
final class PackCommand implements Callable<Integer> {
  @Option(
      names = "--cluster",
      required = true,
      paramLabel = "FLEET",
      description = "A file, or nodes x GPUs like 12x8.")
  private String cluster = "";

  @Mixin private TraceChoice trace = new TraceChoice();

  @Option(
      names = "--policy",
      split = ",",
      defaultValue = "random,best-fit,dot-product,gpu-packing,gpu-clustering,fgd,muster",
      paramLabel = "NAME",
      description = "Default: ${DEFAULT-VALUE}.")
  private List<String> policies = List.of();

  @Option(
      names = "--demand",
      defaultValue = "1.3",
      paramLabel = "SHARE",
      description =
          "Pods come until they have asked for so much of all GPUs. Default: ${DEFAULT-VALUE}.")
  private double demand;

  @Option(
      names = "--seeds",
      defaultValue = "42..51",
      paramLabel = "FIRST[..LAST]",
      description = "Default: ${DEFAULT-VALUE}.")
  private String seeds = "42..51";

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Where pack.csv goes. Default: nowhere.")
  private @Nullable Path out;

  @Spec private CommandSpec spec = CommandSpec.create(); // picocli puts the real one here

  @Override
  public Integer call() throws IOException {
    ScenarioOptions.checkLists(spec.commandLine().getParseResult());
    List<PackPolicy> chosen = policies.stream().distinct().map(PackPolicy::of).toList();
    Fleet fleet = Fleets.of(cluster);
    List<TraceJob> jobs = new ArrayList<>();
    try (Trace pods = trace.source().open()) {
      pods.forEachRemaining(jobs::add);
      if (jobs.isEmpty()) {
        throw TraceSource.empty(trace.file().toString(), pods.skipped());
      }
      if (pods.skipped() > 0) {
        System.out.printf(
            "%,d rows of the trace could not be read and were left out%n", pods.skipped());
      }
    }
    PackRun.check(demand);
    List<Long> all = Seeds.of(seeds);
    Results.prepare(spec, out, List.of("pack.csv"));
    try (Interrupt interrupt = new Interrupt()) {
      List<String> lines = new ArrayList<>();
      for (PackPolicy policy : chosen) {
        List<List<Point>> runs = runs(fleet, jobs, policy, all, interrupt);
        boolean cut = !interrupt.getAsBoolean();
        if (policy == chosen.getFirst()) { // before it anything may have been refused
          System.out.printf("%-16s %22s %22s%n", "", "allocated", "free, of no use");
        }
        row(policy.key(), runs, cut).ifPresent(System.out::println);
        lines.addAll(lines(policy.key(), runs, cut));
        if (cut) {
          break;
        }
      }
      if (out != null && !lines.isEmpty()) {
        lines.addFirst("policy,arrived,allocated,allocated_95,fragmented,fragmented_95,cut_short");
        WholeFiles.write(out.resolve("pack.csv"), half -> Files.write(half, lines));
      }
      interrupt.tell(
          lines.isEmpty()
              ? "no policy came far enough with all seeds to tell anything of it."
              : "policies that are not shown had not come far enough.");
    }
    return 0;
  }

  private List<List<Point>> runs(
      Fleet fleet, List<TraceJob> jobs, PackPolicy policy, List<Long> all, BooleanSupplier goesOn) {
    return all.parallelStream()
        .map(seed -> PackRun.of(fleet, jobs, policy, demand, seed, goesOn))
        .toList();
  }

  /// So many points have all runs.
  private static int points(List<List<Point>> runs) {
    return runs.stream().mapToInt(List::size).min().orElse(0);
  }

  /// The lines of the file.
  ///
  /// @param cut whether the policy was stopped before its end: then it counts as far as all came
  static List<String> lines(String policy, List<List<Point>> runs, boolean cut) {
    return IntStream.range(0, points(runs))
        .mapToObj(i -> line(policy, runs, i) + "," + cut)
        .toList();
  }

  /// The last of them, as it is shown; empty if there is none.
  static Optional<String> row(String policy, List<List<Point>> runs, boolean cut) {
    int last = points(runs) - 1;
    return last < 0
        ? Optional.empty()
        : Optional.of(
            String.format(
                Locale.ROOT,
                "%-16s %22s %22s%s",
                policy,
                share(at(runs, last, Point::allocated)),
                share(at(runs, last, Point::fragmented)),
                cut ? "  STOPPED EARLY, at %d %% asked for".formatted(last + 1) : ""));
  }

  private static Confidence at(List<List<Point>> runs, int i, ToDoubleFunction<Point> figure) {
    return Confidence.of(runs.stream().map(run -> figure.applyAsDouble(run.get(i))).toList());
  }

  private static String share(Confidence share) {
    String mean = String.format(Locale.ROOT, "%.2f %%", 100 * share.mean());
    return share.plusMinus().isEmpty()
        ? mean
        : mean + String.format(Locale.ROOT, " +-%.2f", 100 * share.plusMinus().getAsDouble());
  }

  /// The half-width in the file; empty where there is none.
  private static String width(Confidence share) {
    return share.plusMinus().isEmpty()
        ? ""
        : String.format(Locale.ROOT, "%.6f", share.plusMinus().getAsDouble());
  }

  private static String line(String policy, List<List<Point>> runs, int i) {
    Confidence allocated = at(runs, i, Point::allocated);
    Confidence fragmented = at(runs, i, Point::fragmented);
    return String.format(
        Locale.ROOT,
        "%s,%.2f,%.6f,%s,%.6f,%s",
        policy,
        runs.getFirst().get(i).arrived(),
        allocated.mean(),
        width(allocated),
        fragmented.mean(),
        width(fragmented));
  }
}
