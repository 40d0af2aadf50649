package dev.muster.simulator.experiment;

import dev.muster.simulator.experiment.Variant.Waits;
import dev.muster.simulator.report.FigureText;
import dev.muster.simulator.summary.Distribution;
import dev.muster.simulator.summary.Summary;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/// The sizes and queues that wait longer under a variant whose mean wait is shorter.
///
/// A mean hides them: many small jobs gain what few large ones lose.
public final class TradeOff {
  private static final int MOST_NAMED = 3;
  private static final double LEAST_SECONDS = 60;
  private static final double LEAST_FACTOR = 1.1;

  private TradeOff() {}

  /// A group of jobs before and now.
  private record Change(Waits before, Waits now) {
    /// True if the p95 wait grew by a tenth and a minute, or fewer jobs are done.
    boolean isWorse() {
      boolean longer =
          before.p95().isPresent()
              && now.p95().isPresent()
              && now.p95().getAsDouble() > LEAST_FACTOR * before.p95().getAsDouble()
              && secondsMore() > LEAST_SECONDS;
      return longer || now.done() < before.done();
    }

    double secondsMore() {
      return now.p95().orElse(0) - before.p95().orElse(0);
    }

    String text() {
      String name =
          now.kind().equals("GPUs")
              ? "jobs of " + FigureText.gpus(now.name())
              : "queue %s".formatted(now.name());
      return now.done() < before.done()
          ? "%s (%.0f fewer done)".formatted(name, before.done() - now.done())
          : "%s (p95 %s, not %s)".formatted(name, time(now.p95()), time(before.p95()));
    }
  }

  /// Returns a sentence about groups that wait longer than under the first variant.
  ///
  /// It is absent where the mean wait is not shorter or no group is worse.
  public static Optional<String> of(Variant first, Variant other) {
    OptionalDouble before = first.mean(Summary::waitS, Distribution::mean);
    OptionalDouble now = other.mean(Summary::waitS, Distribution::mean);
    if (before.isEmpty() || now.isEmpty() || now.getAsDouble() >= before.getAsDouble()) {
      return Optional.empty();
    }
    List<Change> worse = new ArrayList<>();
    worse.addAll(worse(first.sizes(), other.sizes()));
    worse.addAll(worse(first.queues(), other.queues()));
    worse.sort(Comparator.comparingDouble(Change::secondsMore).reversed());
    if (worse.isEmpty()) {
      return Optional.empty();
    }
    List<String> named =
        new ArrayList<>(worse.stream().limit(MOST_NAMED).map(Change::text).toList());
    if (worse.size() > MOST_NAMED) {
      named.add("%d more".formatted(worse.size() - MOST_NAMED));
    }
    return Optional.of(
        "%s has a shorter mean wait than %s (%s, not %s), but a longer one for %s."
            .formatted(other.name(), first.name(), time(now), time(before), joined(named)));
  }

  private static List<Change> worse(List<Waits> before, List<Waits> now) {
    List<Change> changes = new ArrayList<>();
    for (Waits group : now) {
      before.stream()
          .filter(each -> each.name().equals(group.name()) && !group.name().isEmpty())
          .map(each -> new Change(each, group))
          .filter(Change::isWorse)
          .forEach(changes::add);
    }
    return changes;
  }

  private static String joined(List<String> names) {
    int last = names.size() - 1;
    return last == 0
        ? names.getFirst()
        : String.join(", ", names.subList(0, last)) + " and " + names.get(last);
  }

  private static String time(OptionalDouble seconds) {
    return seconds.isPresent() ? FigureText.time(seconds.getAsDouble()) : "-";
  }
}
