package dev.muster.simulator.world;

import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.Node;
import dev.muster.core.drive.Inbox;
import dev.muster.core.drive.Outbox;
import dev.muster.core.engine.Effect;
import dev.muster.core.engine.State;
import dev.muster.core.engine.Step;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.TreeSet;

/// A cluster in memory: it does what the engine asks, and what comes of it happens later on a
/// virtual clock.
///
/// Pods that are told of a node are bound after `latency`, if the [Binder] agrees; once all members
/// of a gang are bound the gang runs for its job's runtime, then its pods end well and are deleted.
/// Evicted pods are gone after `latency`. Time jumps from event to event; a tick comes every second
/// while anything is reserved.
///
/// Everything happens in order of time, and at one time in order of being caused: equal stories
/// give equal runs.
public final class VirtualCluster implements Inbox, Outbox {
  private static final Duration TICK = Duration.ofSeconds(1);

  private record Due(Instant at, long number, Event event) implements Comparable<Due> {
    @Override
    public int compareTo(Due other) {
      int byTime = at.compareTo(other.at);
      return byTime != 0 ? byTime : Long.compare(number, other.number);
    }
  }

  private final PriorityQueue<Due> future = new PriorityQueue<>();
  private final TreeMap<GangId, Duration> runtimes = new TreeMap<>();
  private final TreeSet<GangId> running = new TreeSet<>();
  private final TreeSet<MemberId> evicted = new TreeSet<>();
  private final Duration latency;
  private final Binder binder;
  private Instant now;
  private long number;
  private boolean ticking;

  /// An empty cluster.
  ///
  /// @param start the first instant
  /// @param latency how long the API server, kube-scheduler and the kubelet take for anything
  /// @param binder who decides whether a nominated pod is bound
  public VirtualCluster(Instant start, Duration latency, Binder binder) {
    this.now = start;
    this.latency = latency;
    this.binder = binder;
  }

  /// The time of the newest event.
  public Instant now() {
    return now;
  }

  /// Makes an event happen at its time, or at once if that is past.
  public void schedule(Event event) {
    future.add(new Due(event.at(), number++, event));
  }

  /// A node that is there from the start.
  public void add(Node node) {
    schedule(new Event.NodeSeen(now, node));
  }

  /// All that was there from the start has been added.
  public void synced() {
    schedule(new Event.Synced(now));
  }

  /// Submits a job at the time of its creation: first its PodGroup, then its pods as each was
  /// created.
  public void submit(Job job) {
    runtimes.put(job.spec().id(), job.runtime());
    schedule(new Event.GangSeen(job.spec().createdAt(), job.spec()));
    for (Member member : job.members()) {
      schedule(new Event.MemberSeen(member.createdAt(), member));
    }
  }

  /// The next event; empty when nothing is left to happen.
  @Override
  public Optional<Event> next() {
    Optional<Due> due = Optional.ofNullable(future.poll());
    while (due.map(Due::event).filter(this::isPosthumous).isPresent()) {
      due = Optional.ofNullable(future.poll());
    }
    due.ifPresent(d -> now = d.at().isAfter(now) ? d.at() : now);
    due.filter(d -> d.event() instanceof Event.Tick).ifPresent(_ -> ticking = false);
    return due.map(Due::event);
  }

  /// What was due for a pod that has been evicted meanwhile.
  private boolean isPosthumous(Event event) {
    return event instanceof Event.MemberSeen(_, Member member) && evicted.contains(member.id());
  }

  /// When the next event is due; empty when nothing is left to happen.
  public Optional<Instant> nextAt() {
    return Optional.ofNullable(future.peek()).map(Due::at);
  }

  @Override
  public void perform(Step step) {
    for (Effect effect : step.effects()) {
      perform(effect, step);
    }
    if (!ticking && needsTime(step.after())) {
      ticking = true;
      schedule(new Event.Tick(now.plus(TICK)));
    }
  }

  /// Reservations run out, and gangs that wait are planned a start as time passes, as long as
  /// anything is still to happen.
  private boolean needsTime(State state) {
    boolean waits = !state.waiting().classes().isEmpty() && !future.isEmpty();
    return waits || !state.cluster().reservations().isEmpty();
  }

  private void perform(Effect effect, Step step) {
    switch (effect) {
      case Effect.WriteReservation(GangId gang, var reservation) ->
          schedule(new Event.ReservationWritten(later(), gang, reservation.edition()));
      case Effect.StartMember(GangId gang, MemberId pod, NodeId node) ->
          start(step.after().cluster().gang(gang), pod, node);
      case Effect.Evict(GangId gang, MemberId pod, _, _, _) -> {
        evicted.add(pod);
        schedule(new Event.MemberGone(later(), gang, pod));
      }
      case Effect.Publish(GangId gang, _, var status) -> {
        if (status.bound() >= status.minCount() && status.bound() > 0) {
          run(step.after().cluster().gang(gang));
        }
      }
      case Effect.RecordVictims(GangId gang, var victims) -> {
        if (!victims.isEmpty()) {
          schedule(new Event.VictimsRecorded(later(), gang));
        }
      }
      case Effect.TellVictim(GangId gang, _) -> schedule(new Event.VictimTold(later(), gang));
      case Effect.ClearReservation _, Effect.Reprieve _ -> {}
    }
  }

  private Instant later() {
    return now.plus(latency);
  }

  private void start(Gang gang, MemberId pod, NodeId node) {
    Member member = gang.members().get(pod).orElseThrow();
    var nominated = new MemberState.Waiting(Optional.of(node), false);
    schedule(new Event.MemberSeen(later(), member.as(nominated)));
    MemberState outcome =
        binder.binds(pod, node)
            ? new MemberState.Bound(node, later().plus(latency))
            : new MemberState.Waiting(Optional.empty(), true);
    schedule(new Event.MemberSeen(later().plus(latency), member.as(outcome)));
  }

  /// The gang is up: its end is due.
  private void run(Gang gang) {
    Duration runtime = runtimes.get(gang.id());
    if (runtime == null || !running.add(gang.id())) {
      return;
    }
    Instant end = now.plus(runtime);
    for (Member member : gang.members()) {
      schedule(new Event.MemberSeen(end, member.as(new MemberState.Ended(true))));
    }
    for (Member member : gang.members()) {
      schedule(new Event.MemberGone(end, gang.id(), member.id()));
    }
    schedule(new Event.GangGone(end, gang.id()));
  }
}
