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

/// A Kubernetes cluster in memory: it performs the engine's effects, and reports events to the
/// engine.
///
/// Reservations are written and pods bound at once, or after a latency. Evicted pods are gone at
/// once, and their job's controller creates others. A gang runs from the time at which it has its
/// minimum of members until its run time is over. Then its pods and the gang are deleted.
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

  /// Creates an empty cluster without any reported event.
  ///
  /// @param start instant from which times are counted
  /// @param preemptionCost loss of a gang when it is stopped
  public VirtualCluster(
      SimulationContext context,
      Instant start,
      ControlPlane controlPlane,
      PreemptionCost preemptionCost) {
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

  /// The latencies and the binder of the control plane.
  ///
  /// @param write delay until a reservation is written and the engine is notified; zero: a
  ///   reservation that completes its gang is followed without notification, which saves a step
  /// @param bind delay from there until the pods run
  /// @param binder decides if a pod is bound
  public record ControlPlane(Duration write, Duration bind, PodBinder binder) {}

  /// Reports all initial nodes to the engine, and then the end of the initial list.
  public void sync() {
    for (int i = 0; i < nodes.size(); i++) {
      if (!context.fleet().isOnDemand(i)) {
        add(new Event.NodeSeen(now(), context.fleet().nodes().get(i)));
      }
    }
    add(new Event.Synced(now()));
  }

  /// Returns the instant of the newest event.
  public Instant now() {
    return start.plusMillis(queue.now());
  }

  /// Reports an event to the engine.
  public void add(Event event) {
    events.add(event);
  }

  /// Returns the next event that the engine has not seen; empty if there is none at this instant.
  @Override
  public Optional<Event> next() {
    return Optional.ofNullable(events.poll());
  }

  /// True if the engine has seen all events.
  public boolean isQuiet() {
    return events.isEmpty();
  }

  /// Returns the gangs that wait or run.
  Collection<SimGang> gangs() {
    return gangs.values();
  }

  /// True if gangs came, ended or lost pods since the last call.
  boolean takePodsChanged() {
    boolean before = podsChanged;
    podsChanged = false;
    return before;
  }

  // ---- Jobs ----

  /// Creates the PodGroup of a job, and all its pods but the last.
  ///
  /// @param index index by which the recorder knows the job
  /// @param missing number of last pods that are left out; [#createMissing] creates them
  public void submit(int index, TraceJob job, int missing) {
    podsChanged = true;
    SimGang gang = new SimGang(index, job, now());
    if (gangs.put(gang.id, gang) != null) {
      throw new IllegalArgumentException(
          "The trace has two jobs named %s in the queue %s.".formatted(job.id(), job.queue()));
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

  // ---- Effects of the engine ----

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
      case Effect.Publish _, Effect.ClearReservation _, Effect.Reprieve _, Effect.Report _ -> {}
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

  /// Starts a gang. Pods are bound only after the engine has seen all events, since it may change
  /// its decision until then.
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
      int[] on = gang.nodes().stream().mapToInt(this::indexOf).toArray();
      long restart = preemptionCost.restart().millis(gang.job, context.fleet(), on);
      gang.progress.begin(queue.now(), restart, rate(gang));
      recorder.start(gang.index);
      queue.scheduleCompletion(gang.progress, () -> end(gang));
    }
  }

  /// Updates the speed after spare members came or left.
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

  /// Removes the pod; its job's controller creates another.
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

  /// Reports that a node joins, or is back.
  void nodeUp(int node) {
    recorder.node(node, true);
    add(new Event.NodeSeen(now(), context.fleet().nodes().get(node)));
  }

  /// Reports that an unused node leaves.
  void nodeLeaves(int node) {
    recorder.node(node, false);
    add(new Event.NodeGone(now(), context.fleet().nodes().get(node).id()));
  }

  /// Reports a failed node, and stops the gangs on it.
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

  /// Restarts a gang that lost a node: it loses all pods, and its controller creates others.
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
