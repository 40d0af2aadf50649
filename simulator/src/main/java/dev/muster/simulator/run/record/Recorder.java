package dev.muster.simulator.run.record;

import dev.muster.core.fit.Veto;
import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.run.record.JobOutcome.State;
import dev.muster.simulator.trace.TraceJob;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// Records what happens in a run under any scheduler.
///
/// Jobs are submitted, members take and leave nodes, jobs start, stop and end. Time never runs
/// backwards.
public final class Recorder {
  private final Fleet fleet;
  private final double speed;
  private final Gauges gauges;
  private final DomainIndex spans;
  private final AllocationLog log;
  private final List<JobRecord> jobs = new ArrayList<>();
  private final List<EvictionRecord> stops = new ArrayList<>();
  private final Set<Integer> moved = new TreeSet<>(); // run on other nodes than they last did
  private long now;

  /// A record in which nothing has happened; all nodes of the fleet are there but cloud nodes.
  public Recorder(Fleet fleet, SpeedModel speed) {
    this(fleet, speed, RunResult.MOST_STAYS);
  }

  /// A record that keeps no more than so many stays.
  Recorder(Fleet fleet, SpeedModel speed, int mostStays) {
    this.fleet = fleet;
    this.speed = speed.fastest(fleet);
    this.log = new AllocationLog(fleet.nodes().size(), mostStays);
    this.gauges = new Gauges(fleet);
    this.spans = new DomainIndex(fleet);
    for (int i = 0; i < fleet.nodes().size(); i++) {
      gauges.node(i, !fleet.isOnDemand(i));
    }
  }

  /// Time goes on.
  public void advance(long millis) {
    gauges.advance(millis);
    if (millis > now && !moved.isEmpty()) {
      moved.forEach(job -> jobs.get(job).span(spans));
      moved.clear();
    }
    now = Math.max(now, millis);
  }

  /// The node is there from now on, or gone.
  public void node(int node, boolean present) {
    gauges.node(node, present);
  }

  /// A job is submitted; it waits.
  ///
  /// @return its index among the outcomes
  public int submit(TraceJob job) {
    jobs.add(new JobRecord(job));
    gauges.waits(1, job.gpuMilli());
    return jobs.size() - 1;
  }

  /// Members of the job take this much of the node.
  public void take(int job, int node, long gpuMilli) {
    List<AllocationSpan> open = jobs.get(job).open;
    boolean joins =
        !open.isEmpty() && open.getLast().node() == node && open.getLast().fromMillis() == now;
    long before = joins ? open.removeLast().gpuMilli() : 0;
    open.add(new AllocationSpan(job, node, before + gpuMilli, now, -1));
    gauges.take(node, gpuMilli);
    move(job);
  }

  /// One of its members, or several, leave the node; the job goes on with the others, or is
  /// stopped.
  ///
  /// @param gpuMilli what they took of it at one time
  public void leave(int job, int node, long gpuMilli) {
    AllocationSpan left = jobs.get(job).leave(node, gpuMilli);
    if (left != null) { // members without GPUs share a stay, which the first of them has closed
      close(left);
      move(job);
    }
  }

  /// The nodes of a job count when time goes on: the members of a gang that is stopped leave one by
  /// one.
  private void move(int job) {
    if (jobs.get(job).state == State.RUNNING) {
      moved.add(job);
    }
  }

  /// The job has left all its nodes.
  public void leave(int job) {
    List<AllocationSpan> open = jobs.get(job).open;
    open.forEach(this::close);
    open.clear();
  }

  private void close(AllocationSpan span) {
    gauges.take(span.node(), -span.gpuMilli());
    jobs.get(span.job()).close(span, now);
    log.add(span, now);
  }

  /// The job waited and runs from now on, on the nodes that it has taken.
  public void start(int job) {
    JobRecord record = jobs.get(job);
    record.start(now);
    record.span(spans);
    gauges.waits(-1, -record.job.gpuMilli());
    gauges.runs(1);
  }

  /// So much of the time since the job last started as GPU-milliseconds: the same part of all that
  /// it held since then.
  public long gpuMillis(int job, long millis) {
    return jobs.get(job).gpuMillis(millis, now);
  }

  /// The job, which ran, is stopped and waits again; members that are still on a node leave it.
  ///
  /// @param by the index of the job that it was stopped for, or what [EvictionRecord] has for none
  /// @param lostGpuMillis GPU-milliseconds of work that are to be done again, or were no work
  public void preempt(int job, int by, long lostGpuMillis) {
    if (stops.size() < RunResult.MOST_STAYS) {
      stops.add(new EvictionRecord(job, by, lostGpuMillis));
    }
    moved.remove(job);
    JobRecord record = jobs.get(job);
    record.preempt(now);
    record.lostGpuMillis += lostGpuMillis;
    gauges.runs(-1);
    gauges.waits(1, record.job.gpuMilli());
  }

  /// The job, which runs, has left its nodes and taken others at once.
  ///
  /// @param lostGpuMillis GPU-milliseconds that the move costs
  public void moved(int job, long lostGpuMillis) {
    jobs.get(job).lostGpuMillis += lostGpuMillis;
  }

  /// The job is done.
  ///
  /// @param lostGpuMillis GPU-milliseconds since it last started that were no work
  public void finish(int job, long lostGpuMillis) {
    moved.remove(job);
    JobRecord record = jobs.get(job);
    record.lostGpuMillis += lostGpuMillis;
    leave(job);
    record.finish(now);
    gauges.runs(-1);
  }

  /// A waiting job can never start.
  public void reject(int job, Veto why) {
    drop(job, State.REJECTED);
    explain(job, Optional.of(why));
  }

  /// Why the job waits, or is rejected; known at the end.
  public void explain(int job, Optional<Veto> why) {
    jobs.get(job).why = why;
  }

  /// A waiting job is given up: failures of nodes do not let it make progress.
  public void giveUp(int job) {
    drop(job, State.UNFINISHED);
  }

  private void drop(int job, State state) {
    JobRecord record = jobs.get(job);
    if (record.state == State.WAITING) {
      record.state = state;
      gauges.waits(-1, -record.job.gpuMilli());
    }
  }

  /// All that happened.
  ///
  /// @param cutShort whether the run was stopped before its end
  public RunResult result(SimulationSetup setup, boolean cutShort) {
    return result(setup, cutShort, List.of());
  }

  /// All that happened, and which cloud nodes were paid for.
  public RunResult result(SimulationSetup setup, boolean cutShort, List<Rental> rentals) {
    List<JobOutcome> outcomes = new ArrayList<>(jobs.size());
    List<TraceJob> able = new ArrayList<>(jobs.size());
    log.occupancy().reach(now);
    for (JobRecord record : jobs) {
      record.open.forEach(span -> log.add(span, now));
      outcomes.add(record.outcome(now));
      if (record.state != State.REJECTED) {
        able.add(record.job);
      }
    }
    LowerBounds bounds = LowerBounds.of(able, fleet.gpus(), speed);
    return new RunResult(
        setup,
        fleet,
        outcomes,
        log.stays(),
        log.dropped(),
        log.occupancy(),
        stops,
        gauges.samples(),
        rentals,
        bounds,
        now,
        cutShort);
  }
}
