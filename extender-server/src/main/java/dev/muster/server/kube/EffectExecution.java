package dev.muster.server.kube;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.MemberId;
import dev.muster.core.state.Effect;
import dev.muster.core.state.State;
import dev.muster.policy.file.FailureText;
import dev.muster.server.kube.act.ChargedQueueWriter;
import dev.muster.server.kube.act.DisruptionBudgets;
import dev.muster.server.kube.act.EventWriter;
import dev.muster.server.kube.act.MemberStart;
import dev.muster.server.kube.act.OwnerPodGroupWriter;
import dev.muster.server.kube.act.PodEviction;
import dev.muster.server.kube.act.PreemptionWriter;
import dev.muster.server.kube.act.RefusedRecords;
import dev.muster.server.kube.act.ReservationWriter;
import dev.muster.server.kube.act.UnrecordedAccounts;
import dev.muster.server.kube.client.ApiCalls;
import dev.muster.server.kube.client.GangObjects;
import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.kube.client.ObjectRef;
import dev.muster.server.kube.client.Retries;
import dev.muster.server.kube.codec.ReservationRecord;
import dev.muster.server.kube.owner.WantedPodGroup;
import dev.muster.server.kube.start.StartSwitch;
import dev.muster.server.kube.start.SwitchWriter;
import dev.muster.server.logging.LogThrottle;
import dev.muster.server.loop.Mailbox;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Executes single effects by calls to the API server, and puts their outcomes into the mailbox.
final class EffectExecution {
  private static final Logger log = LoggerFactory.getLogger(EffectExecution.class);

  private final Mailbox mailbox;
  private final InstantSource clock;
  private final Retries retries;
  private final GangObjects objects;
  private final Supplier<State> newest;
  private final MemberStart memberStart;
  private final SwitchWriter switches;
  private final StartCalls startCalls;
  private final PodEviction eviction;
  private final ReservationWriter reservations;
  private final PreemptionWriter preemptions;
  private final RefusedRecords refused;
  private final OwnerPodGroupWriter ownerPodGroups;
  private final ChargedQueueWriter chargedQueues;

  /// Time after which the refused deletion of PodGroups is logged again. It is tried every minute.
  private static final Duration REFUSED = Duration.ofHours(1);

  /// All pods of a gang are refused for one reason, and again at each retry.
  private final LogThrottle throttle = new LogThrottle();

  /// A tenant can make any number of unmanaged pods, so each namespace has a line of each kind a
  /// minute.
  private final LogThrottle unmanaged = new LogThrottle();

  /// @param refused what objects refuse
  /// @param retries retries of effects that the engine requests only once
  /// @param newest state after the newest step
  EffectExecution(
      KubeOutbox.Ends ends,
      EventWriter events,
      RefusedRecords refused,
      Retries retries,
      Supplier<State> newest) {
    ApiCalls api = ends.api();
    mailbox = ends.mailbox();
    clock = ends.clock();
    this.retries = retries;
    this.newest = newest;
    objects = ends.objects();
    memberStart = new MemberStart(api, clock);
    switches = new SwitchWriter(api, ends.nativeGroups(), clock);
    startCalls = new StartCalls(memberStart, switches, ends.objects(), clock, newest);
    eviction = new PodEviction(api, events, new LogThrottle());
    reservations = new ReservationWriter(api, ends.objects(), memberStart, new LogThrottle());
    this.refused = refused;
    ownerPodGroups = new OwnerPodGroupWriter(api, new LogThrottle(REFUSED, clock));
    chargedQueues = new ChargedQueueWriter(api, new LogThrottle());
    preemptions =
        new PreemptionWriter(
            api,
            events,
            ends.objects(),
            eviction,
            new DisruptionBudgets(api, ends.objects()),
            refused);
  }

  void perform(Effect.WriteReservation write) {
    String record = ReservationRecord.text(write.reservation());
    ApiCalls.Answer answer =
        answer(write, w -> reservations.record(w.gang(), record, w.reservation().ran()));
    if (answer.isRefusal()) {
      refused.own(RefusedRecords.Kind.RESERVATION);
    }
    mailbox.put(
        answer.isGood()
            ? new Event.ReservationWritten(
                clock.instant(), write.gang(), write.reservation().edition())
            : new Event.ReservationNotWritten(
                clock.instant(), write.gang(), answer.problem(), answer.refusal()));
  }

  /// Clears the record of a reservation. It is requested only once, so it is retried for a while.
  ///
  /// @param unbound pods of the gang without a node
  void clear(Effect.ClearReservation clear, List<MemberId> unbound) {
    reservations.clear(clear, unbound, retries);
  }

  /// Starts the member, unless the newest state shows that this is no longer wanted.
  void perform(Effect.StartMember start) {
    startCalls.of(start).ifPresent(calls -> mailbox.put(outcome(start, calls)));
  }

  private Event outcome(
      Effect.StartMember start, Function<Effect.StartMember, Optional<StartCalls.Failure>> calls) {
    var failure = new AtomicReference<Optional<StartCalls.Failure>>(Optional.empty());
    return guarded(
            start,
            asked -> {
              failure.set(calls.apply(asked));
              return failure.get().map(StartCalls.Failure::problem);
            })
        .<Event>map(problem ->
            new Event.MemberNotStarted(
                clock.instant(),
                start.gang(),
                start.member(),
                start.node(),
                problem,
                failure.get().flatMap(StartCalls.Failure::refusal)))
        .orElseGet(() ->
            new Event.MemberStarted(clock.instant(), start.gang(), start.member(), start.node()));
  }

  /// Returns the writer of start switches.
  SwitchWriter switches() {
    return switches;
  }

  /// Records the victims of a preemption. The removal of the record is requested only once, so it
  /// is retried for a while.
  ///
  /// @param pods pods of the preemptor
  void perform(Effect.RecordVictims record, List<MemberId> pods) {
    if (record.victims().isEmpty()) {
      answer(record, r -> preemptions.record(r, pods, retries));
      return;
    }
    ApiCalls.Answer answer = answer(record, r -> preemptions.record(r, pods, Retries.NONE));
    if (answer.isRefusal()) {
      refused.own(RefusedRecords.Kind.VICTIMS);
    }
    mailbox.put(
        answer.isGood() || (answer.isGone() && !answer.isReplaced())
            ? new Event.VictimsRecorded(clock.instant(), record.gang())
            : new Event.VictimsNotRecorded(
                clock.instant(), record.gang(), answer.problem(), answer.refusal()));
  }

  void perform(Effect.TellVictim tell) {
    mailbox.put(
        preemptions
            .notifyVictim(tell)
            .<Event>map(hindrance ->
                new Event.MemberNotEvicted(
                    clock.instant(),
                    tell.gang(),
                    hindrance.pod(),
                    hindrance.refused(),
                    hindrance.problem()))
            .orElseGet(() -> new Event.VictimTold(clock.instant(), tell.gang())));
  }

  /// Withdraws the notice of a victim.
  ///
  /// @param pods pods of the victim
  void perform(Effect.Reprieve reprieve, List<MemberId> pods) {
    preemptions.reprieve(reprieve, pods, retries);
  }

  void perform(Effect.Evict evict) {
    eviction
        .perform(evict)
        .map(answer ->
            new Event.MemberNotEvicted(
                clock.instant(),
                evict.gang(),
                evict.member(),
                PodEviction.isRefused(answer),
                answer.problem()))
        .ifPresent(mailbox::put);
  }

  /// Records the charged queue on pods. The caller repeats the request while the record is missing.
  void record(UnrecordedAccounts.Account account) {
    chargedQueues.write(account);
  }

  /// Writes the PodGroup of an owner. Returns the problem for its user, if it is new.
  Optional<ObjectProblem> declare(WantedPodGroup wanted) {
    return ownerPodGroups
        .write(wanted)
        .filter(problem -> throttle.isNew(problem.object() + problem.message()));
  }

  /// Removes Muster's gate from an unmanaged pod, and turns its start switch on.
  void open(MemberId pod) {
    Optional<Pod> found = objects.pod(pod);
    if (found.isEmpty() || !found.get().getSpec().getSchedulingGates().isEmpty()) {
      ungate(pod);
    }
    found.flatMap(StartSwitch::of).ifPresent(name -> turnOn(pod, name));
  }

  /// Turns the switch of an unmanaged pod on. If it belongs to a gang, the pod waits for that gang.
  private void turnOn(MemberId pod, String name) {
    boolean isOfGang =
        StartSwitch.gang(name)
            .map(gang -> new GangId(pod.namespace(), GangId.Origin.POD_GROUP, gang))
            .filter(gang -> !newest.get().cluster().gang(gang).members().isEmpty())
            .isPresent();
    if (!isOfGang && !switches.exists(pod.namespace(), name)) {
      ApiCalls.Answer answer = switches.on(pod.namespace(), name, ObjectRef.to(pod));
      if (!answer.isGood() && unmanaged.isNew("switch " + pod.namespace())) {
        log.warn("The start switch of the unmanaged pod {} is off: {}", pod, answer.problem());
      }
    }
  }

  private void ungate(MemberId pod) {
    Optional<String> problem = memberStart.ungate(pod);
    if (problem.isEmpty() && unmanaged.isNew("removed " + pod.namespace())) {
      log.info("Removed the gate of the unmanaged pod {}.", pod);
    } else if (problem.isPresent() && unmanaged.isNew("kept " + pod.namespace())) {
      log.warn("The gate of the unmanaged pod {} was not removed: {}", pod, problem.get());
    }
  }

  private <E extends Effect> ApiCalls.Answer answer(E effect, Function<E, ApiCalls.Answer> work) {
    ApiCalls.Answer[] answer = {new ApiCalls.Answer(200, "{}")};
    Optional<String> problem =
        guarded(
            effect,
            asked -> {
              answer[0] = work.apply(asked);
              boolean done = answer[0].isGood() || answer[0].isGone();
              return done ? Optional.empty() : Optional.of(answer[0].problem());
            });
    boolean failed = problem.isPresent() && answer[0].isGood(); // by a bug
    return failed ? ApiCalls.Answer.unsent(problem.get()) : answer[0];
  }

  // The engine waits for an outcome, so a bug must become one too.
  private <E extends Effect> Optional<String> guarded(
      E effect, Function<E, Optional<String>> work) {
    Optional<String> problem;
    try {
      problem = work.apply(effect);
    } catch (RuntimeException bug) {
      if (throttle.isNew(effect.getClass() + bug.toString())) {
        log.error("{} of {} failed, by a fault of Muster", name(effect), effect.gang(), bug);
      }
      problem = Optional.of(FailureText.of(bug));
    }
    problem
        .map(p -> "%s of %s: %s".formatted(name(effect), effect.gang(), p))
        .filter(throttle::isNew)
        .ifPresent(log::warn);
    return problem;
  }

  private static String name(Effect effect) {
    return effect.getClass().getSimpleName();
  }
}
