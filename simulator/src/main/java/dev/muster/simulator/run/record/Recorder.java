package dev.muster.simulator.run.record;

import dev.muster.core.fit.Veto;
import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.run.record.JobOutcome.State;
import dev.muster.simulator.trace.TraceJob;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/// Records the events of a run under any scheduler.
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
  private final Map<Integer, Long> absentSince = new TreeMap<>();
  private final Set<Integer> moved = new TreeSet<>(); // jobs with changed nodes
  private long now;

  /// Creates an empty record; all nodes of the fleet are present except cloud nodes.
  public Recorder(Fleet fleet, SpeedModel speed) {
    this(fleet, speed, RunResult.MOST_STAYS);
  }

  /// Creates an empty record that keeps at most `mostStays` spans.
  Recorder(Fleet fleet, SpeedModel speed, int mostStays) {
    this.fleet = fleet;
    this.speed = speed.fastest(fleet);
    this.log = new AllocationLog(fleet.nodes().size(), mostStays);
    this.gauges = new Gauges(fleet);
    this.spans = new DomainIndex(fleet);
    for (int i = 0; i < fleet.nodes().size(); i++) {
      node(i, !fleet.isOnDemand(i));
    }
  }

  /// Moves time forward.
  public void advance(long millis) {
    gauges.advance(millis);
    if (millis > now && !moved.isEmpty()) {
      moved.forEach(job -> jobs.get(job).span(spans));
      moved.clear();
    }
    now = Math.max(now, millis);
  }

  /// Records that the node is present from now on, or absent.
  public void node(int node, boolean present) {
    gauges.node(node, present);
    if (!present) {
      absentSince.putIfAbsent(node, now);
    } else if (absentSince.containsKey(node)) {
      log.occupancy().addAbsence(node, Objects.requireNonNull(absentSince.remove(node)), now);
    }
  }

  /// Records that a job is submitted and waits.
  ///
  /// @return its index among the outcomes
  public int submit(TraceJob job) {
    jobs.add(new JobRecord(job));
    gauges.waits(1, job.gpuMilli());
    return jobs.size() - 1;
  }

  /// Records that members of the job take an amount of the node.
  public void take(int job, int node, long gpuMilli) {
    List<AllocationSpan> open = jobs.get(job).open;
    boolean joins =
        !open.isEmpty() && open.getLast().node() == node && open.getLast().fromMillis() == now;
    long before = joins ? open.removeLast().gpuMilli() : 0;
    open.add(new AllocationSpan(job, node, before + gpuMilli, now, -1));
    gauges.take(node, gpuMilli);
    move(job);
  }

  /// Records that one or several members leave the node. The job goes on with the others, or is
  /// stopped.
  ///
  /// @param gpuMilli amount that they took of it at one time
  public void leave(int job, int node, long gpuMilli) {
    AllocationSpan left = jobs.get(job).leave(node, gpuMilli);
    if (left != null) { // members without GPUs share a span, which the first of them has closed
      close(left);
      move(job);
    }
  }

  /// Marks a job with changed nodes. They are counted when time moves forward, since the members of
  /// a stopped gang leave one by one.
  private void move(int job) {
    if (jobs.get(job).state == State.RUNNING) {
      moved.add(job);
    }
  }

  /// Records that the job has left all its nodes.
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

  /// Records that a waiting job runs from now on, on the nodes that it has taken.
  public void start(int job) {
    JobRecord record = jobs.get(job);
    record.start(now);
    record.span(spans);
    gauges.waits(-1, -record.job.gpuMilli());
    gauges.runs(1);
  }

  /// Returns a part of the time since the job's last start as GPU-milliseconds. All use since then
  /// is scaled by that part.
  public long gpuMillis(int job, long millis) {
    return jobs.get(job).gpuMillis(millis, now);
  }

  /// Records that the running job is stopped and waits again; members that are still on a node
  /// leave it.
  ///
  /// @param by index of the job that it was stopped for, or a constant of [EvictionRecord]
  /// @param lostGpuMillis GPU-milliseconds of work to be repeated, or without progress
  public void preempt(int job, int by, long lostGpuMillis) {
    if (stops.size() < RunResult.MOST_STAYS) {
      stops.add(new EvictionRecord(job, by, lostGpuMillis));
    }
    moved.remove(job);
    JobRecord record = jobs.get(job);
    record.preempt(now, by == EvictionRecord.NODE);
    record.lostGpuMillis += lostGpuMillis;
    gauges.runs(-1);
    gauges.waits(1, record.job.gpuMilli());
  }

  /// Records that the running job has left its nodes and taken others at once.
  ///
  /// @param lostGpuMillis GPU-milliseconds that the move costs
  public void moved(int job, long lostGpuMillis) {
    jobs.get(job).lostGpuMillis += lostGpuMillis;
  }

  /// Records that the job is done.
  ///
  /// @param lostGpuMillis GPU-milliseconds since its last start without progress
  public void finish(int job, long lostGpuMillis) {
    moved.remove(job);
    JobRecord record = jobs.get(job);
    record.lostGpuMillis += lostGpuMillis;
    leave(job);
    record.finish(now);
    gauges.runs(-1);
  }

  /// Records that a waiting job can never start.
  public void reject(int job, Veto why) {
    drop(job, State.REJECTED);
    explain(job, Optional.of(why));
  }

  /// Records the reason why the job waits or is rejected; known at the end.
  public void explain(int job, Optional<Veto> why) {
    jobs.get(job).why = why;
  }

  /// Records that a waiting job is given up: failures of nodes prevent progress.
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

  /// Returns the result of the run.
  ///
  /// @param cutShort true if the run was stopped before its end
  public RunResult result(SimulationSetup setup, boolean cutShort) {
    return result(setup, cutShort, List.of());
  }

  /// Returns the result of the run, with the paid periods of cloud nodes.
  public RunResult result(SimulationSetup setup, boolean cutShort, List<Rental> rentals) {
    List<JobOutcome> outcomes = new ArrayList<>(jobs.size());
    List<TraceJob> able = new ArrayList<>(jobs.size());
    log.occupancy().reach(now);
    absentSince.forEach((node, since) -> log.occupancy().addAbsence(node, since, now));
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
