package dev.muster.core.upkeep;

import dev.muster.core.cluster.Promise;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.cluster.Reservation.Written;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.AvoidedNodes;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// Start progress notes the outcome of requests to write a reservation and to start its members.
final class StartProgress {
  /// The time to the next try after a first refusal by kube-scheduler.
  private static final Duration RETRY = Duration.ofSeconds(1);

  /// The number of refusals by kube-scheduler after which a node is avoided. A first refusal may
  /// come from a stale cache.
  private static final int REFUSALS = 3;

  /// The time in which kube-scheduler tries a pod that was started again. Its own pauses are 1 s to
  /// 4 s after the first three attempts.
  private static final Duration STANDING = Duration.ofSeconds(5);

  private final ReservationEdits edits;

  StartProgress(ReservationEdits edits) {
    this.edits = edits;
  }

  private Instant now() {
    return edits.cluster().now();
  }

  // ---- Outcome of requests ----

  void written(GangId gang, int edition) {
    edits
        .of(gang)
        .filter(r -> r.written() == Written.ASKED && r.edition() == edition)
        .ifPresent(r -> edits.note(r.as(Written.DONE, r.writeAt())));
  }

  void notWritten(GangId gang) {
    edits
        .of(gang)
        .filter(r -> r.written() == Written.ASKED)
        .ifPresent(r -> edits.note(r.as(Written.NOT_YET, r.retryAt(now()))));
  }

  /// Requests the record again if a change of the object removed a promise from it. A restarted
  /// process knows promises from the record only.
  void unrecorded(GangSpec seen) {
    Optional<Reservation> held = edits.of(seen.id());
    if (held.isEmpty() || held.get().written() != Written.DONE) {
      return;
    }
    var had = edits.before().gang(seen.id()).spec().orElse(seen).recorded();
    var has = seen.recorded();
    if (held.get().promises().any(p -> p.isRecorded(had) && !p.isRecorded(has))) {
      edits.note(held.get().as(Written.NOT_YET, now()));
    }
  }

  void notStarted(GangId gang, MemberId member, NodeId node) {
    Optional<Reservation> held = edits.of(gang);
    held.flatMap(r -> r.promises().get(member))
        .filter(promise -> promise.node().equals(node))
        .ifPresent(
            promise -> edits.note(held.get().with(promise.failed(held.get().retryAt(now())))));
  }

  // ---- Nominations and kube-scheduler ----

  /// Notes that the start of the pod was requested. If the pod is nominated and its refusal stands,
  /// kube-scheduler gets a while to bind it.
  void started(GangId gang, MemberId id, NodeId node) {
    Optional<Reservation> held = edits.of(gang);
    Optional<Promise> promise = held.flatMap(r -> r.promises().get(id));
    if (promise.isPresent()
        && promise.get().node().equals(node)
        && promise.get().stage() != Promise.Stage.KEPT
        && isStanding(gang, promise.get())) {
      edits.note(held.get().with(promise.get().seenUntil(now().plus(STANDING))));
    }
  }

  /// Notes a nomination, or a refusal of the promised node.
  ///
  /// A refusal is new if the pod was not refused before or for other reasons, or if its nomination
  /// is gone. kube-scheduler does not always clear a nomination that it cannot follow: not if
  /// victims were possible but vetoed, and not for pods that never preempt.
  void nomination(Member member) {
    Optional<Promise> known = edits.cluster().promise(member);
    if (known.isEmpty() || !(member.state() instanceof MemberState.Waiting waiting)) {
      return;
    }
    Promise promise = known.get();
    Reservation reservation = edits.of(member.gang()).orElseThrow();
    boolean here = waiting.nominated().filter(promise.node()::equals).isPresent();
    boolean isNew = waiting.refused() && isNew(member, waiting);
    if (promise.stage() == Promise.Stage.SEEN && waiting.refused() && (isNew || !here)) {
      refused(reservation, later(promise), waiting);
    } else if (promise.stage() == Promise.Stage.TOLD && isNew && here) {
      refused(reservation, later(promise), waiting);
    } else if (here) {
      boolean stands = waiting.refused() && promise.stage() == Promise.Stage.TOLD;
      Promise seen = stands ? promise.seenUntil(now().plus(STANDING)) : promise.seen();
      edits.note(reservation.with(seen));
    }
  }

  /// True if kube-scheduler has refused the pod since it was last seen, or for other reasons.
  private boolean isNew(Member member, MemberState.Waiting now) {
    return edits
        .earlier(member)
        .map(Member::state)
        .filter(MemberState.Waiting.class::isInstance)
        .map(MemberState.Waiting.class::cast)
        .filter(old -> old.refused() && old.message().equals(now.message()))
        .isEmpty();
  }

  /// Starts a pod again at once that was refused before its nomination was seen. The request came
  /// too early, or the pod was to start without a nomination.
  void unheard(Member member) {
    if (!isRefused(member) || edits.earlier(member).filter(StartProgress::isRefused).isPresent()) {
      return;
    }
    Optional<Promise> promise = edits.cluster().promise(member);
    if (promise.isPresent()
        && promise.get().stage() == Promise.Stage.TOLD
        && member.state() instanceof MemberState.Waiting said) {
      refused(edits.of(member.gang()).orElseThrow(), promise.get().refused(now()), said);
    }
  }

  private static boolean isRefused(Member member) {
    return member.state() instanceof MemberState.Waiting waiting
        && waiting.refused()
        && waiting.nominated().isEmpty();
  }

  /// Counts the refusals that still stand although the pods were started again some time ago.
  ///
  /// A repeated refusal for equal reasons changes nothing on the pod, so it cannot be seen. It
  /// counts only for gangs that were refused before: other pods may wait in the queue of
  /// kube-scheduler.
  void stand() {
    for (Reservation reservation : edits.cluster().reservations()) {
      for (Promise promise : reservation.promises()) {
        if (promise.stage() == Promise.Stage.SEEN
            && (promise.refusals() > 0 || wasRefused(reservation.gang()))
            && !now().isBefore(promise.tryAt())
            && isStanding(reservation.gang(), promise)) {
          refused(
              edits.of(reservation.gang()).orElseThrow(),
              later(promise),
              (MemberState.Waiting) state(reservation.gang(), promise).orElseThrow());
        }
      }
    }
  }

  private boolean wasRefused(GangId gang) {
    return edits
        .cluster()
        .avoided(gang)
        .failures()
        .any(known -> known.cause() == AvoidedNodes.Cause.REFUSED);
  }

  private Optional<MemberState> state(GangId gang, Promise promise) {
    return edits.cluster().gang(gang).members().get(promise.member()).map(Member::state);
  }

  private boolean isStanding(GangId gang, Promise promise) {
    return state(gang, promise).orElse(null) instanceof MemberState.Waiting waiting
        && waiting.refused()
        && waiting.nominated().filter(promise.node()::equals).isPresent();
  }

  /// Returns the promise after a refusal, to be tried again later each time.
  private Promise later(Promise promise) {
    return promise.refused(now().plus(RETRY.multipliedBy(1 + promise.refusals())));
  }

  /// Counts a refusal. It says nothing about the promised node if kube-scheduler did not know all
  /// nodes; then the pod is only started again, after kube-scheduler had time to learn of them.
  private void refused(Reservation reservation, Promise again, MemberState.Waiting said) {
    if (said.isPremature(edits.cluster().nodes().size())) {
      Promise same = reservation.promises().get(again.member()).orElseThrow();
      edits.note(reservation.with(same.failed(now().plus(STANDING))));
    } else if (again.refusals() < REFUSALS) {
      edits.note(reservation.with(again));
    } else {
      edits.refused(reservation, again, said.message());
    }
  }
}
