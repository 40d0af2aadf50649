package dev.muster.simulator.run;

import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Promise;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.decision.Explanation;
import dev.muster.core.drive.Driver;
import dev.muster.core.drive.Inbox;
import dev.muster.core.drive.Journal;
import dev.muster.core.drive.Outbox;
import dev.muster.core.engine.Effect;
import dev.muster.core.engine.Engine;
import dev.muster.core.engine.Policies;
import dev.muster.core.engine.State;
import dev.muster.core.engine.Step;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.trace.Trace;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// A trace on a fleet under the production brain: the same engine, policies and driver as in the
/// live server, on a virtual clock.
///
/// What the scheduler asks for happens at once, or after `latency`: reservations are written, pods
/// bound where they were promised a node, evicted pods are gone and made anew by their controller.
/// A gang runs from when it has its minimum of members until it has run as long as the trace says;
/// then its pods and it are gone. At one instant ends come first, then nodes that go or come back,
/// then arrivals, then cloud nodes, then time itself; after each of them is decided. A job that has
/// no place on the empty fleet is rejected when it comes, as under classic policies: the engine
/// would let it wait for ever. One that failing nodes stop again and again before it gets on is
/// given up ([Effort#MOST_FAILURES]).
///
/// The live server ticks every second. Here a tick is left out if it would find nothing changed
/// since the one before and nothing due: see [Ticks].
public final class MusterRun implements Inbox, Outbox {
  private static final int LOOK_EVERY = 1 << 8;

  private final Fleet fleet;
  private final Trace trace;
  private final Submissions arriving;
  private final Options options;
  private final Absences absences;
  private final Speedometer speedometer;
  private final Recorder recorder;
  private final Ticks ticks;
  private final CloudNodes cloud;
  private final EmptyFleet whole;
  private final ArrayDeque<Event> now = new ArrayDeque<>();
  private final Agenda agenda = new Agenda();
  private final Map<GangId, SimGang> gangs = new HashMap<>();
  private final Map<GangId, GangId> stoppedFor = new HashMap<>();
  private final Map<NodeId, Integer> nodes = new HashMap<>();
  private State state;
  private long millis;
  private int submitted;
  private long turns;
  private boolean stopped;

  private MusterRun(Fleet fleet, Trace trace, Policies policies, Options options, long seed) {
    this.fleet = fleet;
    this.trace = trace;
    this.options = options;
    this.absences = new Absences(fleet, options.outages(), seed);
    this.speedometer = new Speedometer(fleet, options.pace());
    this.recorder = new Recorder(fleet, options.pace());
    this.arriving = new Submissions(trace, policies.queues(), recorder::submit);
    this.ticks = new Ticks(policies, trace.start());
    this.cloud = new CloudNodes(fleet, new Engine(policies));
    this.whole = new EmptyFleet(fleet, new Engine(policies), trace.start());
    this.state = State.empty(fleet.topology(), policies).unseen();
    for (int i = 0; i < fleet.nodes().size(); i++) {
      nodes.put(fleet.nodes().get(i).id(), i);
      if (!fleet.isOnDemand(i)) {
        now.add(new Event.NodeSeen(trace.start(), fleet.nodes().get(i)));
      }
    }
    now.add(new Event.Synced(trace.start()));
  }

  /// How a run goes.
  ///
  /// @param latency how long the control plane takes from a decision until the pods run
  /// @param pace how fast gangs run where
  /// @param losses what a gang loses that is stopped
  /// @param outages when nodes are not there
  /// @param watch looks on
  public record Options(Duration latency, Pace pace, Losses losses, Outages outages, Watch watch) {
    /// The control plane takes no time, nothing fails; nobody looks on.
    public static final Options DEFAULT = of(Duration.ZERO, Watch.NONE);

    /// Nothing fails, and everything runs as the trace says.
    public static Options of(Duration latency, Watch watch) {
      return new Options(latency, Pace.FULL, Losses.NONE, Outages.NONE, watch);
    }
  }

  /// Runs the trace to its end.
  ///
  /// @param setup what the result is to say of the run
  /// @throws InterruptedException when the thread is interrupted
  public static RunResult of(
      Setup setup, Fleet fleet, Trace trace, Policies policies, Options options)
      throws InterruptedException {
    return of(setup, fleet, trace, policies, options, Journal.NONE);
  }

  /// Runs the trace to its end, and notes every turn.
  static RunResult of(
      Setup setup, Fleet fleet, Trace trace, Policies policies, Options options, Journal journal)
      throws InterruptedException {
    MusterRun run = new MusterRun(fleet, trace, policies, options, setup.seed());
    Driver driver = new Driver(new Engine(policies), run, journal, run);
    driver.run(run.state);
    run.explain();
    return run.recorder.result(setup, run.stopped, run.cloud.rentals(run.millis));
  }

  /// Who still waits does so for the reason that the engine gives.
  private void explain() {
    gangs.values().stream()
        .filter(gang -> !gang.effort.runs())
        .forEach(
            gang -> recorder.explain(gang.index, state.why(gang.id).flatMap(Explanation::main)));
  }

  // ---- Events, in order of time ----

  @Override
  public Optional<Event> next() {
    while (now.isEmpty() && !stopped && turn()) {
      // the next instant may bring nothing
    }
    return Optional.ofNullable(now.poll());
  }

  /// Makes the next thing happen; false when there is none.
  private boolean turn() {
    long due = agenda.nextAt();
    long arrival = arriving.nextAt();
    if (arrival == Long.MAX_VALUE && gangs.isEmpty()) {
      return false;
    }
    long rented = cloud.nextAt(state, millis);
    boolean idle = Math.min(Math.min(due, arrival), rented) == Long.MAX_VALUE;
    long tick = ticks.next(state, idle);
    boolean vain = absences.isVain(idle, millis);
    if (vain && absences.down() > 0) {
      return false;
    }
    long outage = vain && tick == Long.MAX_VALUE ? Long.MAX_VALUE : absences.nextAt();
    long next = Math.min(rented, Math.min(Math.min(tick, outage), Math.min(due, arrival)));
    if (next == Long.MAX_VALUE) {
      return false;
    }
    millis = Math.max(millis, next);
    recorder.advance(millis);
    if (++turns % LOOK_EVERY == 0) {
      stopped = !options.watch().goesOn(submitted, millis);
    }
    if (due == next) {
      happens(agenda.take());
    } else if (outage == next) {
      outage();
    } else if (arrival == next) {
      arrives(arriving.take());
    } else if (rented == next) {
      rent();
    } else {
      ticks.tick(millis);
      now.add(new Event.Tick(at()));
    }
    return true;
  }

  private Instant at() {
    return trace.start().plusMillis(millis);
  }

  private void arrives(Submissions.Submitted job) {
    var never = whole.refuses(job.job(), state);
    if (never.isPresent()) {
      recorder.reject(job.index(), never.get());
    } else {
      wait(new SimGang(job.index(), job.job(), at()));
    }
    submitted++;
  }

  private void wait(SimGang gang) {
    cloud.stir();
    if (gangs.put(gang.id, gang) != null) {
      throw new IllegalArgumentException(
          "The trace has two jobs named %s in the queue %s. Maybe a part of it is in there twice."
              .formatted(gang.job.id(), gang.job.queue()));
    }
    now.addAll(gang.arrival(at()));
  }

  private void happens(Agenda.Entry entry) {
    SimGang gang = entry.gang();
    if (!entry.ends()) {
      bind(gang);
    } else {
      cloud.stir();
      long restarted = gang.effort.stop(millis, Losses.NONE);
      recorder.finish(gang.index, recorder.gpuMillis(gang.index, restarted));
      gangs.remove(gang.id);
      now.add(gang.end(at()));
    }
  }

  // ---- What the scheduler asks for ----

  @Override
  public void perform(Step step) {
    ticks.stepped(state, step.after(), millis);
    cloud.stepped(state, step.after(), millis);
    state = step.after();
    for (Effect effect : step.effects()) {
      perform(effect);
    }
  }

  private void perform(Effect effect) {
    switch (effect) {
      case Effect.WriteReservation(GangId id, Reservation reservation) -> write(id, reservation);
      case Effect.StartMember(GangId id, _, _) -> start(id);
      case Effect.RecordVictims(GangId id, var victims) -> {
        if (!victims.isEmpty()) {
          now.add(new Event.VictimsRecorded(at(), id));
        }
      }
      case Effect.TellVictim(GangId id, Effect.Notice notice) -> {
        stoppedFor.put(id, notice.by());
        now.add(new Event.VictimTold(at(), id));
      }
      case Effect.Evict(GangId id, MemberId pod, _, _, _) -> evict(id, pod);
      case Effect.Publish _, Effect.ClearReservation _, Effect.Reprieve _ -> {}
    }
  }

  /// A reservation that makes the gang whole is followed at once, without a word in between.
  private void write(GangId id, Reservation reservation) {
    SimGang gang = gangs.get(id);
    if (gang != null && gang.bound() + reservation.promises().size() >= gang.job.minWorkers()) {
      start(id);
    } else {
      now.add(new Event.ReservationWritten(at(), id, reservation.edition()));
    }
  }

  /// While it has not been told all that happened the scheduler may still think again: its pods are
  /// bound after that.
  private void start(GangId id) {
    SimGang gang = gangs.get(id);
    if (gang != null && options.latency().isZero() && now.isEmpty()) {
      bind(gang);
    } else if (gang != null) {
      agenda.start(gang, millis + options.latency().toMillis());
    }
  }

  private void bind(SimGang gang) {
    Reservation reservation = state.cluster().reservations().get(gang.id).orElse(null);
    if (reservation == null) {
      return;
    }
    List<Event.GangFact> started = new ArrayList<>();
    for (Promise promise : reservation.promises()) {
      int rank = gang.rank(promise.member());
      if (rank >= 0 && !gang.isBound(rank)) {
        started.add(gang.bind(rank, promise.node(), at()));
        recorder.take(gang.index, indexOf(promise.node()), gang.job.memberGpuMilli());
      }
    }
    if (!started.isEmpty()) {
      now.add(new Event.GangChanged(at(), gang.id, started));
    }
    if (gang.effort.runs()) {
      pace(gang);
    } else if (gang.bound() >= gang.job.minWorkers()) {
      gang.effort.begin(millis, options.losses().restart().toMillis(), rate(gang));
      recorder.start(gang.index);
      agenda.end(gang);
    }
  }

  /// Spare members came or went: the gang may run at another speed.
  private void pace(SimGang gang) {
    if (gang.effort.change(millis, rate(gang))) {
      agenda.end(gang);
    }
  }

  private double rate(SimGang gang) {
    return speedometer.isEven() ? 1 : speedometer.rate(gang.nodes(), this::indexOf);
  }

  private int indexOf(NodeId node) {
    return Objects.requireNonNull(nodes.get(node));
  }

  private void evict(GangId id, MemberId pod) {
    SimGang gang = gangs.get(id);
    int rank = gang == null ? -1 : gang.rank(pod);
    if (gang == null || rank < 0) {
      return;
    }
    cloud.stir();
    replace(gang, rank);
    if (gang.effort.runs() && gang.bound() < gang.job.minWorkers()) {
      preempt(gang, stopper(id));
    } else if (gang.effort.runs()) {
      pace(gang);
    }
  }

  /// The pod goes, and its job's controller makes another in its place.
  private void replace(SimGang gang, int rank) {
    gang.node(rank)
        .ifPresent(node -> recorder.leave(gang.index, indexOf(node), gang.job.memberGpuMilli()));
    now.addAll(gang.replace(rank, at()));
  }

  private void preempt(SimGang gang, int by) {
    long lost = gang.effort.stop(millis, options.losses());
    recorder.preempt(gang.index, by, recorder.gpuMillis(gang.index, lost));
  }

  private int stopper(GangId stopped) {
    GangId by = stoppedFor.remove(stopped);
    SimGang gang = by == null ? null : gangs.get(by);
    return gang == null ? Stop.NOBODY : gang.index;
  }

  // ---- Nodes that go and come ----

  private void outage() {
    switch (absences.take()) {
      case Absences.News.Back(int node) when !fleet.isOnDemand(node) -> comes(node);
      case Absences.News.Gone(int node) when !fleet.isOnDemand(node) || cloud.fail(node, millis) ->
          fails(node);
      case Absences.News _ -> {}
    }
  }

  private void fails(int node) {
    goes(node);
    NodeId id = fleet.nodes().get(node).id();
    gangs.values().stream()
        .filter(gang -> gang.nodes().contains(id))
        .sorted(Comparator.comparingInt(gang -> gang.index))
        .forEach(this::restart);
  }

  private void rent() {
    cloud.joining(millis).forEach(this::comes);
    cloud.leaving(state, millis).forEach(this::goes);
    if (now.isEmpty()) {
      cloud.look(state, at(), millis);
    }
  }

  private void comes(int node) {
    recorder.node(node, true);
    now.add(new Event.NodeSeen(at(), fleet.nodes().get(node)));
  }

  private void goes(int node) {
    recorder.node(node, false);
    now.add(new Event.NodeGone(at(), fleet.nodes().get(node).id()));
  }

  /// A gang that lost a node loses all its pods: its controller makes all of them anew.
  private void restart(SimGang gang) {
    if (gang.effort.runs()) {
      preempt(gang, Stop.NODE);
    }
    for (int rank = 0; rank < gang.size(); rank++) {
      replace(gang, rank);
    }
    if (gang.effort.fails()) {
      recorder.giveUp(gang.index);
      gangs.remove(gang.id);
      now.add(gang.end(at()));
    }
  }
}
