package dev.muster.simulator.trace;

import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.Request;
import java.time.Duration;
import java.util.OptionalLong;

/// One gang that a trace submits.
///
/// Times are milliseconds, which are exact for files with fractions of seconds.
///
/// @param id its name, unique in the trace
/// @param user its owner; empty when the trace has none
/// @param queue its queue or virtual cluster; empty when the trace has none
/// @param submitMillis time of submission, in milliseconds since the start of the trace, 0 or more
/// @param runMillis run time after the start of all members, at full speed and without
///   interruption, in milliseconds, 0 to 100 years
/// @param workers number of members, at least 1
/// @param minWorkers number of members with which it can start, 1 to `workers`
/// @param request request of each member to its node
/// @param constraints constraints of the gang; their run time is the owner's estimate for the
///   scheduler, not the real one
/// @param priority priority; greater is more important
/// @param lineage key shared by runs of one work; empty when unknown
/// @param project its project, where projects are accounted apart from queues; empty when the trace
///   has none
/// @param restartMillis delay before progress each time it starts again, in milliseconds; absent:
///   as assumed for the run
public record TraceJob(
    String id,
    String user,
    String queue,
    long submitMillis,
    long runMillis,
    int workers,
    int minWorkers,
    Request request,
    GangConstraints constraints,
    int priority,
    String lineage,
    String project,
    OptionalLong restartMillis) {
  /// The largest number of members of a job: one for each GPU of the largest clusters.
  static final int MOST_WORKERS = 100_000;

  /// The longest run time, and delay of a restart: 100 years.
  ///
  /// The milliseconds of a million jobs, one after another, then fit in a `long`.
  private static final Duration LONGEST = Duration.ofDays(36_525);

  public TraceJob {
    if (submitMillis < 0 || runMillis < 0) {
      throw new IllegalArgumentException(
          "Job %s: submission (%d ms) and run time (%d ms) must be 0 or more."
              .formatted(id, submitMillis, runMillis));
    }
    if (runMillis > LONGEST.toMillis() || restartMillis.orElse(0) > LONGEST.toMillis()) {
      throw new IllegalArgumentException(
          "Job %s: run time (%d ms) and restart (%d ms) must be at most 100 years (%d ms)."
              .formatted(id, runMillis, restartMillis.orElse(0), LONGEST.toMillis()));
    }
    if (workers > MOST_WORKERS) {
      throw new IllegalArgumentException(
          "Job %s: workers (%d) must be at most %d.".formatted(id, workers, MOST_WORKERS));
    }
    if (minWorkers < 1 || workers < minWorkers) {
      throw new IllegalArgumentException(
          "Job %s: workers (%d), but minWorkers (%d) must be 1 to workers."
              .formatted(id, workers, minWorkers));
    }
  }

  /// Creates a job without a project, with the restarts that are assumed for the run.
  public TraceJob(
      String id,
      String user,
      String queue,
      long submitMillis,
      long runMillis,
      int workers,
      int minWorkers,
      Request request,
      GangConstraints constraints,
      int priority,
      String lineage) {
    this(
        id,
        user,
        queue,
        submitMillis,
        runMillis,
        workers,
        minWorkers,
        request,
        constraints,
        priority,
        lineage,
        "",
        OptionalLong.empty());
  }

  /// The GPUs of all its members together, in thousandths.
  public long gpuMilli() {
    return memberGpuMilli() * workers;
  }

  /// The GPUs of each member, in thousandths.
  public long memberGpuMilli() {
    return 1000L * request.gpus() + request.gpuMilli();
  }

  /// Returns this job with its submission moved earlier, to count from another start.
  TraceJob earlier(long millis) {
    return at(submitMillis - millis, runMillis);
  }

  /// Returns this job with another run time.
  public TraceJob running(long millis) {
    return at(submitMillis, millis);
  }

  /// Returns this job with another time of submission.
  public TraceJob submitted(long millis) {
    return at(millis, runMillis);
  }

  private TraceJob at(long submit, long run) {
    return with(id, submit, run, constraints);
  }

  /// Returns this job with another name.
  public TraceJob named(String name) {
    return with(name, submitMillis, runMillis, constraints);
  }

  /// Returns this job with other constraints.
  public TraceJob constrained(GangConstraints others) {
    return with(id, submitMillis, runMillis, others);
  }

  private TraceJob with(String name, long submit, long run, GangConstraints wished) {
    return new TraceJob(
        name,
        user,
        queue,
        submit,
        run,
        workers,
        minWorkers,
        request,
        wished,
        priority,
        lineage,
        project,
        restartMillis);
  }
}
