package dev.muster.simulator.run.record;

import dev.muster.simulator.trace.TraceJob;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/// Lower bounds for any schedule of these jobs on this number of GPUs; they give figures a scale.
///
/// *No contention*: every job starts when it is submitted.
///
/// *Fractional*: the whole fleet works on one job at a time, as fast as all its GPUs together, and
/// always on the job with the least GPU time left. This is the least mean completion time of any
/// schedule at the fleet's speed, with or without gangs and nodes (Schrage 1968).
///
/// Both bind every schedule at full speed, so the larger of the two counts. A gang needs no more
/// members than its minimum, so only their work counts. If some GPUs are faster than the trace, all
/// GPUs are taken to be as fast as the fastest.
///
/// @param idealJctMillis mean run time: the mean completion time without contention
/// @param fluidJctMillis least mean completion time of the fractional schedule, at least that
///   without contention
/// @param makespanMillis earliest end of the last job
public record LowerBounds(double idealJctMillis, double fluidJctMillis, double makespanMillis) {
  /// The bounds without jobs.
  public static final LowerBounds NONE = new LowerBounds(0, 0, 0);

  /// Returns the least mean total waiting time of jobs, before they start and while they are
  /// stopped.
  public double fluidWaitMillis() {
    return fluidJctMillis - idealJctMillis;
  }

  /// Returns the bounds of these jobs.
  ///
  /// @param jobs in order of submission
  /// @param gpus number of GPUs; none: only jobs without GPUs can be bounded
  /// @param speed speed of the fastest GPU, at least 1; 1 is the speed of the trace
  public static LowerBounds of(List<TraceJob> jobs, int gpus, double speed) {
    if (jobs.isEmpty()) {
      return NONE;
    }
    double run = 0;
    double last = 0;
    for (TraceJob job : jobs) {
      run += job.runMillis() / speed;
      last = Math.max(last, job.submitMillis() + job.runMillis() / speed);
    }
    Fluid fluid = new Fluid(Math.max(1, gpus) * speed);
    double unshared = 0;
    for (TraceJob job : jobs) {
      if (job.gpuMilli() > 0) {
        fluid.arrives(job);
      } else {
        unshared += job.runMillis();
      }
    }
    fluid.until(Double.MAX_VALUE);
    double ideal = run / jobs.size();
    double shared = (fluid.completion + unshared / speed) / jobs.size();
    return new LowerBounds(ideal, Math.max(ideal, shared), Math.max(last, fluid.now));
  }

  /// One machine, as fast as all GPUs, that always works on the job with the least work left.
  private static final class Fluid {
    private final PriorityQueue<Work> open =
        new PriorityQueue<>(Comparator.comparingDouble((Work work) -> work.millis));
    private final double gpus;
    private double now;
    private double completion;

    private static final class Work {
      private final double submitted;
      private double millis;

      Work(double submitted, double millis) {
        this.submitted = submitted;
        this.millis = millis;
      }
    }

    Fluid(double gpus) {
      this.gpus = gpus;
    }

    void arrives(TraceJob job) {
      until((double) job.submitMillis());
      double least = job.memberGpuMilli() / 1000.0 * job.minWorkers();
      open.add(new Work(job.submitMillis(), least * job.runMillis() / gpus));
    }

    void until(double then) {
      while (!open.isEmpty() && now + open.peek().millis <= then) {
        Work done = open.remove();
        now += done.millis;
        completion += now - done.submitted;
      }
      if (!open.isEmpty() && then < Double.MAX_VALUE) {
        open.peek().millis -= then - now;
      }
      now = then < Double.MAX_VALUE ? then : now;
    }
  }
}
