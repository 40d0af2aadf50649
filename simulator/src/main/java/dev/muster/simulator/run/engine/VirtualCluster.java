package dev.muster.simulator.run.engine;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Promise;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.drive.Inbox;
import dev.muster.core.drive.Outbox;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.state.Effect;
import dev.muster.core.state.Step;
import dev.muster.simulator.run.EventKind;
import dev.muster.simulator.run.EventQueue;
import dev.muster.simulator.run.PreemptionCost;
import dev.muster.simulator.run.SimulationContext;
import dev.muster.simulator.run.record.EvictionRecord;
import dev.muster.simulator.run.record.Recorder;
import dev.muster.simulator.trace.TraceJob;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// A Kubernetes cluster in memory: it performs what the engine asks for, and tells it what happens.
///
/// Reservations are written and pods bound at once, or after a latency. Evicted pods are gone at
/// once, and their job's controller makes others. A gang runs from when it has its minimum of
/// members until it has run as long as its job says; then its pods and it are gone.
public final class VirtualCluster implements Inbox, Outbox {
  private final SimulationContext context;
  private final EventQueue queue;
  private final Recorder recorder;
  private final Instant start;
  private final ControlPlane controlPlane;
  private final PreemptionCost preemptionCost;
  private final Map<NodeId, Integer> nodes = new HashMap<>();
  private final Map<GangId, SimGang> gangs = new HashMap<>();
  private final Map<GangId, GangId> preemptors = new HashMap<>();
  private final ArrayDeque<Event> events = new ArrayDeque<>();
  private Cluster image;
  private boolean podsChanged;

  /// An empty cluster, of which the engine has not been told anything.
  ///
  /// @param start the instant that times count from
  /// @param losses what a gang loses when it is stopped
  public VirtualCluster(
      SimulationContext context, Instant start, ControlPlane controlPlane, PreemptionCost preemptionCost) {
    this.context = context;
    this.queue = context.queue();
    this.recorder = context.recorder();
    this.start = start;
    this.controlPlane = controlPlane;
    this.preemptionCost = preemptionCost;
    this.image = Cluster.empty(context.fleet().topology());
    for (int i = 0; i < context.fleet().nodes().size(); i++) {
      nodes.put(context.fleet().nodes().get(i).id(), i);
    }
  }

  /// How the control plane starts pods.
  ///
  /// @param write how long it takes until a reservation is written and the engine is told so; zero:
  ///   a reservation that makes its gang whole is followed without telling, which saves a step
  /// @param bind how long it takes from there until the pods run
  /// @param binder decides whether a pod is bound
  public record ControlPlane(Duration write, Duration bind, PodBinder binder) {}

  /// Tells the engine of all nodes that are there from the start, and that this is all.
  public void sync() {
    for (int i = 0; i < nodes.size(); i++) {
      if (!context.fleet().isOnDemand(i)) {
        add(new Event.NodeSeen(now(), context.fleet().nodes().get(i)));
      }
    }
    add(new Event.Synced(now()));
  }

  /// The instant of the newest event.
  public Instant now() {
    return start.plusMillis(queue.now());
  }

  /// Tells the engine of an event.
  public void add(Event event) {
    events.add(event);
  }

  /// The next event that the engine has not been told of; empty if there is none at this instant.
  @Override
  public Optional<Event> next() {
    return Optional.ofNullable(events.poll());
  }

  /// Whether the engine has been told of all events.
  public boolean isQuiet() {
    return events.isEmpty();
  }

  /// The gangs that wait or run.
  Collection<SimGang> gangs() {
    return gangs.values();
  }

  /// Whether gangs came, ended or lost pods since the last call.
  boolean takePodsChanged() {
    boolean before = podsChanged;
    podsChanged = false;
    return before;
  }

  // ---- Jobs ----

  /// Creates the PodGroup of a job, and all its pods but the last.
  ///
  /// @param index the index by which the recorder knows the job
  /// @param missing how many of the last pods are left out; [#createMissing] creates them
  public void submit(int index, TraceJob job, int missing) {
    podsChanged = true;
    SimGang gang = new SimGang(index, job, now());
    if (gangs.put(gang.id, gang) != null) {
      throw new IllegalArgumentException(
          "The trace has two jobs named %s in the queue %s. Maybe a part of it is in there twice."
              .formatted(job.id(), job.queue()));
    }
    events.addAll(gang.arrival(now(), missing));
  }

  /// Creates the last pods of a gang, which [#submit] left out.
  public void createMissing(GangId id, int missing) {
    SimGang gang = gangs.get(id);
    if (gang != null) {
      events.addAll(gang.create(missing, now()));
    }
  }

  private void end(SimGang gang) {
    podsChanged = true;
    long restarted = gang.progress.stop(queue.now(), PreemptionCost.NONE);
    recorder.finish(gang.index, recorder.gpuMillis(gang.index, restarted));
    remove(gang);
  }

  private void remove(SimGang gang) {
    gangs.remove(gang.id);
    add(gang.end(now()));
  }

  // ---- What the engine asks for ----

  @Override
  public void perform(Step step) {
    image = step.after().cluster();
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
          add(new Event.VictimsRecorded(now(), id));
        }
      }
      case Effect.TellVictim(GangId id, Effect.Notice notice) -> {
        preemptors.put(id, notice.by());
        add(new Event.VictimTold(now(), id));
      }
      case Effect.Evict(GangId id, MemberId pod, _, _, _) -> evict(id, pod);
      case Effect.Publish _, Effect.ClearReservation _, Effect.Reprieve _ -> {}
    }
  }

  private void write(GangId id, Reservation reservation) {
    SimGang gang = gangs.get(id);
    if (controlPlane.write().isPositive()) {
      queue.schedule(
          queue.now() + controlPlane.write().toMillis(),
          EventKind.BINDING,
          () -> add(new Event.ReservationWritten(now(), id, reservation.edition())));
    } else if (gang != null
        && gang.bound() + reservation.promises().size() >= gang.job.minWorkers()) {
      start(id);
    } else {
      add(new Event.ReservationWritten(now(), id, reservation.edition()));
    }
  }

  /// While the engine has not been told of all events it may still change its mind: pods are bound
  /// after that.
  private void start(GangId id) {
    SimGang gang = gangs.get(id);
    if (gang != null && controlPlane.bind().isZero() && isQuiet()) {
      bind(gang);
    } else if (gang != null) {
      long at = queue.now() + controlPlane.bind().toMillis();
      queue.schedule(at, EventKind.BINDING, () -> bind(gang));
    }
  }

  private void bind(SimGang gang) {
    Optional<Reservation> reservation = image.reservations().get(gang.id);
    if (reservation.isEmpty()) {
      return;
    }
    List<Event.GangFact> bound = new ArrayList<>();
    for (Promise promise : reservation.get().promises()) {
      int rank = gang.rank(promise.member());
      if (rank >= 0
          && !gang.isBound(rank)
          && controlPlane.binder().binds(promise.member(), promise.node())) {
        bound.add(gang.bind(rank, promise.node(), now()));
        recorder.take(gang.index, indexOf(promise.node()), gang.job.memberGpuMilli());
      }
    }
    if (!bound.isEmpty()) {
      add(new Event.GangChanged(now(), gang.id, bound));
    }
    if (gang.progress.runs()) {
      changeSpeed(gang);
    } else if (gang.bound() >= gang.job.minWorkers()) {
      gang.progress.begin(queue.now(), preemptionCost.restart().toMillis(), rate(gang));
      recorder.start(gang.index);
      queue.scheduleCompletion(gang.progress, () -> end(gang));
    }
  }

  /// Spare members came or went: the gang may run at another speed.
  private void changeSpeed(SimGang gang) {
    if (gang.progress.change(queue.now(), rate(gang))) {
      queue.scheduleCompletion(gang.progress, () -> end(gang));
    }
  }

  private double rate(SimGang gang) {
    return context.gangSpeed().rate(gang.nodes(), this::indexOf);
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
    podsChanged = true;
    replace(gang, rank);
    if (gang.progress.runs() && gang.bound() < gang.job.minWorkers()) {
      stop(gang, takePreemptor(id));
    } else if (gang.progress.runs()) {
      changeSpeed(gang);
    }
  }

  /// The pod is gone, and its job's controller makes another.
  private void replace(SimGang gang, int rank) {
    Optional<NodeId> node = gang.node(rank);
    if (node.isPresent()) {
      recorder.leave(gang.index, indexOf(node.get()), gang.job.memberGpuMilli());
    }
    events.addAll(gang.replace(rank, now()));
  }

  private void stop(SimGang gang, int by) {
    long lost = gang.progress.stop(queue.now(), preemptionCost);
    recorder.preempt(gang.index, by, recorder.gpuMillis(gang.index, lost));
  }

  private int takePreemptor(GangId victim) {
    GangId by = preemptors.remove(victim);
    SimGang gang = by == null ? null : gangs.get(by);
    return gang == null ? EvictionRecord.NOBODY : gang.index;
  }

  // ---- Nodes that join and leave ----

  /// A node joins, or is back.
  void nodeUp(int node) {
    recorder.node(node, true);
    add(new Event.NodeSeen(now(), context.fleet().nodes().get(node)));
  }

  /// A node that nobody uses leaves.
  void nodeLeaves(int node) {
    recorder.node(node, false);
    add(new Event.NodeGone(now(), context.fleet().nodes().get(node).id()));
  }

  /// A node fails, and stops the gangs that use it.
  void nodeDown(int node) {
    nodeLeaves(node);
    NodeId id = context.fleet().nodes().get(node).id();
    List<SimGang> stopped = new ArrayList<>();
    for (SimGang gang : gangs.values()) {
      if (gang.nodes().contains(id)) {
        stopped.add(gang);
      }
    }
    stopped.sort(Comparator.comparingInt(gang -> gang.index));
    stopped.forEach(this::restart);
  }

  /// A gang that lost a node loses all its pods: its controller makes others.
  private void restart(SimGang gang) {
    if (gang.progress.runs()) {
      stop(gang, EvictionRecord.NODE);
    }
    for (int rank = 0; rank < gang.size(); rank++) {
      replace(gang, rank);
    }
    if (gang.progress.fails()) {
      recorder.giveUp(gang.index);
      remove(gang);
    }
  }
}
