package dev.muster.simulator.experiment;

import dev.muster.simulator.report.FigureText;
import dev.muster.simulator.run.record.JobOutcome;
import dev.muster.simulator.run.record.RunResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/// Why a job completes later than in another run, as far as the two runs show it.
///
/// Reasons are stops, a longer run, later jobs that started first, and the use of its queue while
/// it waited.
///
/// @param before the other run
/// @param now the run in which the job is later
public record DelayReason(RunResult before, RunResult now) {
  /// Returns the reasons of a delay, joined by semicolons; empty where none is known.
  public String of(RunComparison.Change change) {
    JobOutcome was = change.before();
    JobOutcome is = change.now();
    List<String> reasons = new ArrayList<>();
    if (is.preemptions() > was.preemptions()) {
      reasons.add(
          "stopped %s, not %s".formatted(times(is.preemptions()), times(was.preemptions())));
    }
    long longer = is.heldMillis() - was.heldMillis();
    if (2 * longer > change.millis()) {
      reasons.add("held its GPUs %s longer".formatted(FigureText.time(longer / 1000.0)));
    }
    if (is.startMillis() - was.startMillis() > change.millis() / 2) {
      waiting(was, is, reasons);
    }
    return String.join("; ", reasons);
  }

  private void waiting(JobOutcome was, JobOutcome is, List<String> reasons) {
    Passed passed = Passed.of(now, is);
    if (passed.all() > Passed.of(before, was).all()) {
      reasons.add(
          String.format(
              Locale.ROOT,
              "%,d later jobs started first (%,d under the first), %,d of them smaller",
              passed.all(),
              Passed.of(before, was).all(),
              passed.smaller()));
    } else {
      long ahead = ahead(now, is);
      if (ahead > ahead(before, was)) {
        reasons.add(
            String.format(
                Locale.ROOT,
                "%,d jobs waited ahead of it (%,d under the first)",
                ahead,
                ahead(before, was)));
      }
    }
    queue(is, reasons);
  }

  /// The jobs that were submitted later and started earlier than a job.
  ///
  /// @param all their number
  /// @param smaller the number of those with fewer GPUs
  private record Passed(long all, long smaller) {
    static Passed of(RunResult run, JobOutcome job) {
      long all = 0;
      long smaller = 0;
      for (JobOutcome other : run.jobs()) {
        if (other.job().submitMillis() > job.job().submitMillis()
            && other.startMillis() >= 0
            && other.startMillis() < job.startMillis()) {
          all++;
          smaller += other.job().gpuMilli() < job.job().gpuMilli() ? 1 : 0;
        }
      }
      return new Passed(all, smaller);
    }
  }

  /// Returns the number of jobs that waited already when this one was submitted.
  private static long ahead(RunResult run, JobOutcome job) {
    long submitted = job.job().submitMillis();
    return run.jobs().stream()
        .filter(other -> other.job().submitMillis() < submitted && other.startMillis() > submitted)
        .count();
  }

  /// Adds the share of its queue, if that queue used most of all queues while the job waited.
  private void queue(JobOutcome job, List<String> reasons) {
    Map<String, Double> used = new TreeMap<>();
    for (JobOutcome other : now.jobs()) {
      long from = Math.max(other.startMillis(), job.job().submitMillis());
      long to = Math.min(other.endMillis(), job.startMillis());
      if (other.startMillis() >= 0 && to > from) {
        double gpuMillis = (double) other.job().gpuMilli() * (to - from);
        used.merge(other.job().queue(), gpuMillis, Double::sum);
      }
    }
    String queue = job.job().queue();
    double own = used.getOrDefault(queue, 0.0);
    double all = used.values().stream().mapToDouble(each -> each).sum();
    if (!queue.isEmpty()
        && used.size() > 1
        && used.values().stream().allMatch(each -> each <= own)) {
      reasons.add(
          String.format(
              Locale.ROOT,
              "its queue used most of %d meanwhile (%.0f %%)",
              used.size(),
              100 * own / all));
    }
  }

  private static String times(int stops) {
    return stops == 1 ? "once" : stops == 0 ? "never" : stops + " times";
  }
}
