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

  /// Notes a nomination. One that was present and is gone was refused: kube-scheduler clears a
  /// nomination that it cannot follow.
  void nomination(Member member) {
    Optional<Promise> promise = edits.cluster().promise(member);
    if (promise.isEmpty() || !(member.state() instanceof MemberState.Waiting waiting)) {
      return;
    }
    Reservation reservation = edits.of(member.gang()).orElseThrow();
    if (waiting.nominated().filter(promise.get().node()::equals).isPresent()) {
      edits.note(reservation.with(promise.get().seen()));
    } else if (promise.get().stage() == Promise.Stage.SEEN && waiting.refused()) {
      refused(reservation, promise.get());
    }
  }

  /// Starts a pod again at once that was refused before its nomination was seen. The request came
  /// too early, or the pod was to start without a nomination.
  void unheard(Member member) {
    if (!isRefused(member) || edits.earlier(member).filter(StartProgress::isRefused).isPresent()) {
      return;
    }
    Optional<Promise> promise = edits.cluster().promise(member);
    if (promise.isPresent() && promise.get().stage() == Promise.Stage.TOLD) {
      Reservation held = edits.of(member.gang()).orElseThrow();
      edits.note(held.with(promise.get().failed(now())));
    }
  }

  private static boolean isRefused(Member member) {
    return member.state() instanceof MemberState.Waiting(var nominated, boolean refused)
        && refused
        && nominated.isEmpty();
  }

  private void refused(Reservation reservation, Promise promise) {
    Promise again = promise.refused(now().plus(RETRY.multipliedBy(1 + promise.refusals())));
    if (again.refusals() < REFUSALS) {
      edits.note(reservation.with(again));
    } else {
      edits.drop(reservation.shunning(promise.node()), promise);
    }
  }
}
