package dev.muster.simulator.summary;

import dev.muster.simulator.run.record.JobOutcome;
import dev.muster.simulator.run.record.LowerBounds;
import dev.muster.simulator.run.record.RunResult;
import dev.muster.simulator.run.record.Sample;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/// Computes the figures of a run: its [Summary].
public final class SummaryCalculation {
  /// The version of `summary.json` and `jobs.csv`.
  public static final String VERSION = "muster-simulation/v1";

  private final RunResult run;
  private final long first;
  private final JobGroup all;

  private SummaryCalculation(RunResult run) {
    this.run = run;
    this.first = run.jobs().stream().mapToLong(j -> j.job().submitMillis()).min().orElse(0);
    this.all = JobGroup.of("all", run.jobs());
  }

  /// Returns the figures of a run.
  public static Summary of(RunResult run) {
    return new SummaryCalculation(run).summary();
  }

  private Summary summary() {
    List<JobGroup> byQueue = groups(job -> job.job().queue());
    List<JobGroup> byUser = groups(job -> job.job().user());
    byUser.sort(Comparator.comparingDouble(JobGroup::gpuHours).reversed());
    NodeCosts costs = new NodeCosts(run, first);
    return new Summary(
        VERSION,
        run.setup().trace(),
        run.fleet().name(),
        run.fleet().nodes().size(),
        run.fleet().gpus(),
        run.setup().policy(),
        run.setup().placement(),
        run.setup().seed(),
        run.cutShort(),
        run.setup().assumptions(),
        RunWarnings.of(run),
        all.jobs(),
        run.setup().skipped(),
        states(),
        Rounding.of((run.endMillis() - first) / 1000.0),
        Rounding.share(integral(Sample::usedGpus), capacity()),
        all.waitS(),
        Distribution.ofMillis(run.jobs(), JobOutcome::queuedMillis),
        all.jctS(),
        all.slowdown(),
        all.preemptions(),
        run.jobs().stream().filter(job -> job.preemptions() > 0).count(),
        all.gpuHours(),
        all.lostGpuHours(),
        Rounding.of(integral(Sample::strandedGpus) / JobGroup.HOUR_MILLIS),
        Rounding.of(integral(Sample::fragmentedGpus) / JobGroup.HOUR_MILLIS),
        Rounding.of(costs.total()),
        costs.cloud(),
        fairness(byQueue),
        fairness(byUser),
        floor(run.bounds()),
        locality(),
        byQueue,
        sizes(),
        byUser,
        GpuHours.of(run, byQueue, byUser),
        Rounding.share(costs.total(), all.gpuHours()),
        Rounding.of(costs.perMonth()),
        run.jobs().stream().mapToLong(JobOutcome::nodeLosses).sum(),
        Rounding.share(all.gpuHours() - all.lostGpuHours(), all.gpuHours()),
        models(),
        ModelUse.of(run));
  }

  private SortedMap<String, Long> states() {
    Map<JobOutcome.State, Long> counts = new EnumMap<>(JobOutcome.State.class);
    run.jobs().forEach(job -> counts.merge(job.state(), 1L, Long::sum));
    SortedMap<String, Long> states = new TreeMap<>();
    for (JobOutcome.State state : JobOutcome.State.values()) {
      states.put(state.name().toLowerCase(Locale.ROOT), counts.getOrDefault(state, 0L));
    }
    return states;
  }

  /// Integrates a figure over time, in milliseconds; it is 0 before the first submission.
  private double integral(ToDoubleFunction<Sample> figure) {
    return run.samples().stream()
        .mapToDouble(sample -> figure.applyAsDouble(sample) * millis(sample, 0))
        .sum();
  }

  /// Integrates the available GPUs over time, in milliseconds, from the first submission on.
  private double capacity() {
    return run.samples().stream()
        .mapToDouble(sample -> sample.totalGpus() * millis(sample, first))
        .sum();
  }

  private static long millis(Sample sample, long from) {
    return Math.max(0, sample.toMillis() - Math.max(from, sample.fromMillis()));
  }

  private static double fairness(List<JobGroup> groups) {
    double[] slow =
        groups.stream().filter(q -> q.done() > 0).mapToDouble(q -> q.slowdown().mean()).toArray();
    double sum = 0;
    double squares = 0;
    for (double each : slow) {
      sum += each;
      squares += each * each;
    }
    return slow.length == 0 ? 1 : Rounding.share(sum * sum, slow.length * squares);
  }

  private Summary.Floor floor(LowerBounds bounds) {
    return new Summary.Floor(
        Rounding.of(bounds.fluidJctMillis() / 1000),
        Rounding.of(bounds.fluidWaitMillis() / 1000),
        Rounding.of(Math.max(0, bounds.makespanMillis() - first) / 1000));
  }

  private List<GangSpread> locality() {
    List<JobOutcome> gangs = GangSpread.gangs(run.jobs());
    List<GangSpread> levels = new ArrayList<>();
    for (int depth = 0; depth < run.fleet().topology().depth(); depth++) {
      int level = depth;
      String name = run.fleet().topology().levels().get(depth).name();
      levels.add(GangSpread.of(name, gangs.stream().map(job -> job.span().get(level)).toList()));
    }
    levels.add(GangSpread.of("node", gangs.stream().map(JobOutcome::nodes).toList()));
    return levels;
  }

  private List<JobGroup> groups(Function<JobOutcome, String> name) {
    List<JobGroup> list = new ArrayList<>();
    byName(run.jobs(), name).forEach((key, jobs) -> list.add(group(key, jobs)));
    return list;
  }

  /// Returns the figures of a group, and reuses those of all jobs where the group has all of them.
  private JobGroup group(String name, List<JobOutcome> jobs) {
    return jobs.size() == all.jobs() ? all.named(name) : JobGroup.of(name, jobs);
  }

  /// Groups jobs by a name, for example by queue.
  public static SortedMap<String, List<JobOutcome>> byName(
      List<JobOutcome> all, Function<JobOutcome, String> name) {
    SortedMap<String, List<JobOutcome>> groups = new TreeMap<>();
    for (JobOutcome job : all) {
      groups.computeIfAbsent(name.apply(job), _ -> new ArrayList<>()).add(job);
    }
    return groups;
  }

  private List<JobGroup> models() {
    List<JobGroup> list = new ArrayList<>();
    byName(run.jobs(), JobOutcome::models)
        .forEach((model, jobs) -> {
          if (!model.isEmpty()) {
            list.add(group(model, jobs));
          }
        });
    return list;
  }

  private List<JobGroup> sizes() {
    TreeMap<Long, List<JobOutcome>> sizes = new TreeMap<>();
    for (JobOutcome job : run.jobs()) {
      sizes.computeIfAbsent(SizeClass.of(job.job().gpuMilli()), _ -> new ArrayList<>()).add(job);
    }
    List<JobGroup> list = new ArrayList<>();
    sizes.forEach((size, jobs) -> list.add(group(SizeClass.name(size), jobs)));
    return list;
  }
}
