package dev.muster.simulator.summary;

import dev.muster.core.gang.GpuModelPreference;
import dev.muster.simulator.run.record.JobOutcome;
import dev.muster.simulator.run.record.RunResult;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The use of a GPU model by the jobs of a size, and what a faster model would save.
///
/// A job would run on the fastest model that it accepts, with time in proportion to the speeds. Its
/// GPUs come from idle time of that model, since a busy model gains nothing: other jobs would move
/// away. When the idle time was is not considered, so the saving is an upper estimate. A simulation
/// with other preferences has the answer.
///
/// @param size the size class
/// @param model the GPU models of the last run of these jobs, joined by `+`
/// @param jobs number of jobs
/// @param gpuHours GPU-hours that they held
/// @param jctS seconds from submission to the end, of those that are done
/// @param faster the faster model that most of their GPU-hours accept, of jobs that did not prefer
///   it already; empty where none is
/// @param fasterGpuHours GPU-hours that they would hold there, of the jobs that accept it
/// @param savedGpuHours GPU-hours that this saves, 0 or more
/// @param idleGpuHours GPU-hours for which the faster model was idle
public record ModelUse(
    String size,
    String model,
    long jobs,
    double gpuHours,
    Distribution jctS,
    String faster,
    double fasterGpuHours,
    double savedGpuHours,
    double idleGpuHours) {
  /// Returns the share of the jobs' GPU-hours that has idle GPU-hours of the faster model, 0 to 1.
  public double movableShare() {
    return fasterGpuHours > 0 ? Math.min(1, Math.max(0, idleGpuHours / fasterGpuHours)) : 0;
  }

  /// Returns the GPU-hours that a move into idle time saves.
  public double attainableGpuHours() {
    return savedGpuHours * movableShare();
  }

  /// Returns the uses of a run, the smallest size first; empty unless jobs ran on several models.
  static List<ModelUse> of(RunResult run) {
    Map<Long, Map<String, List<JobOutcome>>> cells = new TreeMap<>();
    for (JobOutcome job : run.jobs()) {
      if (!job.models().isEmpty() && job.job().gpuMilli() > 0) {
        cells
            .computeIfAbsent(SizeClass.of(job.job().gpuMilli()), _ -> new TreeMap<>())
            .computeIfAbsent(job.models(), _ -> new ArrayList<>())
            .add(job);
      }
    }
    if (cells.values().stream().flatMap(models -> models.keySet().stream()).distinct().count()
        < 2) {
      return List.of();
    }
    Map<String, Double> idle = idleHours(run);
    List<ModelUse> uses = new ArrayList<>();
    cells.forEach((size, models) ->
        models.forEach(
            (model, jobs) -> uses.add(of(run, SizeClass.name(size), model, jobs, idle))));
    return uses;
  }

  private static ModelUse of(
      RunResult run, String size, String model, List<JobOutcome> jobs, Map<String, Double> idle) {
    Map<String, Double> held = new TreeMap<>();
    for (JobOutcome job : jobs) {
      String best = fastest(run, job);
      if (speed(run, best) > slowest(run, model) && !wanted(job, best)) {
        held.merge(best, JobGroup.hoursOf(job), Double::sum);
      }
    }
    String faster =
        held.entrySet().stream()
            .max(Map.Entry.comparingByValue())
            .map(Map.Entry::getKey)
            .orElse("");
    double moved = held.getOrDefault(faster, 0.0);
    double there = faster.isEmpty() ? 0 : moved * slowest(run, model) / speed(run, faster);
    return new ModelUse(
        size,
        model,
        jobs.size(),
        JobGroup.hoursOf(jobs),
        Distribution.ofMillis(jobs, JobOutcome::jctMillis),
        faster,
        Rounding.of(there),
        Rounding.of(moved - there),
        Rounding.of(idle.getOrDefault(faster, 0.0)));
  }

  /// Returns the fastest model of the fleet that the job accepts.
  ///
  /// One of its nodes must have room for one of the members. Without any it is the present one.
  private static String fastest(RunResult run, JobOutcome job) {
    return run.fleet().nodes().stream()
        .filter(node -> 1000L * node.gpus() >= job.job().memberGpuMilli())
        .map(node -> node.model().name())
        .filter(model -> !model.isEmpty() && job.job().constraints().gpus().accepts(model))
        .distinct()
        .max(Comparator.comparingDouble(model -> speed(run, model)))
        .orElse(job.models());
  }

  /// True if the job would have run on the model already, had it been free: it prefers it.
  private static boolean wanted(JobOutcome job, String model) {
    GpuModelPreference preference = job.job().constraints().gpus();
    return Arrays.stream(job.models().split("\\+", -1))
        .anyMatch(present -> preference.rank(model) < preference.rank(present));
  }

  private static double speed(RunResult run, String model) {
    return run.setup().speed().speeds().getOrDefault(model, 1.0);
  }

  private static double slowest(RunResult run, String models) {
    return Arrays.stream(models.split("\\+", -1))
        .mapToDouble(model -> speed(run, model))
        .min()
        .orElse(1);
  }

  /// Returns the GPU-hours for which each model was there and idle, from the first submission on.
  private static Map<String, Double> idleHours(RunResult run) {
    long first = run.jobs().stream().mapToLong(job -> job.job().submitMillis()).min().orElse(0);
    Map<String, Double> idle = new TreeMap<>();
    for (int node = 0; node < run.fleet().nodes().size(); node++) {
      double[] used = run.occupancy().gpuMillis(List.of(node));
      double absent = 0;
      for (int slot = 0; slot < used.length; slot++) {
        absent += run.occupancy().absentMillis(node, slot);
      }
      double there = Math.max(0, run.endMillis() - first - absent);
      var shape = run.fleet().nodes().get(node);
      double free = shape.gpus() * there - Arrays.stream(used).sum();
      idle.merge(shape.model().name(), free / JobGroup.HOUR_MILLIS, Double::sum);
    }
    return idle;
  }
}
