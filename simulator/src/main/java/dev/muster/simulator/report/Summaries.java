package dev.muster.simulator.report;

import dev.muster.core.decision.ReasonText;
import dev.muster.simulator.fleet.Terms;
import dev.muster.simulator.run.Budgets;
import dev.muster.simulator.run.Effort;
import dev.muster.simulator.run.JobOutcome;
import dev.muster.simulator.run.LowerBounds;
import dev.muster.simulator.run.Rental;
import dev.muster.simulator.run.RunResult;
import dev.muster.simulator.run.Sample;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/// Computes the figures of a run.
public final class Summaries {
  /// The version of `summary.json` and `jobs.csv`.
  public static final String VERSION = "muster-simulation/v1";

  private static final int TOLD = 5;

  private static final Comparator<Summary.Hours> MOST_FIRST =
      Comparator.comparingDouble(Summary.Hours::gpuHours).reversed();

  private final RunResult run;
  private final long first;
  private final Group all;

  private Summaries(RunResult run) {
    this.run = run;
    this.first = run.jobs().stream().mapToLong(j -> j.job().submitMillis()).min().orElse(0);
    this.all = Group.of("all", run.jobs());
  }

  /// The figures of a run.
  public static Summary of(RunResult run) {
    return new Summaries(run).summary();
  }

  private Summary summary() {
    List<Group> byQueue = groups(job -> job.job().queue());
    List<Group> byUser = groups(job -> job.job().user());
    byUser.sort(Comparator.comparingDouble(Group::gpuHours).reversed());
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
        warnings(),
        all.jobs(),
        run.setup().skipped(),
        states(),
        Rounded.of((run.endMillis() - first) / 1000.0),
        Rounded.share(integral(Sample::usedGpus), capacity()),
        all.waitS(),
        Stats.ofMillis(run.jobs(), JobOutcome::queuedMillis),
        all.jctS(),
        all.slowdown(),
        all.preemptions(),
        run.jobs().stream().filter(job -> job.preemptions() > 0).count(),
        all.gpuHours(),
        all.lostGpuHours(),
        Rounded.of(integral(Sample::strandedGpus) / Group.HOUR_MILLIS),
        Rounded.of(integral(Sample::fragmentedGpus) / Group.HOUR_MILLIS),
        Rounded.of(owned() + rented()),
        cloud(),
        fairness(byQueue),
        fairness(byUser),
        floor(run.bounds()),
        locality(),
        byQueue,
        sizes(),
        byUser,
        usage(hours(byQueue), hours(byUser)));
  }

  private Summary.Usage usage(List<Summary.Hours> queues, List<Summary.Hours> users) {
    List<Summary.Hours> projects = new ArrayList<>();
    byName(job -> job.job().project())
        .forEach((name, jobs) -> projects.add(new Summary.Hours(name, Group.hoursOf(jobs))));
    projects.sort(MOST_FIRST);
    List<Summary.Budget> budgets = new ArrayList<>();
    Budgets given = run.setup().budgets();
    given.queues().forEach((name, hours) -> budgets.add(budget("queue", name, hours, queues)));
    given.users().forEach((name, hours) -> budgets.add(budget("user", name, hours, users)));
    given
        .projects()
        .forEach((name, hours) -> budgets.add(budget("project", name, hours, projects)));
    return new Summary.Usage(queues, users, projects, models(), budgets);
  }

  private static Summary.Budget budget(
      String of, String name, double budget, List<Summary.Hours> used) {
    double hours =
        used.stream()
            .filter(each -> each.name().equals(name))
            .mapToDouble(Summary.Hours::gpuHours)
            .sum();
    return new Summary.Budget(of, name, budget, hours, Rounded.share(hours, budget));
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

  private List<String> warnings() {
    List<String> warnings = new ArrayList<>();
    List<String> given =
        run.jobs().stream()
            .filter(job -> job.state() == JobOutcome.State.UNFINISHED)
            .map(job -> job.job().id())
            .toList();
    if (!given.isEmpty()) {
      warnings.add(unfinished(given));
    }
    reasons(JobOutcome.State.REJECTED, "rejected").ifPresent(warnings::add);
    reasons(JobOutcome.State.WAITING, "still waiting").ifPresent(warnings::add);
    return warnings;
  }

  /// Why so many jobs did not start, the most frequent reason first, each with its first job.
  private Optional<String> reasons(JobOutcome.State state, String words) {
    Map<String, List<JobOutcome>> byToken = new TreeMap<>();
    for (JobOutcome job : run.jobs()) {
      if (job.state() == state && job.why().isPresent()) {
        byToken.computeIfAbsent(ReasonText.token(job.why().get()), _ -> new ArrayList<>()).add(job);
      }
    }
    long jobs = byToken.values().stream().mapToLong(List::size).sum();
    return jobs == 0
        ? Optional.empty()
        : Optional.of(
            String.format(
                Locale.ROOT,
                "%,d %s: %s.",
                jobs,
                words,
                byToken.entrySet().stream()
                    .sorted(Comparator.comparingInt(each -> -each.getValue().size()))
                    .map(each -> reason(each.getKey(), each.getValue()))
                    .collect(Collectors.joining(", "))));
  }

  private static String reason(String token, List<JobOutcome> jobs) {
    JobOutcome first = jobs.getFirst();
    String sentence = first.why().map(ReasonText::sentence).orElse("");
    return String.format(
        Locale.ROOT,
        "%,d %s (%s: %s)",
        jobs.size(),
        token,
        first.job().id(),
        sentence.substring(0, sentence.length() - 1));
  }

  private static String unfinished(List<String> given) {
    String more =
        given.size() > TOLD ? String.format(Locale.ROOT, " and %,d more", given.size() - TOLD) : "";
    return String.format(
        Locale.ROOT,
        "%,d unfinished: nodes failed %,d times in a row before they got on, so they were given up:"
            + " %s%s. A job on n nodes loses one n times as often as a node fails. Maybe let"
            + " checkpoints be closer together (--checkpoint) or restarts shorter (--restart), or"
            + " let nodes fail less often (--mtbf).",
        given.size(),
        Effort.MOST_FAILURES,
        String.join(", ", given.subList(0, Math.min(TOLD, given.size()))),
        more);
  }

  /// The figure, which is 0 before the first submission, times milliseconds.
  private double integral(ToDoubleFunction<Sample> figure) {
    return run.samples().stream()
        .mapToDouble(sample -> figure.applyAsDouble(sample) * millis(sample, 0))
        .sum();
  }

  /// GPUs that were there times milliseconds, from the first submission on.
  private double capacity() {
    return run.samples().stream()
        .mapToDouble(sample -> sample.totalGpus() * millis(sample, first))
        .sum();
  }

  private static long millis(Sample sample, long from) {
    return Math.max(0, sample.toMillis() - Math.max(from, sample.fromMillis()));
  }

  private double owned() {
    double perHour =
        run.fleet().nodes().stream()
            .map(node -> run.fleet().terms(node.id()))
            .filter(terms -> !terms.isOnDemand())
            .mapToDouble(Terms::pricePerHour)
            .sum();
    return perHour * (run.endMillis() - first) / Group.HOUR_MILLIS;
  }

  private double rented() {
    return run.rentals().stream()
        .mapToDouble(rental ->
            hours(rental)
                * run.fleet().terms(run.fleet().nodes().get(rental.node()).id()).pricePerHour())
        .sum();
  }

  private static double hours(Rental rental) {
    return (rental.leftMillis() - rental.askedMillis()) / Group.HOUR_MILLIS;
  }

  private Summary.Cloud cloud() {
    List<long[]> changes = new ArrayList<>();
    for (Rental rental : run.rentals()) {
      changes.add(new long[] {rental.askedMillis(), 1});
      changes.add(new long[] {rental.leftMillis(), -1});
    }
    changes.sort(
        Comparator.<long[]>comparingLong(change -> change[0]).thenComparingLong(c -> c[1]));
    long now = 0;
    long most = 0;
    for (long[] change : changes) {
      now += change[1];
      most = Math.max(most, now);
    }
    double hours = run.rentals().stream().mapToDouble(Summaries::hours).sum();
    return new Summary.Cloud(run.rentals().size(), most, Rounded.of(hours), Rounded.of(rented()));
  }

  private static double fairness(List<Group> groups) {
    double[] slow =
        groups.stream().filter(q -> q.done() > 0).mapToDouble(q -> q.slowdown().mean()).toArray();
    double sum = 0;
    double squares = 0;
    for (double each : slow) {
      sum += each;
      squares += each * each;
    }
    return slow.length == 0 ? 1 : Rounded.share(sum * sum, slow.length * squares);
  }

  private Summary.Floor floor(LowerBounds bounds) {
    return new Summary.Floor(
        Rounded.of(bounds.fluidJctMillis() / 1000),
        Rounded.of(bounds.fluidWaitMillis() / 1000),
        Rounded.of(Math.max(0, bounds.makespanMillis() - first) / 1000));
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

  private List<Group> groups(Function<JobOutcome, String> name) {
    List<Group> list = new ArrayList<>();
    byName(name).forEach((key, jobs) -> list.add(group(key, jobs)));
    return list;
  }

  /// Often all jobs have it in common: then the figures are known.
  private Group group(String name, List<JobOutcome> jobs) {
    return jobs.size() == all.jobs() ? all.named(name) : Group.of(name, jobs);
  }

  private SortedMap<String, List<JobOutcome>> byName(Function<JobOutcome, String> name) {
    SortedMap<String, List<JobOutcome>> groups = new TreeMap<>();
    for (JobOutcome job : run.jobs()) {
      groups.computeIfAbsent(name.apply(job), _ -> new ArrayList<>()).add(job);
    }
    return groups;
  }

  private List<Group> sizes() {
    TreeMap<Long, List<JobOutcome>> sizes = new TreeMap<>();
    for (JobOutcome job : run.jobs()) {
      sizes.computeIfAbsent(sizeClass(job.job().gpuMilli()), _ -> new ArrayList<>()).add(job);
    }
    List<Group> list = new ArrayList<>();
    sizes.forEach((size, jobs) -> list.add(group(sizeName(size), jobs)));
    return list;
  }

  /// The class of a size, so that classes sort by size: 0 for no GPU, 1 for a part of one, else
  /// twice the least power of two that is not below the number of GPUs.
  private static long sizeClass(long gpuMilli) {
    long gpus = (gpuMilli + 999) / 1000;
    return gpuMilli < 1000 ? Math.min(1, gpuMilli) : 2 * Long.highestOneBit(2 * gpus - 1);
  }

  /// The name of the job's class of sizes.
  static String sizeOf(JobOutcome job) {
    return sizeName(sizeClass(job.job().gpuMilli()));
  }

  private static String sizeName(long size) {
    if (size < 2) {
      return size == 0 ? "no GPU" : "part of 1";
    }
    long most = size / 2;
    return most <= 2 ? String.valueOf(most) : (most / 2 + 1) + "-" + most;
  }

  private static List<Summary.Hours> hours(List<Group> groups) {
    return groups.stream()
        .map(group -> new Summary.Hours(group.name(), group.gpuHours()))
        .sorted(MOST_FIRST)
        .toList();
  }

  private List<Summary.Hours> models() {
    Map<String, Double> hours = new TreeMap<>();
    for (int node = 0; node < run.fleet().nodes().size(); node++) {
      double held =
          Arrays.stream(run.occupancy().gpuMillis(List.of(node))).sum() / Group.HOUR_MILLIS;
      hours.merge(run.fleet().nodes().get(node).model().name(), held, Double::sum);
    }
    return hours.entrySet().stream()
        .filter(each -> each.getValue() > 0)
        .map(each -> new Summary.Hours(each.getKey(), Rounded.of(each.getValue())))
        .sorted(MOST_FIRST)
        .toList();
  }
}
