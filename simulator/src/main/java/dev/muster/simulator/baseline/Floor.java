package dev.muster.simulator.baseline;

import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.run.Absences;
import dev.muster.simulator.run.Losses;
import dev.muster.simulator.run.Recorder;
import dev.muster.simulator.run.Speedometer;
import dev.muster.simulator.run.Stop;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;

/// All that a policy sees, and all that it can do.
final class Floor {
  private final Semantics semantics;
  private final Machines machines;
  private final Machines bare;
  private final Absences absences;
  private final Recorder recorder;
  private final Speedometer speedometer;
  private final Line line;
  private final TreeSet<Work> running = new TreeSet<>(Work.BY_AGE);
  private final PriorityQueue<End> ends = new PriorityQueue<>();
  private final Map<Ask, BitSet> possible = new HashMap<>();
  private long now;

  /// An end that is due if the job has not been stopped or moved since.
  private record End(long at, Work work, int starts) implements Comparable<End> {
    private static final Comparator<End> ORDER =
        Comparator.comparingLong(End::at).thenComparing(End::work, Work.BY_AGE);

    @Override
    public int compareTo(End other) {
      return ORDER.compare(this, other);
    }

    boolean isOff() {
      return work.grant == null || work.effort.starts() != starts;
    }
  }

  Floor(Fleet fleet, Baseline policy, Semantics semantics, Absences absences, Recorder recorder) {
    this.semantics = semantics;
    this.machines = Machines.of(fleet.nodes());
    this.bare = machines.empty();
    this.absences = absences;
    this.recorder = recorder;
    this.speedometer = new Speedometer(fleet, semantics.pace());
    this.line = new Line(policy.order(), policy::kind);
  }

  // ---- What policies see ----

  long now() {
    return now;
  }

  Semantics semantics() {
    return semantics;
  }

  /// The jobs that wait.
  Line line() {
    return line;
  }

  /// The jobs that run, in order of submission.
  Set<Work> running() {
    return running;
  }

  Machines machines() {
    return machines;
  }

  /// How long the job, which waits, is expected to run once it starts.
  long estimate(Work work) {
    return work.estimate(now, restart());
  }

  /// The nodes that are not there, and when each is expected back.
  SortedMap<Integer, Long> absent() {
    return absences.expected();
  }

  // ---- What policies do ----

  /// Starts the job if there is a place for it now.
  boolean start(Work work) {
    Grant grant = machines.place(work.ask, semantics.placement());
    if (grant == null) {
      return false;
    }
    begin(work, grant);
    return true;
  }

  /// Starts the job where it was planned; where machines were only counted, on nodes of the model
  /// that was planned if there is a place on them.
  boolean start(Work work, Grant planned) {
    Grant grant = planned;
    if (semantics.reservations() == Semantics.Reservations.COUNTED) {
      grant = machines.place(work.ask, semantics.placement(), planned.node(0));
    } else {
      machines.take(planned);
    }
    if (grant == null) {
      return false;
    }
    begin(work, grant);
    return true;
  }

  /// Empties the nodes, and places the jobs in this order, passing over those that find no place;
  /// of those that ran, the ones without a place are preempted, others may have to move.
  void rearrange(List<Work> order) {
    running.forEach(work -> machines.give(held(work)));
    Map<Work, Grant> grants = new HashMap<>();
    TreeSet<String> full = new TreeSet<>();
    for (Work work : order) {
      Grant grant =
          full.contains(work.kind) ? null : machines.place(work.ask, semantics.placement());
      if (grant == null) {
        full.add(work.kind);
      } else {
        grants.put(work, grant);
      }
    }
    for (Work work : new ArrayList<>(running)) {
      Grant grant = grants.get(work);
      if (grant == null) {
        preempt(work, Stop.NOBODY);
      } else if (!grant.equals(work.grant)) {
        move(work, grant);
      }
      grants.remove(work);
    }
    grants.entrySet().stream()
        .sorted(Map.Entry.comparingByKey(Work.BY_AGE))
        .forEach(started -> begin(started.getKey(), started.getValue()));
  }

  /// What the running job holds.
  Grant held(Work work) {
    Grant grant = work.grant;
    if (grant == null) {
      throw new IllegalStateException("The job (%s) does not run.".formatted(work.job.id()));
    }
    return grant;
  }

  private void begin(Work work, Grant grant) {
    line.remove(work);
    running.add(work);
    take(work, grant);
    recorder.start(work.index);
    work.begun = now;
    go(work, grant, restart());
  }

  private long restart() {
    return semantics.charge() == Semantics.Charge.RESTART
        ? semantics.losses().restart().toMillis()
        : 0;
  }

  private void take(Work work, Grant grant) {
    for (int i = 0; i < grant.size(); i++) {
      recorder.take(work.index, grant.node(i), 1000L * grant.gpus(i));
    }
  }

  private void go(Work work, Grant grant, long restart) {
    work.grant = grant;
    work.effort.begin(now, restart, speedometer.rate(grant.nodes()));
    ends.add(new End(work.effort.end(), work, work.effort.starts()));
  }

  private long stop(Work work) {
    work.leave(now);
    return work.effort.stop(now, semantics.losses()) * work.ask.gpus();
  }

  private void preempt(Work work, int by) {
    running.remove(work);
    recorder.leave(work.index);
    recorder.preempt(work.index, by, stop(work));
    line.add(work);
  }

  private void move(Work work, Grant grant) {
    long lost = stop(work);
    recorder.leave(work.index);
    take(work, grant);
    recorder.moved(work.index, lost);
    go(work, grant, restart());
  }

  // ---- What happens ----

  /// Time goes on; ends that were due by then have been taken.
  void advance(long millis) {
    now = millis;
    recorder.advance(millis);
  }

  /// Whether it waits now.
  boolean arrive(Work work) {
    if (work.ask.gpus() == 0) {
      running.add(work);
      recorder.start(work.index);
      go(work, new Grant(), 0);
    } else if (models(work.ask).isEmpty()) {
      recorder.reject(work.index, bare.why(work.ask));
    } else {
      line.add(work);
      return true;
    }
    return false;
  }

  /// The models on which the ask has a place when nothing runs, as numbers.
  BitSet models(Ask ask) {
    return possible.computeIfAbsent(ask, _ -> bare.models(ask, semantics.placement()));
  }

  /// When the next job ends; never if none runs.
  long nextEnd() {
    End next = ends.peek();
    while (next != null && next.isOff()) {
      ends.remove();
      next = ends.peek();
    }
    return next == null ? Long.MAX_VALUE : next.at();
  }

  /// Ends the jobs that are due now; whether there were any.
  boolean end() {
    boolean any = false;
    while (nextEnd() == now) {
      Work work = ends.remove().work();
      machines.give(held(work));
      running.remove(work);
      work.leave(now);
      recorder.finish(work.index, work.effort.stop(now, Losses.NONE) * work.ask.gpus());
      any = true;
    }
    return any;
  }

  /// Charges all that run for the interval between two events that ends now.
  void charge() {
    long overhead = semantics.losses().restart().toMillis();
    if (semantics.charge() == Semantics.Charge.EVERY_EVENT && overhead > 0) {
      for (Work work : running) {
        Grant grant = held(work);
        work.leave(now);
        long idle = work.effort.charge(now, overhead);
        recorder.moved(work.index, idle * work.ask.gpus());
        go(work, grant, 0);
      }
    }
  }

  // ---- Nodes that go and come ----

  /// The node is gone: whoever used it waits again.
  void lose(int node) {
    for (Work work : new ArrayList<>(running)) {
      if (held(work).uses(node)) {
        machines.give(held(work));
        preempt(work, Stop.NODE);
        if (work.effort.fails()) {
          giveUp(work);
        }
      }
    }
    machines.remove(node);
    recorder.node(node, false);
  }

  /// Who waits since a node failed, and has got on with none of its last starts, never will.
  private void giveUp(Work work) {
    line.remove(work);
    recorder.giveUp(work.index);
  }

  /// The node is back.
  void regain(int node) {
    machines.restore(node);
    recorder.node(node, true);
  }
}
