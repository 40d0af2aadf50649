package dev.muster.simulator.cli.terminal;

import dev.muster.core.decision.PlainText;
import dev.muster.simulator.report.FigureText;
import dev.muster.simulator.summary.Distribution;
import dev.muster.simulator.summary.GangSpread;
import dev.muster.simulator.summary.JobGroup;
import dev.muster.simulator.summary.ModelAdvice;
import dev.muster.simulator.summary.ModelUse;
import dev.muster.simulator.summary.Summary;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.DoubleFunction;
import java.util.stream.Collectors;

/// The figures of a run as a table for the terminal.
public final class SummaryTable {
  private static final int MOST_GROUPS = 20;

  private final StringBuilder text = new StringBuilder();

  private SummaryTable() {}

  public static String of(Summary run) {
    SummaryTable table = new SummaryTable();
    table.head(run);
    table.distributions(run);
    table.sums(run);
    table.groups("queue", run.byQueue());
    table.groups("GPUs", run.bySize());
    if (!isSame(run.byUser(), run.byQueue())) {
      table.groups("user", run.byUser());
    }
    table.groups("model", run.byModel());
    table.modelUse(run.modelUse());
    table.budgets(run.usage().budgets());
    return table.text.toString();
  }

  @SuppressWarnings("AnnotateFormatMethod") // the annotation would need one more dependency
  private void line(String format, Object... values) {
    text.append(String.format(Locale.ROOT, format, PlainText.values(values))).append('\n');
  }

  private void head(Summary run) {
    line(
        "%s on %s (%d nodes, %,d GPUs), policy %s, placement %s",
        run.trace(), run.fleet(), run.nodes(), run.gpus(), run.policy(), run.placement());
    line(
        "%,d jobs: %s%s",
        run.jobs(),
        String.join(
            ", ",
            run.states().entrySet().stream()
                .filter(state -> state.getValue() > 0)
                .map(
                    state -> String.format(Locale.ROOT, "%,d %s", state.getValue(), state.getKey()))
                .toList()),
        run.cutShort() ? "; STOPPED EARLY" : "");
    run.warnings().forEach(text -> line("%s", text));
    if (run.skipped() > 0) {
      line("%,d unreadable rows of the trace skipped", run.skipped());
    }
  }

  private void distributions(Summary run) {
    line("");
    line("%-12s %10s %10s %10s %10s %10s %10s", "", "mean", "p50", "p90", "p95", "p99", "max");
    times("wait", run.waitS());
    times("waited", run.queuedS());
    times("JCT", run.jctS());
    figures("slowdown", run.slowdown(), figure -> String.format(Locale.ROOT, "%.2f", figure));
    line(
        "%-12s waited %s, JCT %s, makespan %s: no policy does better%s",
        "bound",
        FigureText.time(run.bounds().waitSMean()),
        FigureText.time(run.bounds().jctSMean()),
        FigureText.time(run.bounds().makespanS()),
        run.cutShort() ? " if all jobs run to completion" : "");
  }

  private void times(String name, Distribution stats) {
    figures(name, stats, FigureText::time);
  }

  private void figures(String name, Distribution stats, DoubleFunction<String> shown) {
    DoubleFunction<String> known = figure -> stats.count() == 0 ? "-" : shown.apply(figure);
    line(
        "%-12s %10s %10s %10s %10s %10s %10s",
        name,
        known.apply(stats.mean()),
        known.apply(stats.p50()),
        known.apply(stats.p90()),
        known.apply(stats.p95()),
        known.apply(stats.p99()),
        known.apply(stats.max()));
  }

  /// Returns a figure of the distribution as time; a dash where it is empty.
  private static String time(Distribution stats, double seconds) {
    return stats.count() == 0 ? "-" : FigureText.time(seconds);
  }

  private void sums(Summary run) {
    line("");
    line(
        "utilisation %.1f %%, makespan %s, %,.1f GPU-hours used",
        100 * run.utilisation(), FigureText.time(run.makespanS()), run.gpuHours());
    line(
        "%,.1f GPU-hours free while gangs waited, %,.1f free on nodes partly in use",
        run.strandedGpuHours(), run.fragmentedGpuHours());
    line(
        "%,d preemptions and %,d stops by lost nodes, of %,d jobs; %,.1f GPU-hours lost to stops,"
            + " moves and restarts",
        run.preemptions() - run.nodeLosses(),
        run.nodeLosses(),
        run.preemptedJobs(),
        run.lostGpuHours());
    line("goodput %.2f %%: GPU-hours with progress, of those that jobs held", 100 * run.goodput());
    line("fairness between queues %.2f, users %.2f", run.fairness(), run.fairnessUsers());
    cost(run);
    for (GangSpread level : run.locality()) {
      if (level.gangs() > 0) {
        line(
            "%.1f %% of %,d gangs in one %s; %.2f on average",
            100 * level.oneDomain(), level.gangs(), level.level(), level.meanDomains());
      }
    }
  }

  private void cost(Summary run) {
    if (run.cost() > 0) {
      line("cost %,.2f", run.cost());
    }
    Summary.Cloud cloud = run.cloud();
    if (cloud.asked() > 0) {
      line(
          "%,d cloud nodes requested, at most %,d at a time, %,.1f node-hours, cost %,.2f",
          cloud.asked(), cloud.most(), cloud.nodeHours(), cloud.cost());
    }
  }

  private void groups(String name, List<JobGroup> groups) {
    if (groups.size() < 2) {
      return;
    }
    line("");
    line(
        "%-12s %9s %10s %10s %10s %10s %10s",
        name, "jobs", "GPU-hours", "wait mean", "wait p95", "JCT mean", "JCT p95");
    for (JobGroup group : groups.subList(0, Math.min(MOST_GROUPS, groups.size()))) {
      line(
          "%-12s %9d %,10.1f %10s %10s %10s %10s",
          group.name().isEmpty() ? "-" : group.name(),
          group.jobs(),
          group.gpuHours(),
          time(group.waitS(), group.waitS().mean()),
          time(group.waitS(), group.waitS().p95()),
          time(group.jctS(), group.jctS().mean()),
          time(group.jctS(), group.jctS().p95()));
    }
    if (groups.size() > MOST_GROUPS) {
      line("... and %d more", groups.size() - MOST_GROUPS);
    }
  }

  private void modelUse(List<ModelUse> uses) {
    if (uses.isEmpty()) {
      return;
    }
    line("");
    line(
        "%-12s %-12s %6s %10s %10s %-12s %10s %10s",
        "GPUs", "on model", "jobs", "GPU-hours", "JCT mean", "faster on", "hours", "saved");
    for (ModelUse use : uses) {
      boolean moves = !use.faster().isEmpty();
      line(
          "%-12s %-12s %6d %,10.1f %10s %-12s %10s %10s",
          use.size(),
          use.model(),
          use.jobs(),
          use.gpuHours(),
          time(use.jctS(), use.jctS().mean()),
          moves ? use.faster() : "-",
          moves ? String.format(Locale.ROOT, "%,.1f", use.fasterGpuHours()) : "-",
          moves ? String.format(Locale.ROOT, "%,.1f", use.savedGpuHours()) : "-");
    }
    ModelAdvice.of(uses).ifPresent(advice -> line("%s", advice));
  }

  /// True if the groups have equal names and sizes, as where each queue has one user.
  private static boolean isSame(List<JobGroup> some, List<JobGroup> others) {
    return names(some).equals(names(others));
  }

  private static Map<String, Long> names(List<JobGroup> groups) {
    return groups.stream().collect(Collectors.toMap(JobGroup::name, JobGroup::jobs));
  }

  private void budgets(List<Summary.Budget> budgets) {
    if (!budgets.isEmpty()) {
      line("");
      line("%-24s %12s %12s %9s", "budget", "GPU-hours", "used", "consumed");
    }
    for (Summary.Budget each : budgets) {
      line(
          "%-24s %,12.1f %,12.1f %8.1f%%",
          each.of() + " " + each.name(),
          each.budgetGpuHours(),
          each.gpuHours(),
          100 * each.consumed());
    }
  }
}
