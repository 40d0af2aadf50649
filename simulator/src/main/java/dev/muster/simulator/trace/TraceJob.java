package dev.muster.simulator.trace;

import dev.muster.core.gang.Request;
import dev.muster.core.gang.Wishes;

/// One gang that a trace submits.
///
/// Times are milliseconds: they stay exact in files that count seconds with a fraction.
///
/// @param id its name in the trace, unique there
/// @param user who submitted it; empty when the trace does not say
/// @param queue the queue or virtual cluster it is accounted to; empty when the trace does not say
/// @param submitMillis when it is submitted, in milliseconds since the start of the trace, 0 or
///   more
/// @param runMillis how long it runs once all members have started, at full speed and without
///   interruption, in milliseconds, 0 or more
/// @param workers how many members it has, at least 1
/// @param minWorkers with how many members it can start, 1 to `workers`
/// @param request what each member needs of its node
/// @param wishes what is wished for the gang; the run time among them is what its owner told the
///   scheduler, not how long it runs
/// @param priority greater is more important
/// @param lineage what runs of the same work have in common; empty when unknown
/// @param project what it is done for, where that is accounted for apart from the queue; empty when
///   the trace does not say
public record TraceJob(
    String id,
    String user,
    String queue,
    long submitMillis,
    long runMillis,
    int workers,
    int minWorkers,
    Request request,
    Wishes wishes,
    int priority,
    String lineage,
    String project) {
  /// How many members a job has at most: one for each GPU of the largest clusters.
  static final int MOST_WORKERS = 100_000;

  public TraceJob {
    if (submitMillis < 0 || runMillis < 0) {
      throw new IllegalArgumentException(
          "Job %s: submission (%d ms) and run time (%d ms) must be 0 or more."
              .formatted(id, submitMillis, runMillis));
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

  /// A job of no project.
  public TraceJob(
      String id,
      String user,
      String queue,
      long submitMillis,
      long runMillis,
      int workers,
      int minWorkers,
      Request request,
      Wishes wishes,
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
        wishes,
        priority,
        lineage,
        "");
  }

  /// GPUs that all its members use together, in thousandths.
  public long gpuMilli() {
    return memberGpuMilli() * workers;
  }

  /// GPUs that each of its members uses, in thousandths.
  public long memberGpuMilli() {
    return 1000L * request.gpus() + request.gpuMilli();
  }

  /// The same job with its submission counted from another start.
  TraceJob earlier(long millis) {
    return at(submitMillis - millis, runMillis);
  }

  /// The same job with another run time.
  TraceJob running(long millis) {
    return at(submitMillis, millis);
  }

  /// The same job, submitted at another time.
  public TraceJob submitted(long millis) {
    return at(millis, runMillis);
  }

  private TraceJob at(long submit, long run) {
    return new TraceJob(
        id,
        user,
        queue,
        submit,
        run,
        workers,
        minWorkers,
        request,
        wishes,
        priority,
        lineage,
        project);
  }
}
