package dev.muster.simulator.trace;

import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.TopologyConstraint;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// Builds a job, with defaults for values that most formats lack.
///
/// @param id its name
/// @param submitMillis time of submission
/// @param runMillis run time
/// @param shape its members
public record JobDraft(
    String id,
    long submitMillis,
    long runMillis,
    GangFactory.Shape shape,
    String user,
    String queue,
    List<String> models,
    Optional<Duration> walltime,
    int priority,
    String lineage) {

  public static JobDraft of(String id, long submitMillis, long runMillis, GangFactory.Shape shape) {
    return new JobDraft(
        id, submitMillis, runMillis, shape, "", "", List.of(), Optional.empty(), 0, "");
  }

  public JobDraft by(String owner) {
    return new JobDraft(
        id, submitMillis, runMillis, shape, owner, queue, models, walltime, priority, lineage);
  }

  public JobDraft in(String otherQueue) {
    return new JobDraft(
        id, submitMillis, runMillis, shape, user, otherQueue, models, walltime, priority, lineage);
  }

  public JobDraft on(List<String> gpuModels) {
    return new JobDraft(
        id, submitMillis, runMillis, shape, user, queue, gpuModels, walltime, priority, lineage);
  }

  /// Sets the run time that the owner stated; absent or 0: none was stated.
  public JobDraft within(Optional<Duration> told) {
    Optional<Duration> limit = told.filter(Duration::isPositive);
    return new JobDraft(
        id, submitMillis, runMillis, shape, user, queue, models, limit, priority, lineage);
  }

  public JobDraft prior(int own) {
    return new JobDraft(
        id, submitMillis, runMillis, shape, user, queue, models, walltime, own, lineage);
  }

  public JobDraft running(String work) {
    return new JobDraft(
        id, submitMillis, runMillis, shape, user, queue, models, walltime, priority, work);
  }

  public TraceJob job() {
    GpuModelPreference gpus =
        models.isEmpty() ? GpuModelPreference.ANY : new GpuModelPreference(models, false);
    GangConstraints constraints =
        models.isEmpty() && walltime.isEmpty()
            ? GangConstraints.NONE
            : new GangConstraints(TopologyConstraint.NONE, gpus, walltime);
    return new TraceJob(
        id,
        shared(user),
        shared(queue),
        submitMillis,
        runMillis,
        shape.workers(),
        shape.workers(),
        shape.request(),
        constraints,
        priority,
        lineage);
  }

  /// Interns a name: few users and queues have many jobs, so this saves memory and comparisons.
  private static String shared(String name) {
    return name.isEmpty() ? "" : name.intern();
  }
}
