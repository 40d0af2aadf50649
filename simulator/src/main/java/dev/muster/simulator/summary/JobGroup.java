package dev.muster.simulator.summary;

import dev.muster.simulator.run.record.JobOutcome;
import java.util.Arrays;
import java.util.List;

/// The figures of jobs with a common property.
///
/// @param name the common queue, user or size
/// @param jobs number of submitted jobs
/// @param done number of jobs that are done
/// @param gpuHours GPU-hours that they held
/// @param waitS seconds from submission to the first start, of those that started
/// @param jctS seconds from submission to the end, of those that are done
/// @param slowdown completion time over run time of those that are done, at least 1; run times
///   below 10 s count as 10 s
/// @param preemptions number of stops
/// @param lostGpuHours GPU-hours that they held without progress
public record JobGroup(
    String name,
    long jobs,
    long done,
    double gpuHours,
    Distribution waitS,
    Distribution jctS,
    Distribution slowdown,
    long preemptions,
    double lostGpuHours) {
  public static final double HOUR_MILLIS = 3_600_000;

  private static final double SHORTEST_MILLIS = 10_000;

  public static JobGroup of(String name, List<JobOutcome> jobs) {
    double[] slowdowns = new double[jobs.size()];
    double[] lost = new double[jobs.size()];
    int done = 0;
    long preemptions = 0;
    for (int i = 0; i < lost.length; i++) {
      JobOutcome job = jobs.get(i);
      lost[i] = job.lostGpuMillis();
      preemptions += job.preemptions();
      if (job.endMillis() >= 0) {
        slowdowns[done++] = slowdownOf(job);
      }
    }
    return new JobGroup(
        name,
        jobs.size(),
        done,
        hoursOf(jobs),
        Distribution.ofMillis(jobs, JobOutcome::waitMillis),
        Distribution.ofMillis(jobs, JobOutcome::jctMillis),
        Distribution.of(Arrays.copyOf(slowdowns, done)),
        preemptions,
        Rounding.of(Arrays.stream(lost).sum() / HOUR_MILLIS));
  }

  /// Returns the figures under another name.
  JobGroup named(String other) {
    return new JobGroup(
        other, jobs, done, gpuHours, waitS, jctS, slowdown, preemptions, lostGpuHours);
  }

  /// GPU-hours that the jobs held.
  public static double hoursOf(List<JobOutcome> jobs) {
    double[] hours = new double[jobs.size()];
    for (int i = 0; i < hours.length; i++) {
      hours[i] = hoursOf(jobs.get(i));
    }
    return Rounding.of(Arrays.stream(hours).sum());
  }

  /// GPU-hours that the job held.
  public static double hoursOf(JobOutcome job) {
    return job.heldGpuMillis() / HOUR_MILLIS;
  }

  /// The bounded slowdown of a job that is done (Feitelson et al., JSSPP 1997).
  public static double slowdownOf(JobOutcome job) {
    double jct = (double) job.jctMillis().orElseThrow();
    return Math.max(1, jct / Math.max(SHORTEST_MILLIS, (double) job.job().runMillis()));
  }
}
