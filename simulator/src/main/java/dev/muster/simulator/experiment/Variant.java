package dev.muster.simulator.experiment;

import dev.muster.simulator.run.record.RunResult;
import dev.muster.simulator.summary.Distribution;
import dev.muster.simulator.summary.JobGroup;
import dev.muster.simulator.summary.Summary;
import dev.muster.simulator.summary.SummaryCalculation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/// One policy on one fleet: its runs, one for each seed, and their figures.
///
/// @param runs the runs
/// @param figures the figures of each run
public record Variant(List<RunResult> runs, List<Summary> figures) {
  public Variant {
    runs = List.copyOf(runs);
    figures = List.copyOf(figures);
  }

  /// Computes the figures of the runs of a variant.
  ///
  /// @param runs at least one
  public static Variant of(List<RunResult> runs) {
    return new Variant(runs, runs.stream().map(SummaryCalculation::of).toList());
  }

  /// The name in sentences, for example `easy on 12x8`.
  public String name() {
    return "%s on %s".formatted(figures.getFirst().policy(), figures.getFirst().fleet());
  }

  /// The name with the file of the fleet instead of its path.
  public String shortName() {
    return "%s on %s".formatted(figures.getFirst().policy(), last(figures.getFirst().fleet()));
  }

  /// Returns the last name of a path.
  static String last(String path) {
    return path.substring(1 + Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')));
  }

  /// Returns the mean of a figure over the seeds.
  public double mean(ToDoubleFunction<Summary> figure) {
    return figures.stream().mapToDouble(figure).average().orElse(0);
  }

  /// Returns the mean of a figure over the seeds that have one; absent where none has.
  public OptionalDouble mean(
      Function<Summary, Distribution> of, ToDoubleFunction<Distribution> figure) {
    return figures.stream().map(of).filter(each -> each.count() > 0).mapToDouble(figure).average();
  }

  /// The jobs of a size or queue. All figures are means over the seeds.
  ///
  /// @param kind `GPUs` or `queue`
  /// @param name the size class, or the name of the queue
  /// @param p95 the 95th percentile of their waits in seconds; absent where none started
  /// @param done the jobs that are done
  public record Waits(String kind, String name, OptionalDouble p95, double done) {
    static Waits of(String kind, List<JobGroup> seeds) {
      return new Waits(
          kind,
          seeds.getFirst().name(),
          seeds.stream()
              .filter(group -> group.waitS().count() > 0)
              .mapToDouble(group -> group.waitS().p95())
              .average(),
          seeds.stream().mapToDouble(JobGroup::done).average().orElse(0));
    }
  }

  /// Returns the size class whose started jobs waited longest; absent where no job started.
  public Optional<Waits> worstSize() {
    return worst(sizes());
  }

  /// Returns the queue whose started jobs waited longest; absent where the trace has none.
  public Optional<Waits> worstQueue() {
    return worst(queues().stream().filter(queue -> !queue.name().isEmpty()).toList());
  }

  private static Optional<Waits> worst(List<Waits> groups) {
    return groups.stream()
        .filter(group -> group.p95().isPresent())
        .max(Comparator.comparingDouble(group -> group.p95().orElse(0)));
  }

  /// Returns all size classes, the smallest first.
  public List<Waits> sizes() {
    return groups("GPUs", Summary::bySize);
  }

  /// Returns all queues.
  public List<Waits> queues() {
    return groups("queue", Summary::byQueue);
  }

  private List<Waits> groups(String kind, Function<Summary, List<JobGroup>> of) {
    Map<String, List<JobGroup>> byName = new LinkedHashMap<>();
    for (Summary run : figures) {
      for (JobGroup group : of.apply(run)) {
        byName.computeIfAbsent(group.name(), _ -> new ArrayList<>()).add(group);
      }
    }
    return byName.values().stream().map(seeds -> Waits.of(kind, seeds)).toList();
  }
}
