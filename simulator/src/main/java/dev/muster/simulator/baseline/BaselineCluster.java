package dev.muster.simulator.baseline;

import dev.muster.simulator.run.PreemptionCost;
import dev.muster.simulator.run.RestartTimes;
import dev.muster.simulator.run.SimulationContext;
import dev.muster.simulator.run.record.EvictionRecord;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;

/// The cluster as a classic policy sees and changes it.
final class BaselineCluster {
  private final SimulationContext context;
  private final BaselineOptions options;
  private final NodeFreeGpus freeGpus;
  private final NodeFreeGpus bare;
  private final JobQueue waiting;
  private final TreeSet<JobState> running = new TreeSet<>(JobState.BY_AGE);
  private final Map<GpuRequest, BitSet> possible = new HashMap<>();
  private boolean changed;

  BaselineCluster(SimulationContext context, BaselinePolicy policy, BaselineOptions options) {
    this.context = context;
    this.options = options;
    this.freeGpus = NodeFreeGpus.of(context.fleet().nodes());
    this.bare = freeGpus.empty();
    this.waiting = new JobQueue(policy.order(), policy::kind);
  }

  // ---- Queries of policies ----

  long now() {
    return context.now();
  }

  BaselineOptions semantics() {
    return options;
  }

  /// Returns the jobs that wait.
  JobQueue waiting() {
    return waiting;
  }

  /// Returns the jobs that run, in order of submission.
  Set<JobState> running() {
    return running;
  }

  NodeFreeGpus machines() {
    return freeGpus;
  }

  /// Returns the expected run time of a waiting job once it starts.
  long estimate(JobState job) {
    long restart =
        options.charge() == BaselineOptions.ServiceCharge.RESTART
            ? restarts().longest(job.spec, context.fleet().models().keySet())
            : 0;
    return job.estimate(now(), restart);
  }

  /// Returns the absent nodes with their expected returns.
  SortedMap<Integer, Long> absent() {
    return context.outages().expected();
  }

  // ---- Actions of policies ----

  /// Starts the job if it has a placement now.
  boolean start(JobState job) {
    Allocation allocation = freeGpus.place(job.ask, options.placement());
    if (allocation == null) {
      return false;
    }
    begin(job, allocation);
    return true;
  }

  /// Starts the job as planned. If reservations only count GPUs, it starts on nodes of the planned
  /// model, provided that they have a placement for it.
  boolean start(JobState job, Allocation planned) {
    Allocation allocation = planned;
    if (options.reservations() == BaselineOptions.Reservations.COUNTED) {
      allocation = freeGpus.place(job.ask, options.placement(), planned.node(0));
    } else {
      freeGpus.take(planned);
    }
    if (allocation == null) {
      return false;
    }
    begin(job, allocation);
    return true;
  }

  /// Empties the nodes, and places the jobs in this order; jobs without a placement are skipped.
  /// Running jobs without a placement are preempted, and others may have to move.
  void rearrange(List<JobState> order) {
    running.forEach(job -> freeGpus.give(held(job)));
    Map<JobState, Allocation> allocations = new HashMap<>();
    TreeSet<String> full = new TreeSet<>();
    for (JobState job : order) {
      Allocation allocation =
          full.contains(job.kind) ? null : freeGpus.place(job.ask, options.placement());
      if (allocation == null) {
        full.add(job.kind);
      } else {
        allocations.put(job, allocation);
      }
    }
    for (JobState job : new ArrayList<>(running)) {
      Allocation allocation = allocations.get(job);
      if (allocation == null) {
        preempt(job, EvictionRecord.NOBODY);
      } else if (!allocation.equals(job.allocation)) {
        move(job, allocation);
      }
      allocations.remove(job);
    }
    allocations.entrySet().stream()
        .sorted(Map.Entry.comparingByKey(JobState.BY_AGE))
        .forEach(started -> begin(started.getKey(), started.getValue()));
  }

  /// Returns the allocation of a running job.
  Allocation held(JobState job) {
    Allocation allocation = job.allocation;
    if (allocation == null) {
      throw new IllegalStateException("The job (%s) does not run.".formatted(job.spec.id()));
    }
    return allocation;
  }

  private void begin(JobState job, Allocation allocation) {
    waiting.remove(job);
    running.add(job);
    take(job, allocation);
    context.recorder().start(job.index);
    job.begun = now();
    go(job, allocation, restart(job, allocation));
  }

  private long restart(JobState job, Allocation allocation) {
    return options.charge() == BaselineOptions.ServiceCharge.RESTART
        ? restarts().millis(job.spec, context.fleet(), allocation.nodes())
        : 0;
  }

  private RestartTimes restarts() {
    return options.preemptionCost().restart();
  }

  private void take(JobState job, Allocation allocation) {
    for (int i = 0; i < allocation.size(); i++) {
      context.recorder().take(job.index, allocation.node(i), 1000L * allocation.gpus(i));
    }
  }

  private void go(JobState job, Allocation allocation, long restart) {
    job.allocation = allocation;
    job.progress.begin(now(), restart, context.gangSpeed().rate(allocation.nodes()));
    context.queue().scheduleCompletion(job.progress, () -> complete(job));
  }

  private long stop(JobState job) {
    job.leave(now());
    return job.progress.stop(now(), options.preemptionCost()) * job.ask.gpus();
  }

  private void preempt(JobState job, int by) {
    running.remove(job);
    context.recorder().leave(job.index);
    context.recorder().preempt(job.index, by, stop(job));
    waiting.add(job);
  }

  private void move(JobState job, Allocation allocation) {
    long lost = stop(job);
    context.recorder().leave(job.index);
    take(job, allocation);
    context.recorder().moved(job.index, lost);
    go(job, allocation, restart(job, allocation));
  }

  // ---- Events ----

  /// True if anything happened since the last pass of the policy.
  boolean hasChanged() {
    return changed;
  }

  /// Records that the policy has seen all changes.
  void clearChanged() {
    changed = false;
  }

  /// Submits a job. A job without GPUs starts at once, and a job without a placement on the empty
  /// fleet is rejected.
  void submit(JobState job) {
    if (job.ask.gpus() == 0) {
      running.add(job);
      context.recorder().start(job.index);
      go(job, new Allocation(), 0);
    } else if (models(job.ask).isEmpty()) {
      context.recorder().reject(job.index, bare.why(job.ask));
    } else {
      waiting.add(job);
      changed = true;
    }
  }

  /// Returns the indexes of the models on which the request has a placement when nothing runs.
  BitSet models(GpuRequest request) {
    return possible.computeIfAbsent(request, _ -> bare.models(request, options.placement()));
  }

  private void complete(JobState job) {
    freeGpus.give(held(job));
    running.remove(job);
    job.leave(now());
    long lost = job.progress.stop(now(), PreemptionCost.NONE) * job.ask.gpus();
    context.recorder().finish(job.index, lost);
    changed = true;
  }

  /// Charges all running jobs for the interval between two events that ends now.
  void charge() {
    if (options.charge() != BaselineOptions.ServiceCharge.EVERY_EVENT) {
      return;
    }
    for (JobState job : running) {
      Allocation allocation = held(job);
      long overhead = restarts().millis(job.spec, context.fleet(), allocation.nodes());
      if (overhead > 0) {
        job.leave(now());
        long idle = job.progress.charge(now(), overhead);
        context.recorder().moved(job.index, idle * job.ask.gpus());
        go(job, allocation, 0);
      }
    }
  }

  // ---- Departure and return of nodes ----

  /// Removes the node; the jobs on it wait again.
  void nodeDown(int node) {
    for (JobState job : new ArrayList<>(running)) {
      if (held(job).uses(node)) {
        freeGpus.give(held(job));
        preempt(job, EvictionRecord.NODE);
        if (job.progress.fails()) {
          giveUp(job);
        }
      }
    }
    freeGpus.remove(node);
    changed = true;
    context.recorder().node(node, false);
  }

  /// Gives up a job without progress in any of its last starts, because of node failures.
  private void giveUp(JobState job) {
    waiting.remove(job);
    context.recorder().giveUp(job.index);
  }

  /// Restores the node.
  void nodeUp(int node) {
    freeGpus.restore(node);
    changed = true;
    context.recorder().node(node, true);
  }
}
