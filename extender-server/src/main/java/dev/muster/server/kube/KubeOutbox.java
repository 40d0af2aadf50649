package dev.muster.server.kube;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.Promise;
import dev.muster.core.cluster.Reservation;
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
import dev.muster.server.kube.act.DisruptionBudgets;
import dev.muster.server.kube.act.EventWriter;
import dev.muster.server.kube.act.KeyedExecutor;
import dev.muster.server.kube.act.MemberStart;
import dev.muster.server.kube.act.Nomination;
import dev.muster.server.kube.act.NoticeQueue;
import dev.muster.server.kube.act.PodEviction;
import dev.muster.server.kube.act.PreemptionWriter;
import dev.muster.server.kube.act.StatusWriter;
import dev.muster.server.kube.client.ApiCalls;
import dev.muster.server.kube.client.GangObjects;
import dev.muster.server.kube.client.JsonBodies;
import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.kube.client.ResourcePaths;
import dev.muster.server.kube.client.Retries;
import dev.muster.server.kube.client.WellKnownNames;
import dev.muster.server.kube.codec.ReservationRecord;
import dev.muster.server.logging.LogThrottle;
import dev.muster.server.loop.Mailbox;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Publishes the engine's state and performs its effects in other threads. The outcomes return to
/// the mailbox.
///
/// Starts and evictions do not wait for each other. Status updates give way to starts.
public final class KubeOutbox implements Outbox, Supplier<State>, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(KubeOutbox.class);
  private static final int ACTS = 64;
  private static final int EVICTIONS = 32;

  /// Time within which kube-scheduler asks for a new pod without gate; an older pod is nominated.
  private static final Duration ASKED_WITHIN = Duration.ofSeconds(15);

  private static final Duration REST = Duration.ofSeconds(1);
  private static final Duration SHOWN_WITHIN = Duration.ofSeconds(30);

  private final Mailbox mailbox;
  private final InstantSource clock;
  private final GangObjects objects;
  private final ApiCalls api;
  private final EventWriter events;
  private final Retries retries;
  private final MemberStart memberStart;
  private final PodEviction eviction;
  private final PreemptionWriter preemptions;
  private final StatusWriter statusWriter;
  private final KeyedExecutor<GangId> acts = new KeyedExecutor<>("muster-act", ACTS);
  private final KeyedExecutor<MemberId> evictions = new KeyedExecutor<>("muster-evict", EVICTIONS);
  private final NoticeQueue notices;

  /// All pods of a gang are refused for one reason, and again at each retry.
  private final LogThrottle throttle = new LogThrottle();

  private volatile State state;

  /// The inputs and outputs of an outbox.
  ///
  /// @param api access to the API server
  /// @param mailbox destination of outcomes
  /// @param objects current PodGroups and pods
  /// @param clock time of outcomes
  record Ends(ApiCalls api, Mailbox mailbox, GangObjects objects, InstantSource clock) {}

  KubeOutbox(Ends ends, State start) {
    this(ends, start, Retries.PATIENT);
  }

  KubeOutbox(Ends ends, State start, Retries retries) {
    this.retries = retries.resting(acts::rest); // otherwise 64 waiting tasks would block all starts
    notices = new NoticeQueue(acts::isBusy, REST, SHOWN_WITHIN, retries);
    mailbox = ends.mailbox();
    clock = ends.clock();
    objects = ends.objects();
    api = ends.api();
    events = new EventWriter(api, clock);
    memberStart = new MemberStart(api, clock);
    eviction = new PodEviction(api, events, new LogThrottle());
    preemptions = new PreemptionWriter(api, events, objects, eviction, new DisruptionBudgets(api));
    statusWriter = new StatusWriter(api, events, objects, clock);
    state = start;
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
    SortedTable<GangId, Gang> gangs = state.cluster().gangs();
    statusWriter.forget(gangs.size(), gangs::contains);
  }

  private void see(Effect effect, State after) {
    switch (effect) {
      case Effect.WriteReservation write ->
          acts.add(write.gang(), KeyedExecutor.Task.inTurn(() -> perform(write)));
      case Effect.StartMember start ->
          acts.add(
              start.gang(), KeyedExecutor.Task.beside(start.member().uid(), () -> perform(start)));
      case Effect.ClearReservation clear -> {
        List<MemberId> unbound = unbound(clear.gang(), after);
        acts.add(clear.gang(), KeyedExecutor.Task.inTurn(() -> clear(clear.gang(), unbound)));
      }
      case Effect.Evict evict ->
          evictions.add(evict.member(), KeyedExecutor.Task.newest("evict", () -> perform(evict)));
      case Effect.RecordVictims record -> {
        List<MemberId> pods = pods(record.gang(), after);
        acts.add(record.gang(), KeyedExecutor.Task.inTurn(() -> perform(record, pods)));
      }
      case Effect.TellVictim tell ->
          acts.add(tell.gang(), KeyedExecutor.Task.newest("tell", () -> perform(tell)));
      case Effect.Reprieve reprieve -> {
        List<MemberId> pods = pods(reprieve.gang(), after);
        acts.add(
            reprieve.gang(),
            KeyedExecutor.Task.newest("tell", () -> preemptions.reprieve(reprieve, pods, retries)));
      }
      case Effect.Publish publish -> {
        var notice = notice(publish, after);
        notices.add(publish.gang(), () -> statusWriter.write(notice));
      }
    }
  }

  private static StatusWriter.Notice notice(Effect.Publish publish, State after) {
    List<Member> members = new ArrayList<>(after.cluster().gang(publish.gang()).members().values());
    members.sort(Member.BY_RANK);
    return new StatusWriter.Notice(publish, members);
  }

  private void perform(Effect.WriteReservation write) {
    String record = ReservationRecord.text(write.reservation());
    Optional<String> problem = guarded(write, w -> record(w.gang(), record));
    mailbox.put(
        problem.isEmpty()
            ? new Event.ReservationWritten(
                clock.instant(), write.gang(), write.reservation().edition())
            : new Event.ReservationNotWritten(clock.instant(), write.gang(), problem.get()));
  }

  // Under load this runs long after the request, perhaps for the second time, so the newest state
  // is checked first. A withdrawn promise starts no pod. A pod that is nominated and was not
  // refused is in kube-scheduler's queue; so is a new pod without gate.
  private void perform(Effect.StartMember start) {
    if (!isPromised(start)) {
      return;
    }
    switch (seen(start)) {
      case MemberState.Bound _, MemberState.Leaving _, MemberState.Ended _ -> {}
      case MemberState.Held _ ->
          outcome(
              start,
              s -> isLeftToFilter(s) ? memberStart.ungate(s.member()) : memberStart.perform(s));
      case MemberState.Waiting(var nominated, boolean refused) -> {
        boolean again = nominated.equals(Optional.of(start.node()));
        if (!refused && (again || (nominated.isEmpty() && isLoneAndNew(start)))) {
          started(start);
        } else {
          outcome(start, memberStart::wake);
        }
      }
    }
  }

  private boolean isPromised(Effect.StartMember start) {
    Optional<Reservation> held = state.cluster().reservations().get(start.gang());
    return held.isPresent()
        && held.get()
            .promises()
            .get(start.member())
            .map(Promise::node)
            .equals(Optional.of(start.node()));
  }

  private Optional<Member> member(Effect.StartMember start) {
    return state.cluster().gang(start.gang()).members().get(start.member());
  }

  private MemberState seen(Effect.StartMember start) {
    return member(start).map(Member::state).orElse(new MemberState.Held(false));
  }

  /// True if the gated pod needs no nomination, because `/filter` will send it to its node.
  ///
  /// A nomination is needed in these cases:
  /// - The gang has no PodGroup: then only the nomination records the promise.
  /// - kube-scheduler does not call the extender, since the pod requests no GPU resource.
  /// - [Nomination] demands it for the node.
  private boolean isLeftToFilter(Effect.StartMember start) {
    return objects.find(start.gang()).isPresent()
        && member(start).stream().anyMatch(pod -> pod.request().wantsGpu())
        && !objects.claimsGpus(start.member())
        && !Nomination.isNeeded(state.cluster(), start.node());
  }

  /// True if kube-scheduler will soon ask for the pod, so that a nomination adds nothing. A gang's
  /// pod without gate had its chance at the filter before and was not bound in time.
  private boolean isLoneAndNew(Effect.StartMember start) {
    return start.gang().origin() == GangId.Origin.POD
        && member(start).stream()
            .map(pod -> Duration.between(pod.createdAt(), clock.instant()).abs())
            .anyMatch(age -> age.compareTo(ASKED_WITHIN) < 0);
  }

  private void outcome(
      Effect.StartMember start, Function<Effect.StartMember, Optional<String>> work) {
    guarded(start, work)
        .ifPresentOrElse(problem -> notStarted(start, problem), () -> started(start));
  }

  private void started(Effect.StartMember start) {
    mailbox.put(
        new Event.MemberStarted(clock.instant(), start.gang(), start.member(), start.node()));
  }

  private void notStarted(Effect.StartMember start, String problem) {
    mailbox.put(
        new Event.MemberNotStarted(
            clock.instant(), start.gang(), start.member(), start.node(), problem));
  }

  // The engine waits for an outcome, so a bug must become one too.
  private <E extends Effect> Optional<String> guarded(
      E effect, Function<E, Optional<String>> work) {
    Optional<String> problem;
    try {
      problem = work.apply(effect);
    } catch (RuntimeException e) {
      problem = Optional.of(e.toString());
    }
    problem
        .map(p -> "%s of %s: %s".formatted(effect.getClass().getSimpleName(), effect.gang(), p))
        .filter(throttle::isNew)
        .ifPresent(log::warn);
    return problem;
  }

  /// Writes the record on the gang's PodGroup. Lone pods and some Volcano gangs have no PodGroup:
  /// then the nominations of the pods record the promises, and nothing is written.
  private Optional<String> record(GangId gang, String record) {
    Optional<GenericKubernetesResource> group = objects.find(gang);
    if (group.isEmpty()) {
      return switch (gang.origin()) {
        case POD, VOLCANO -> Optional.empty();
        case POD_GROUP, NATIVE -> Optional.of("The PodGroup %s does not exist.".formatted(gang));
      };
    }
    ApiCalls.Answer answer = annotate(group.get(), record);
    return answer.isGood() ? Optional.empty() : Optional.of(answer.problem());
  }

  private ApiCalls.Answer annotate(GenericKubernetesResource group, @Nullable String record) {
    ObjectNode patch = JsonBodies.patchOf(group.getMetadata().getUid());
    patch.withObject("/metadata/annotations").put(WellKnownNames.RESERVATION, record);
    return api.patch(ResourcePaths.of(group), ApiCalls.MERGE, patch);
  }

  private static List<MemberId> pods(GangId gang, State after) {
    return after.cluster().gang(gang).members().keys();
  }

  // The removal of the record is requested only once, so it is retried for a while.
  private void perform(Effect.RecordVictims record, List<MemberId> pods) {
    if (record.victims().isEmpty()) {
      guarded(record, r -> preemptions.record(r, pods, retries));
      return;
    }
    Optional<String> problem = guarded(record, r -> preemptions.record(r, pods, Retries.NONE));
    mailbox.put(
        problem
            .<Event>map(
                words -> new Event.VictimsNotRecorded(clock.instant(), record.gang(), words))
            .orElseGet(() -> new Event.VictimsRecorded(clock.instant(), record.gang())));
  }

  private void perform(Effect.TellVictim tell) {
    mailbox.put(
        preemptions
            .tell(tell)
            .<Event>map(hindrance ->
                new Event.MemberNotEvicted(
                    clock.instant(),
                    tell.gang(),
                    hindrance.pod(),
                    hindrance.forbidden(),
                    hindrance.problem()))
            .orElseGet(() -> new Event.VictimTold(clock.instant(), tell.gang())));
  }

  private void perform(Effect.Evict evict) {
    eviction
        .perform(evict)
        .map(answer ->
            new Event.MemberNotEvicted(
                clock.instant(),
                evict.gang(),
                evict.member(),
                PodEviction.isForbidden(answer),
                answer.problem()))
        .ifPresent(mailbox::put);
  }

  private static List<MemberId> unbound(GangId gang, State after) {
    return after.cluster().gang(gang).members().values().stream()
        .filter(Member::wantsNode)
        .map(Member::id)
        .toList();
  }

  // Requested only once, so it is retried for a while. It runs in the gang's lane, so that it
  // cannot delete a later record. The nominations are cleared first, since kube-scheduler keeps the
  // nodes for nominated pods, even gated ones. After a crash, the record shows that this is still
  // to be done.
  private void clear(GangId gang, List<MemberId> unbound) {
    for (MemberId member : unbound) {
      ApiCalls.Answer answer = retries.until(() -> memberStart.forget(member));
      if (!answer.isGood() && !answer.isGone()) {
        log.warn("The nomination of {} was not cleared: {}", member, answer.problem());
      }
    }
    Optional<GenericKubernetesResource> group = objects.find(gang);
    if (group.isPresent()) {
      ApiCalls.Answer answer = retries.until(() -> annotate(group.get(), null));
      if (!answer.isGood() && !answer.isGone()) {
        log.warn("The reservation record on {} was not cleared: {}", gang, answer.problem());
      }
    }
  }

  /// Removes Muster's gate from an unmanaged pod. The caller repeats the request while the gate is
  /// on.
  void open(MemberId pod) {
    GangId alone = new GangId(pod.namespace(), GangId.Origin.POD, pod.name());
    acts.add(
        alone,
        KeyedExecutor.Task.newest(
            "open",
            () ->
                memberStart
                    .ungate(pod)
                    .ifPresentOrElse(
                        problem ->
                            log.warn(
                                "The gate of the unmanaged pod {} was not removed: {}",
                                pod,
                                problem),
                        () -> log.info("Removed the gate of the unmanaged pod {}.", pod))));
  }

  /// Reports a problem to the owner of the object by an Event. It is reported only once, so the
  /// write is retried for a while.
  public void report(ObjectProblem problem) {
    notices.add(
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
    boolean evicted = evictions.await(Duration.between(Instant.now(), end));
    boolean told = notices.await(Duration.between(Instant.now(), end));
    return acted && evicted && told;
  }

  /// Drops waiting work; running work continues to its end.
  @Override
  public void close() {
    acts.close();
    evictions.close();
    notices.close();
  }
}
