package dev.muster.simulator.experiment;

import dev.muster.policy.file.Durations;
import dev.muster.simulator.file.PlainNumber;
import dev.muster.simulator.summary.Distribution;
import dev.muster.simulator.summary.JobGroup;
import dev.muster.simulator.summary.Summary;
import dev.muster.simulator.trace.Trace;
import dev.muster.simulator.trace.TraceJob;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// A goal for a fleet, such as `p95 wait of queue prod under 15m`.
///
/// @param percentile `mean`, `p50`, `p90`, `p95`, `p99` or `max`
/// @param figure `wait`, `jct` or `slowdown`
/// @param jobs the queue or user whose jobs count; absent: all jobs
/// @param limit the largest permitted figure: seconds, or a factor for the slowdown
public record PlanGoal(String percentile, String figure, Optional<Owner> jobs, double limit) {
  private static final int MOST_NAMED = 20;
  private static final Pattern FORM =
      Pattern.compile(
          "(mean|p50|p90|p95|p99|max) (wait|jct|slowdown)(?: of (queue|user|namespace) (\\S+))? under (\\S+)");

  /// Parses a goal as a user writes it.
  ///
  /// @throws IllegalArgumentException if it has another form
  public static PlanGoal of(String text) {
    Matcher matcher = FORM.matcher(text.strip());
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "Goal \"%s\": not of the form \"p95 wait of queue prod under 15m\", with mean, p50, p90, p95, p99 or max of wait, jct or slowdown."
              .formatted(text));
    }
    boolean factor = matcher.group(2).equals("slowdown");
    double limit = factor ? factor(matcher.group(5)) : seconds(matcher.group(5), text);
    Optional<Owner> jobs =
        Optional.ofNullable(matcher.group(3)).map(kind -> new Owner(kind, matcher.group(4)));
    return new PlanGoal(matcher.group(1), matcher.group(2), jobs, limit);
  }

  private static double seconds(String limit, String goal) {
    try {
      return Durations.parse(limit).toMillis() / 1000.0;
    } catch (IllegalArgumentException refused) {
      throw new IllegalArgumentException(
          "Goal \"%s\": %s".formatted(goal, refused.getMessage()), refused);
    }
  }

  private static double factor(String text) {
    try {
      double factor = PlainNumber.decimal(text);
      if (factor >= 1 && factor < Double.POSITIVE_INFINITY) {
        return factor;
      }
    } catch (NumberFormatException _) {
      // the error below covers numbers out of range too
    }
    throw new IllegalArgumentException(
        "Goal: the slowdown \"%s\" is not a number of 1 or more.".formatted(text));
  }

  /// Returns the figure of a run; absent where no job contributes to it.
  public OptionalDouble of(Summary run) {
    return jobs.isEmpty()
        ? of(stats(run.waitS(), run.jctS(), run.slowdown()))
        : group(run).map(this::of).orElse(OptionalDouble.empty());
  }

  private OptionalDouble of(JobGroup group) {
    return of(stats(group.waitS(), group.jctS(), group.slowdown()));
  }

  private Distribution stats(Distribution wait, Distribution jct, Distribution slowdown) {
    return figure.equals("wait") ? wait : figure.equals("jct") ? jct : slowdown;
  }

  private OptionalDouble of(Distribution stats) {
    return stats.count() == 0 ? OptionalDouble.empty() : OptionalDouble.of(figure(stats));
  }

  private double figure(Distribution stats) {
    return switch (percentile) {
      case "mean" -> stats.mean();
      case "p50" -> stats.p50();
      case "p90" -> stats.p90();
      case "p95" -> stats.p95();
      case "p99" -> stats.p99();
      case "max" -> stats.max();
      default -> throw new IllegalStateException("Unknown percentile " + percentile);
    };
  }

  /// True if all jobs of the goal are done and their figure is within the limit.
  public boolean isMet(Summary run) {
    return unfinished(run) == 0 && of(run).stream().allMatch(each -> each <= limit);
  }

  /// Returns the number of jobs of the goal that are not done.
  ///
  /// The figures of a run do not cover these jobs, which may be waiting or rejected.
  public long unfinished(Summary run) {
    return jobs.isEmpty()
        ? run.jobs() - run.states().getOrDefault("done", 0L)
        : group(run).map(group -> group.jobs() - group.done()).orElse(0L);
  }

  /// True if the goal applies to this job.
  boolean counts(TraceJob job) {
    return jobs.isEmpty() || jobs.get().name().equals(jobs.get().of(job));
  }

  /// Checks before the first run that the trace has jobs of the goal.
  ///
  /// @throws IllegalArgumentException if it has none
  public void check(TraceSource trace) {
    if (jobs.isEmpty()) {
      return;
    }
    SortedSet<String> names = new TreeSet<>();
    try (Trace all = trace.open()) {
      all.forEachRemaining(job -> names.add(jobs.get().of(job)));
    }
    names.remove("");
    Owner wanted = jobs.get();
    if (!names.contains(wanted.name())) {
      throw new IllegalArgumentException(
          "Unknown %s %s; the trace has %s."
              .formatted(
                  wanted.kind(),
                  wanted.name(),
                  names.isEmpty() ? "no %ss".formatted(wanted.kind()) : listed(names)));
    }
  }

  private static String listed(SortedSet<String> names) {
    String first = names.stream().limit(MOST_NAMED).collect(Collectors.joining(", "));
    return names.size() > MOST_NAMED
        ? "%s and %d more".formatted(first, names.size() - MOST_NAMED)
        : first;
  }

  /// The owner of some jobs.
  ///
  /// @param kind `queue`, `user` or `namespace`, which is the user in traces of live clusters
  /// @param name its name
  public record Owner(String kind, String name) {
    private boolean isQueue() {
      return kind.equals("queue");
    }

    String of(TraceJob job) {
      return isQueue() ? job.queue() : job.user();
    }

    List<JobGroup> groups(Summary run) {
      return isQueue() ? run.byQueue() : run.byUser();
    }
  }

  /// Returns the figures of the jobs; absent where a resampled trace has none of them.
  private Optional<JobGroup> group(Summary run) {
    return jobs.flatMap(owner ->
        owner.groups(run).stream().filter(group -> group.name().equals(owner.name())).findFirst());
  }
}
