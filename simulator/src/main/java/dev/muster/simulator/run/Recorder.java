package dev.muster.simulator.run;

import dev.muster.core.fit.Veto;
import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.run.JobOutcome.State;
import dev.muster.simulator.trace.TraceJob;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// Notes what happens in a run, whoever decides: jobs come, members take and leave nodes, jobs
/// start, stop and end. Time never runs backwards.
public final class Recorder {
  private final Fleet fleet;
  private final double speed;
  private final Gauges gauges;
  private final int[][] domains;
  private final List<Track> tracks = new ArrayList<>();
  private final List<Stay> stays = new ArrayList<>();
  private final List<Stop> stops = new ArrayList<>();
  private final Map<List<Integer>, List<Integer>> spans = new HashMap<>();
  private final List<Integer> oneOfEach;
  private final Occupancy occupancy;
  private final Set<Integer> changed = new TreeSet<>(); // run on other nodes than they last did
  private final int mostStays;
  private long droppedStays;
  private long now;

  /// What is known of a job so far.
  private static final class Track {
    private final TraceJob job;
    private List<Stay> open = new ArrayList<>(1);
    private List<Integer> span = List.of();
    private State state = State.WAITING;
    private long start = -1;
    private long end = -1;
    private long since;
    private long held;
    private double gpuTime; // of the longest run times more than a long holds
    private double gpuTimeBefore;
    private long lost;
    private int nodes;
    private int preemptions;
    private Optional<Veto> why = Optional.empty();

    Track(TraceJob job) {
      this.job = job;
    }
  }

  /// Nothing has happened; all nodes of the fleet are there but those that come on demand.
  public Recorder(Fleet fleet, Pace pace) {
    this(fleet, pace, RunResult.MOST_STAYS);
  }

  /// The same, keeping no more than so many stays.
  Recorder(Fleet fleet, Pace pace, int mostStays) {
    this.fleet = fleet;
    this.speed = pace.fastest(fleet);
    this.mostStays = mostStays;
    this.occupancy = new Occupancy(fleet.nodes().size());
    this.gauges = new Gauges(fleet);
    this.domains = Spans.domains(fleet);
    this.oneOfEach = List.copyOf(Collections.nCopies(domains.length, 1));
    for (int i = 0; i < fleet.nodes().size(); i++) {
      gauges.node(i, !fleet.isOnDemand(i));
    }
  }

  /// Time goes on.
  public void advance(long millis) {
    gauges.advance(millis);
    if (millis > now && !changed.isEmpty()) {
      changed.forEach(job -> span(tracks.get(job)));
      changed.clear();
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
    tracks.add(new Track(job));
    gauges.waits(1, job.gpuMilli());
    return tracks.size() - 1;
  }

  /// Members of the job take this much of the node.
  public void take(int job, int node, long gpuMilli) {
    List<Stay> open = tracks.get(job).open;
    boolean joins =
        !open.isEmpty() && open.getLast().node() == node && open.getLast().fromMillis() == now;
    long before = joins ? open.removeLast().gpuMilli() : 0;
    open.add(new Stay(job, node, before + gpuMilli, now, -1));
    gauges.take(node, gpuMilli);
    change(job);
  }

  /// One of its members, or several, leave the node; the job goes on with the others, or is
  /// stopped.
  ///
  /// @param gpuMilli what they took of it at one time
  public void leave(int job, int node, long gpuMilli) {
    List<Stay> open = tracks.get(job).open;
    int at = open.size() - 1;
    while (at >= 0 && open.get(at).node() != node) {
      at--;
    }
    if (at < 0) {
      return; // members without GPUs share a stay, which the first of them has closed
    }
    Stay stay = open.remove(at);
    long rest = stay.gpuMilli() - gpuMilli;
    if (rest > 0) {
      open.add(at, new Stay(job, node, rest, stay.fromMillis(), -1));
    }
    close(new Stay(job, node, gpuMilli, stay.fromMillis(), -1));
    change(job);
  }

  /// Where it is counts from when time goes on: of a gang that is stopped the members leave one by
  /// one.
  private void change(int job) {
    if (tracks.get(job).state == State.RUNNING) {
      changed.add(job);
    }
  }

  /// The job has left all its nodes.
  public void leave(int job) {
    List<Stay> open = tracks.get(job).open;
    for (Stay stay : open) {
      close(stay);
    }
    open.clear();
  }

  /// The job waited and runs from now on, on the nodes that it has taken.
  public void start(int job) {
    Track track = tracks.get(job);
    track.start = track.start < 0 ? now : track.start;
    track.since = now;
    track.gpuTimeBefore = gpuTime(track);
    track.state = State.RUNNING;
    span(track);
    gauges.waits(-1, -track.job.gpuMilli());
    gauges.runs(1);
  }

  private void span(Track track) {
    if (track.open.size() == 1) { // most jobs
      track.nodes = 1;
      track.span = oneOfEach;
      return;
    }
    int[] nodes = track.open.stream().mapToInt(Stay::node).distinct().toArray();
    track.nodes = nodes.length;
    List<Integer> span = new ArrayList<>();
    for (int[] level : domains) {
      span.add((int) Arrays.stream(nodes).map(node -> level[node]).distinct().count());
    }
    track.span = spans.computeIfAbsent(span, List::copyOf);
  }

  /// So much of the time since the job last started as GPU-milliseconds: the same part of all that
  /// it held since then.
  public long gpuMillis(int job, long millis) {
    Track track = tracks.get(job);
    double part = now == track.since ? 0 : (double) millis / (now - track.since);
    return Math.round(part * (gpuTime(track) - track.gpuTimeBefore) / 1000);
  }

  /// What it held so far, in thousandths of a GPU times milliseconds.
  private double gpuTime(Track track) {
    double time = track.gpuTime;
    for (Stay stay : track.open) {
      time += (double) stay.gpuMilli() * (now - stay.fromMillis());
    }
    return time;
  }

  /// The job, which ran, is stopped and waits again; who holds a node still leaves it.
  ///
  /// @param by the index of the job that it was stopped for, or what [Stop] has for none
  /// @param lostGpuMillis GPU-milliseconds of work that are to be done again, or were no work
  public void preempt(int job, int by, long lostGpuMillis) {
    if (stops.size() < RunResult.MOST_STAYS) {
      stops.add(new Stop(job, by, lostGpuMillis));
    }
    Track track = tracks.get(job);
    changed.remove(job);
    stop(track);
    track.state = State.WAITING;
    track.preemptions++;
    track.lost += lostGpuMillis;
    gauges.waits(1, track.job.gpuMilli());
  }

  /// The job, which runs, has left its nodes and taken others at once.
  ///
  /// @param lostGpuMillis GPU-milliseconds that the move costs
  public void moved(int job, long lostGpuMillis) {
    tracks.get(job).lost += lostGpuMillis;
  }

  /// The job is done.
  ///
  /// @param lostGpuMillis GPU-milliseconds since it last started that were no work
  public void finish(int job, long lostGpuMillis) {
    Track track = tracks.get(job);
    changed.remove(job);
    stop(track);
    track.lost += lostGpuMillis;
    leave(job);
    track.state = State.DONE;
    track.end = now;
  }

  private void stop(Track track) {
    track.held += now - track.since;
    gauges.runs(-1);
  }

  private void close(Stay stay) {
    gauges.take(stay.node(), -stay.gpuMilli());
    tracks.get(stay.job()).gpuTime += (double) stay.gpuMilli() * (now - stay.fromMillis());
    keep(stay);
  }

  /// Members that came to a node and left it together make one stay.
  private void keep(Stay stay) {
    occupancy.add(stay.node(), stay.gpuMilli(), stay.fromMillis(), now);
    boolean joins = !stays.isEmpty() && stays.getLast().isWith(stay, now);
    long before = joins ? stays.removeLast().gpuMilli() : 0;
    if (stays.size() < mostStays) {
      stays.add(
          new Stay(stay.job(), stay.node(), before + stay.gpuMilli(), stay.fromMillis(), now));
    } else {
      droppedStays++;
    }
  }

  /// A waiting job can never start.
  public void reject(int job, Veto why) {
    drop(job, State.REJECTED);
    explain(job, Optional.of(why));
  }

  /// Why the job waits, or is rejected; known at the end.
  void explain(int job, Optional<Veto> why) {
    tracks.get(job).why = why;
  }

  /// A waiting job is given up: failures of nodes do not let it get on.
  public void giveUp(int job) {
    drop(job, State.UNFINISHED);
  }

  private void drop(int job, State state) {
    Track track = tracks.get(job);
    if (track.state == State.WAITING) {
      track.state = state;
      gauges.waits(-1, -track.job.gpuMilli());
    }
  }

  /// All that happened.
  ///
  /// @param cutShort whether the run was stopped before its end
  public RunResult result(Setup setup, boolean cutShort) {
    return result(setup, cutShort, List.of());
  }

  /// All that happened, and which cloud nodes were paid for.
  RunResult result(Setup setup, boolean cutShort, List<Rental> rentals) {
    List<JobOutcome> jobs = new ArrayList<>(tracks.size());
    List<TraceJob> able = new ArrayList<>(tracks.size());
    occupancy.reach(now);
    for (Track track : tracks) {
      track.open.forEach(this::keep);
      jobs.add(outcome(track));
      if (track.state != State.REJECTED) {
        able.add(track.job);
      }
    }
    LowerBounds bounds = LowerBounds.of(able, fleet.gpus(), speed);
    return new RunResult(
        setup,
        fleet,
        jobs,
        stays,
        droppedStays,
        occupancy,
        stops,
        gauges.samples(),
        rentals,
        bounds,
        now,
        cutShort);
  }

  private JobOutcome outcome(Track track) {
    long held = track.held + (track.state == State.RUNNING ? now - track.since : 0);
    return new JobOutcome(
        track.job,
        track.state,
        track.start,
        track.end,
        held,
        (long) (gpuTime(track) / 1000),
        track.preemptions,
        track.lost,
        track.nodes,
        track.span,
        track.why);
  }
}
