package dev.muster.simulator.summary;

import dev.muster.simulator.run.record.QueueBudgets;
import dev.muster.simulator.run.record.RunResult;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Sums the GPU-hours of a run by queue, user, project and model, and compares them with budgets.
final class GpuHours {
  private static final Comparator<Summary.Hours> MOST_FIRST =
      Comparator.comparingDouble(Summary.Hours::gpuHours).reversed();

  private GpuHours() {}

  /// Returns the GPU-hours of a run.
  static Summary.Usage of(RunResult run, List<JobGroup> byQueue, List<JobGroup> byUser) {
    List<Summary.Hours> queues = hours(byQueue);
    List<Summary.Hours> users = hours(byUser);
    List<Summary.Hours> projects = new ArrayList<>();
    SummaryCalculation.byName(run.jobs(), job -> job.job().project())
        .forEach((name, jobs) -> projects.add(new Summary.Hours(name, JobGroup.hoursOf(jobs))));
    projects.sort(MOST_FIRST);
    List<Summary.Budget> budgets = new ArrayList<>();
    QueueBudgets given = run.setup().budgets();
    given.queues().forEach((name, hours) -> budgets.add(budget("queue", name, hours, queues)));
    given.users().forEach((name, hours) -> budgets.add(budget("user", name, hours, users)));
    given
        .projects()
        .forEach((name, hours) -> budgets.add(budget("project", name, hours, projects)));
    return new Summary.Usage(queues, users, projects, models(run), budgets);
  }

  private static Summary.Budget budget(
      String of, String name, double budget, List<Summary.Hours> used) {
    double hours =
        used.stream()
            .filter(each -> each.name().equals(name))
            .mapToDouble(Summary.Hours::gpuHours)
            .sum();
    return new Summary.Budget(of, name, budget, hours, Rounding.share(hours, budget));
  }

  private static List<Summary.Hours> hours(List<JobGroup> groups) {
    return groups.stream()
        .map(group -> new Summary.Hours(group.name(), group.gpuHours()))
        .sorted(MOST_FIRST)
        .toList();
  }

  private static List<Summary.Hours> models(RunResult run) {
    Map<String, Double> hours = new TreeMap<>();
    for (int node = 0; node < run.fleet().nodes().size(); node++) {
      double held =
          Arrays.stream(run.occupancy().gpuMillis(List.of(node))).sum() / JobGroup.HOUR_MILLIS;
      hours.merge(run.fleet().nodes().get(node).model().name(), held, Double::sum);
    }
    return hours.entrySet().stream()
        .filter(each -> each.getValue() > 0)
        .map(each -> new Summary.Hours(each.getKey(), Rounding.of(each.getValue())))
        .sorted(MOST_FIRST)
        .toList();
  }
}
