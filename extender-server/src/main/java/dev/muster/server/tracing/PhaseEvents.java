package dev.muster.server.tracing;

import dev.muster.core.cluster.Promise;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.decision.Decision;
import dev.muster.core.decision.Explanation;
import dev.muster.core.decision.ReasonText;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangId;
import dev.muster.core.state.Preemption;
import dev.muster.core.state.State;
import io.opentelemetry.api.common.Attributes;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// What happened to a gang in its present phase: changed reasons, and the steps of its start.
///
/// A reason with other numbers is no event. Beyond a number of events the oldest are forgotten.
final class PhaseEvents {
  /// Events that are kept of a phase.
  static final int MOST = 20;

  /// An event that a phase has once.
  private enum Once {
    PLANNED("Planned"),
    PREEMPTS("Preempts"),
    RECORDED("ReservationWritten"),
    STARTED("MembersStarted"),
    BOUND("FirstMemberBound"),
    NOTIFIED("Preempted");

    private final String text;

    Once(String text) {
      this.text = text;
    }
  }

  /// @param why reason that is worded when the phase ends
  private record Entry(Instant at, String name, Optional<Veto> why, Attributes attributes) {
    GangSpan.Happening worded(GangId gang) {
      return new GangSpan.Happening(
          at,
          name,
          why.map(veto -> Attributes.of(TraceKeys.MESSAGE, ReasonText.sentence(veto, gang)))
              .orElse(attributes));
    }
  }

  private final GangId gang;
  private final Deque<Entry> entries = new ArrayDeque<>();
  private final Set<Once> seen = EnumSet.noneOf(Once.class);
  private String reason = "";

  PhaseEvents(GangId gang) {
    this.gang = gang;
  }

  /// Forgets all, as another phase begins.
  void clear() {
    entries.clear();
    seen.clear();
    reason = "";
  }

  List<GangSpan.Happening> list() {
    return entries.stream().map(entry -> entry.worded(gang)).toList();
  }

  /// Notes what is new in this image.
  void see(State state, LifePhase phase) {
    switch (phase) {
      case GATHERING, WAITING -> {
        seeReason(state);
        seePlan(state);
      }
      case STARTING ->
          state.cluster().reservations().get(gang).ifPresent(held -> seeStart(state, held));
      case RUNNING -> {
        seeReason(state);
        state
            .preemptions()
            .by(gang)
            .filter(by -> by.stops().get(gang).filter(Preemption.Stop::notified).isPresent())
            .ifPresent(by -> once(state, Once.NOTIFIED, preemption(by, gang)));
      }
      case STOPPING, ENDED -> {}
    }
  }

  private void seeReason(State state) {
    Optional<Veto> why = state.why(gang).flatMap(Explanation::main);
    if (why.isPresent() && !reason.equals(ReasonText.token(why.get()))) {
      reason = ReasonText.token(why.get());
      add(new Entry(state.cluster().now(), reason, why, Attributes.empty()));
    }
  }

  private void seePlan(State state) {
    if (state.standing().get(gang).orElse(null) instanceof Decision.Plan plan) {
      once(
          state,
          Once.PLANNED,
          plan.start()
              .map(at -> Attributes.of(TraceKeys.PLANNED, at.toString()))
              .orElse(Attributes.empty()));
    }
    state
        .preemptions()
        .underWay()
        .get(gang)
        .filter(preemption -> !preemption.over())
        .ifPresent(preemption ->
            once(
                state,
                Once.PREEMPTS,
                Attributes.of(TraceKeys.VICTIMS, (long) preemption.stops().size())));
  }

  private void seeStart(State state, Reservation held) {
    if (held.written() == Reservation.Written.DONE) {
      once(state, Once.RECORDED, Attributes.empty());
      if (!held.promises().any(promise -> promise.stage() == Promise.Stage.KEPT)) {
        once(state, Once.STARTED, Attributes.empty());
      }
    }
    if (state.cluster().gang(gang).boundCount() > 0) {
      once(state, Once.BOUND, Attributes.empty());
    }
  }

  /// Returns by which gang and rule a gang is preempted.
  static Attributes preemption(Preemption by, GangId victim) {
    String rule = by.stops().get(victim).map(stop -> stop.victim().rule()).orElse("");
    return Attributes.of(TraceKeys.PREEMPTOR, by.gang().toString(), TraceKeys.RULE, rule);
  }

  private void once(State state, Once event, Attributes attributes) {
    if (seen.add(event)) {
      add(new Entry(state.cluster().now(), event.text, Optional.empty(), attributes));
    }
  }

  private void add(Entry entry) {
    entries.addLast(entry);
    if (entries.size() > MOST) {
      entries.removeFirst();
    }
  }
}
