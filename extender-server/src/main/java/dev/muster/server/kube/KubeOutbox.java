package dev.muster.server.kube;

import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.GangPhase;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.drive.Outbox;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.state.Effect;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import dev.muster.server.kube.act.DecisionLog;
import dev.muster.server.kube.act.EventWriter;
import dev.muster.server.kube.act.GrowingGangs;
import dev.muster.server.kube.act.KeyedExecutor;
import dev.muster.server.kube.act.NoticeQueue;
import dev.muster.server.kube.act.ProblemReports;
import dev.muster.server.kube.act.RefusedRecords;
import dev.muster.server.kube.act.StatusWriter;
import dev.muster.server.kube.act.UnrecordedAccounts;
import dev.muster.server.kube.client.ApiCalls;
import dev.muster.server.kube.client.GangObjects;
import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.kube.client.Retries;
import dev.muster.server.kube.owner.WantedPodGroup;
import dev.muster.server.kube.start.NativeGroups;
import dev.muster.server.kube.start.SeenSwitch;
import dev.muster.server.kube.start.StartSwitch;
import dev.muster.server.kube.start.SwitchUse;
import dev.muster.server.kube.start.SwitchWriter;
import dev.muster.server.loop.Mailbox;
import dev.muster.server.loop.SchedulerQuestions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/// Publishes the engine's state and performs its effects in other threads. The outcomes return to
/// the mailbox.
///
/// Starts and evictions do not wait for each other. Status updates give way to starts.
public final class KubeOutbox implements Outbox, Supplier<State>, AutoCloseable {
  private static final int ACTS = 64;
  private static final int EVICTIONS = 32;
  private static final int DECLARATIONS = 8;
  private static final Duration REST = Duration.ofSeconds(1);
  private static final Duration SHOWN_WITHIN = Duration.ofSeconds(30);

  private final EventWriter events;
  private final RefusedRecords refused;
  private final EffectExecution execution;
  private final StatusWriter statusWriter;
  private final ProblemReports problemReports;
  private final KeyedExecutor<GangId> acts =
      new KeyedExecutor<>("muster-act", ACTS, GangId::namespace);

  /// PodGroups of owners. An owner with thousands of replicas must not delay the starts of others.
  private final KeyedExecutor<GangId> declarations =
      new KeyedExecutor<>("muster-declare", DECLARATIONS, GangId::namespace);

  private final KeyedExecutor<MemberId> evictions =
      new KeyedExecutor<>("muster-evict", EVICTIONS, MemberId::namespace);
  private final NoticeQueue notices;
  private final SchedulerQuestions questions;
  private final GangObjects objects;
  private final Supplier<NativeGroups> nativeGroups;
  private final Mailbox mailbox;

  /// Statuses of gangs that lack members; used by the engine's thread only.
  private final GrowingGangs growing = new GrowingGangs();

  /// Used by the engine's thread only.
  private final UnrecordedAccounts unrecorded = new UnrecordedAccounts();

  private Instant lookAgain = Instant.MIN;
  private volatile State state;

  /// The inputs and outputs of an outbox.
  ///
  /// @param api access to the API server
  /// @param mailbox destination of outcomes
  /// @param objects current PodGroups and pods
  /// @param nativeGroups current native PodGroups
  /// @param clock time of outcomes
  record Ends(
      ApiCalls api,
      Mailbox mailbox,
      GangObjects objects,
      Supplier<NativeGroups> nativeGroups,
      InstantSource clock) {}

  KubeOutbox(Ends ends, State start) {
    this(ends, start, Retries.PATIENT);
  }

  KubeOutbox(Ends ends, State start, Retries retries) {
    state = start;
    objects = ends.objects();
    nativeGroups = ends.nativeGroups();
    mailbox = ends.mailbox();
    questions = new SchedulerQuestions(ends.clock());
    notices = new NoticeQueue(acts::isBusy, REST, SHOWN_WITHIN, retries);
    events = new EventWriter(ends.api(), ends.clock());
    refused = new RefusedRecords(events, ends.objects());
    statusWriter =
        new StatusWriter(ends.api(), events, ends.objects(), ends.clock(), notices::pass);
    problemReports = new ProblemReports(events, ends.objects());
    execution =
        new EffectExecution(
            ends,
            events,
            refused,
            retries.resting(acts::rest), // otherwise 64 waiting tasks would block all starts
            this);
  }

  /// Returns the state after the newest step.
  @Override
  public State get() {
    return state;
  }

  @Override
  public void perform(Step step) {
    state = step.after();
    step.decisions().forEach(DecisionLog::write);
    step.effects().forEach(effect -> see(effect, step.after()));
    reportQuestions(step.after());
    SortedTable<GangId, Gang> gangs = state.cluster().gangs();
    statusWriter.forget(gangs.size(), gangs::contains);
  }

  /// Returns the number of records of the kind that objects refused.
  long refusedRecords(RefusedRecords.Kind kind) {
    return refused.count(kind);
  }

  /// Returns the questions of kube-scheduler about promised pods.
  public SchedulerQuestions questions() {
    return questions;
  }

  /// Does what is due once a second. It reports late questions of kube-scheduler. Another thread
  /// puts them into the mailbox, since the engine must not wait for itself.
  private void reportQuestions(State after) {
    Instant now = after.cluster().now();
    if (now.isBefore(lookAgain)) {
      return;
    }
    lookAgain = now.plus(REST);
    for (Event.StartDelayed late : questions.due(after, this::isAskable)) {
      acts.add(late.gang(), KeyedExecutor.Task.newest("late", () -> mailbox.put(late)));
    }
    turnOffSpent(after);
    for (UnrecordedAccounts.Account account : unrecorded.due(after.cluster())) {
      acts.add(
          account.gang(), KeyedExecutor.Task.newest("charge", () -> execution.record(account)));
    }
    growing.due(now).forEach(this::tell);
  }

  private boolean isAskable(Member member) {
    boolean released =
        member.state() instanceof MemberState.Waiting || switchOf(member.id()).isPresent();
    return released && member.request().wantsGpu() && !objects.claimsGpus(member.id());
  }

  /// Turns off the start switches that are no longer wanted, in order with the starts of their
  /// gang.
  private void turnOffSpent(State after) {
    for (SeenSwitch on : nativeGroups.get().switches()) {
      if (SwitchUse.isSpent(on, after)) {
        acts.add(
            on.gangs().getFirst(),
            KeyedExecutor.Task.newest("off/" + on.object().name(), () -> turnOff(on)));
      }
    }
  }

  private void turnOff(SeenSwitch on) {
    if (SwitchUse.isSpent(on, state)) {
      execution.switches().off(on);
    }
  }

  /// Returns the writer of start switches.
  SwitchWriter switches() {
    return execution.switches();
  }

  /// Returns the name of the pod's start switch, if it has one and no gate.
  Optional<String> switchOf(MemberId pod) {
    return objects
        .pod(pod)
        .filter(found -> found.getSpec().getSchedulingGates().isEmpty())
        .flatMap(StartSwitch::of);
  }

  private void see(Effect effect, State after) {
    switch (effect) {
      case Effect.WriteReservation write ->
          acts.add(write.gang(), KeyedExecutor.Task.inTurn(() -> execution.perform(write)));
      case Effect.StartMember start ->
          acts.add(
              start.gang(),
              KeyedExecutor.Task.beside(start.member().uid(), () -> execution.perform(start)));
      case Effect.ClearReservation clear -> {
        List<MemberId> unbound = unbound(clear.gang(), after);
        acts.add(clear.gang(), KeyedExecutor.Task.inTurn(() -> execution.clear(clear, unbound)));
      }
      case Effect.Evict evict ->
          evictions.add(
              evict.member(), KeyedExecutor.Task.newest("evict", () -> execution.perform(evict)));
      case Effect.RecordVictims record -> {
        List<MemberId> pods = pods(record.gang(), after);
        acts.add(record.gang(), KeyedExecutor.Task.inTurn(() -> execution.perform(record, pods)));
      }
      case Effect.TellVictim tell ->
          acts.add(tell.gang(), KeyedExecutor.Task.newest("tell", () -> execution.perform(tell)));
      case Effect.Reprieve reprieve -> {
        List<MemberId> pods = pods(reprieve.gang(), after);
        acts.add(
            reprieve.gang(),
            KeyedExecutor.Task.newest("tell", () -> execution.perform(reprieve, pods)));
      }
      case Effect.Report report -> {
        Optional<MemberId> lone = loneMember(report.gang(), after);
        notices.add(report.gang().namespace(), report, () -> problemReports.write(report, lone));
      }
      case Effect.Publish publish -> {
        StatusWriter.Notice notice = notice(publish, after);
        boolean grows = publish.status().phase() == GangPhase.GATHERING;
        if (grows) {
          growing.put(notice);
        } else {
          growing.remove(publish.gang());
        }
        tell(notice.growing(grows));
      }
    }
  }

  private void tell(StatusWriter.Notice notice) {
    GangId gang = notice.publish().gang();
    notices.add(
        gang.namespace(),
        gang,
        () -> {
          boolean brief = notices.isLong(gang.namespace());
          return statusWriter.write((brief ? notice.shortened() : notice).within(state.cluster()));
        });
  }

  private static Optional<MemberId> loneMember(GangId gang, State after) {
    return gang.origin() == GangId.Origin.POD
        ? after.cluster().gang(gang).members().keys().stream().findFirst()
        : Optional.empty();
  }

  private static StatusWriter.Notice notice(Effect.Publish publish, State after) {
    Gang gang = after.cluster().gang(publish.gang());
    boolean reported =
        gang.invalidity().isPresent() && publish.status().reason().equals(ObjectProblem.INVALID);
    return new StatusWriter.Notice(publish, gang.members().values(), gang.past(), reported);
  }

  private static List<MemberId> pods(GangId gang, State after) {
    return after.cluster().gang(gang).members().keys();
  }

  private static List<MemberId> unbound(GangId gang, State after) {
    return after.cluster().gang(gang).members().values().stream()
        .filter(Member::wantsNode)
        .map(Member::id)
        .toList();
  }

  /// Removes Muster's gate from an unmanaged pod. The caller repeats the request while the gate is
  /// on.
  void open(MemberId pod) {
    GangId alone = new GangId(pod.namespace(), GangId.Origin.POD, pod.name());
    acts.add(alone, KeyedExecutor.Task.newest("open", () -> execution.open(pod)));
  }

  /// Writes the PodGroup of an owner. The caller repeats the request while it is missing.
  void declare(WantedPodGroup wanted) {
    declarations.add(
        wanted.gang(),
        KeyedExecutor.Task.newest(
            "declare", () -> execution.declare(wanted).ifPresent(this::report)));
  }

  /// Reports a problem to the owner of the object by an Event. It is reported only once, so the
  /// write is retried for a while.
  public void report(ObjectProblem problem) {
    notices.add(
        problem.object().namespace(),
        problem.object(),
        () ->
            events.write(
                problem.object(),
                new EventWriter.Notice(true, problem.reason(), problem.message())));
  }

  /// Waits until all work is done, at most for the given time in total.
  ///
  /// @return true if all work was done
  public boolean await(Duration atMost) throws InterruptedException {
    Instant end = Instant.now().plus(atMost);
    boolean acted = acts.await(atMost);
    boolean declared = declarations.await(Duration.between(Instant.now(), end));
    boolean evicted = evictions.await(Duration.between(Instant.now(), end));
    boolean told = notices.await(Duration.between(Instant.now(), end));
    return acted && declared && evicted && told;
  }

  /// Drops waiting work; running work continues to its end.
  @Override
  public void close() {
    acts.close();
    declarations.close();
    evictions.close();
    notices.close();
  }
}
