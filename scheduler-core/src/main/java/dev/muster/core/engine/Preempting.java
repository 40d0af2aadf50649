package dev.muster.core.engine;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.Hold;
import dev.muster.core.cluster.Reservation.Written;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.engine.Preemption.Stop;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.Victim;
import dev.muster.core.preemption.PreemptionPolicy.Mode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/// Carries preemptions on, one step at a time as the facts come: what was asked for is noted, plans
/// that are no longer needed or can no longer come true are called off, and what is due next is
/// asked for.
final class Preempting {
  /// After a failure, how long to wait before the next try.
  private static final Duration RETRY = Duration.ofSeconds(5);

  /// What was asked and not seen is asked again after this.
  private static final Duration AGAIN = Duration.ofSeconds(15);

  /// Pods that are still there after this are evicted again.
  private static final Duration EVICT_AGAIN = Duration.ofSeconds(30);

  /// A gang whose victims are gone, and that still found no place, gives up after this.
  private static final Duration START = Duration.ofSeconds(30);

  /// A gang that has begun to leave, and that a disruption budget protects then, is given up after
  /// this.
  private static final Duration HALF_GONE = Duration.ofSeconds(30);

  /// A gang that a disruption budget protects is not asked again for so long.
  private static final Duration BARRED = Duration.ofMinutes(10);

  private final List<Effect> effects = new ArrayList<>();
  private final TreeSet<GangId> touched = new TreeSet<>();
  private final Policies policies;
  private State state;

  private Preempting(State state, Policies policies) {
    this.state = state;
    this.policies = policies;
  }

  /// What carrying on comes to.
  ///
  /// @param touched gangs for which the room is there now
  record Kept(State state, SortedSet<GangId> touched) {
    /// Nobody has room that had none before.
    static Kept of(State state) {
      return new Kept(state, new TreeSet<>());
    }
  }

  /// The preemptions as the facts leave them.
  static Kept after(Event event, State state, Policies policies) {
    if (state.preemptions().underWay().isEmpty()) {
      return Kept.of(state);
    }
    Preempting work = new Preempting(state, policies);
    if (event instanceof Event.Outcome outcome) {
      work.heard(outcome);
    }
    work.state.preemptions().underWay().forEach(work::review);
    return new Kept(work.state, work.touched);
  }

  private Instant now() {
    return state.cluster().now();
  }

  private void put(Preemption preemption) {
    state = state.with(state.preemptions().with(preemption));
  }

  // ---- What became of what was asked ----

  private void heard(Event.Outcome outcome) {
    switch (outcome) {
      case Event.VictimsRecorded(_, GangId gang) ->
          underWay(gang)
              .filter(p -> p.recorded() == Written.ASKED)
              .ifPresent(p -> put(p.as(Written.DONE, now())));
      case Event.VictimsNotRecorded(_, GangId gang, _) ->
          underWay(gang)
              .filter(p -> p.recorded() == Written.ASKED)
              .ifPresent(p -> put(p.as(Written.NOT_YET, now().plus(RETRY))));
      case Event.VictimTold(_, GangId gang) ->
          state.preemptions().by(gang).ifPresent(p -> put(told(p, gang)));
      case Event.MemberNotEvicted(_, GangId gang, _, boolean forbidden, _) ->
          state.preemptions().by(gang).ifPresent(p -> notEvicted(p, gang, forbidden));
      case Event.ReservationWritten _,
          Event.ReservationNotWritten _,
          Event.MemberStarted _,
          Event.MemberNotStarted _ -> {}
    }
  }

  private Optional<Preemption> underWay(GangId gang) {
    return state.preemptions().underWay().get(gang);
  }

  /// What an earlier plan had it told says nothing of this one.
  private static Preemption told(Preemption preemption, GangId victim) {
    Stop stop = preemption.stops().get(victim).orElseThrow();
    return stop.deadline().isEmpty()
        ? preemption
        : preemption.with(preemption.stops().with(victim, stop.heard()));
  }

  /// A budget that forbids it protects the gang: the plan is called off before anybody else leaves
  /// in vain, and another is sought. Where some of the gang have begun to leave, the others are
  /// tried for a while, since budgets change; then they stay, and the gang may replace who left.
  private void notEvicted(Preemption preemption, GangId victim, boolean forbidden) {
    Stop stop = preemption.stops().get(victim).orElseThrow();
    boolean young = stop.evictedAt().filter(at -> now().isBefore(at.plus(HALF_GONE))).isPresent();
    if (forbidden && !(young && hasBegun(state, stop.victim()))) {
      state = calledOff(state, preemption, begun(preemption).without(victim));
      state = state.with(state.preemptions().barring(victim, now().plus(BARRED)));
      state = state.with(state.preemptions().lookingAgain(preemption.gang(), now()));
    } else {
      put(preemption.as(preemption.recorded(), now().plus(RETRY)));
    }
  }

  /// The victims that are being evicted.
  private static SortedTable<GangId, Stop> begun(Preemption preemption) {
    SortedTable<GangId, Stop> begun = preemption.stops();
    for (Stop stop : preemption.stops()) {
      begun = stop.evictedAt().isEmpty() ? begun.without(stop.victim().gang()) : begun;
    }
    return begun;
  }

  /// Whether one of those who were to leave is not bound any more.
  static boolean hasBegun(State state, Victim victim) {
    Gang gang = state.cluster().gang(victim.gang());
    return victim.members().keys().stream()
        .anyMatch(pod -> gang.members().get(pod).filter(Member::isBound).isEmpty());
  }

  // ---- What is still needed ----

  private void review(Preemption old) {
    if (old.evicting()) {
      old.stops().keys().forEach(this::growNoMore);
    }
    Preemption preemption = old.with(still(old));
    boolean gone = preemption.stops().isEmpty();
    if (gone && !old.stops().isEmpty()) {
      preemption = preemption.as(preemption.recorded(), now().plus(START));
      touched.add(old.gang());
    }
    if (!preemption.stops().equals(old.stops()) || gone) {
      put(preemption);
    }
    if (!preemption.over()) {
      boolean waits = StartPlans.waitsForRoom(state, preemption.gang());
      boolean late = gone && !now().isBefore(preemption.again());
      boolean forbidden = policies.preemption().mode() != Mode.ENFORCE && !preemption.evicting();
      if (!waits || late || forbidden || isBroken(preemption.gang())) {
        state = calledOff(state, preemption, begun(preemption));
        state = state.with(state.preemptions().lookingAgain(preemption.gang(), now()));
      }
    }
  }

  /// What was promised to a victim by which it was to grow is promised no more.
  private void growNoMore(GangId victim) {
    state
        .cluster()
        .reservations()
        .get(victim)
        .filter(held -> !held.releasing() && !held.promises().isEmpty())
        .ifPresent(
            held -> state = state.with(state.cluster().with(held.restingUntil(held.until()))));
  }

  /// Victims of which something is still in the way; once the preemption is over, those of which a
  /// member has not begun to leave: a pod that terminates for ever holds up nobody then.
  private SortedTable<GangId, Stop> still(Preemption preemption) {
    SortedTable<GangId, Stop> still = preemption.stops();
    for (Stop stop : preemption.stops()) {
      Gang gang = state.cluster().gang(stop.victim().gang());
      boolean there =
          stop.victim().members().keys().stream()
              .anyMatch(
                  pod -> gang.members().get(pod).filter(m -> holds(m, preemption)).isPresent());
      still = there ? still : still.without(gang.id());
    }
    return still;
  }

  private static boolean holds(Member member, Preemption preemption) {
    return preemption.over() ? member.isBound() : member.node().isPresent();
  }

  private boolean isBroken(GangId gang) {
    return state
        .cluster()
        .holds()
        .get(gang)
        .filter(hold -> hold.kind() == Hold.Kind.VACATING)
        .filter(hold -> !StartPlans.isBroken(state.cluster(), hold))
        .isEmpty();
  }

  /// The preemption is over; only these victims are still seen off, the others stay.
  static State calledOff(State state, Preemption preemption, SortedTable<GangId, Stop> begun) {
    Cluster cluster = state.cluster();
    boolean vacating =
        cluster
            .holds()
            .get(preemption.gang())
            .filter(hold -> hold.kind() == Hold.Kind.VACATING)
            .isPresent();
    State left = vacating ? state.with(cluster.withoutHold(preemption.gang())) : state;
    return left.with(left.preemptions().with(preemption.calledOff(begun)));
  }

  // ---- What is asked next ----

  /// What a step asks of the world for the sake of preemptions.
  ///
  /// @param concerned gangs of which there is something new to show
  record Asked(State state, List<Effect> effects, SortedSet<GangId> concerned) {}

  static Asked ask(State before, State state, Policies policies) {
    if (before.preemptions().underWay().isEmpty() && state.preemptions().underWay().isEmpty()) {
      return new Asked(state, List.of(), new TreeSet<>());
    }
    Preempting work = new Preempting(state, policies);
    before.preemptions().underWay().forEach(work::reprieve);
    state.preemptions().underWay().forEach(work::ask);
    return new Asked(work.state, work.effects, concerned(before, work.state));
  }

  private static SortedSet<GangId> concerned(State before, State after) {
    TreeSet<GangId> concerned = new TreeSet<>();
    for (var changed :
        after.preemptions().underWay().differences(before.preemptions().underWay())) {
      concerned.add(changed.key());
      changed.before().ifPresent(old -> concerned.addAll(old.stops().keys()));
      changed.now().ifPresent(now -> concerned.addAll(now.stops().keys()));
    }
    return concerned;
  }

  /// Those who were told and are not stopped any more, though they are still there.
  private void reprieve(Preemption earlier) {
    for (Stop stop : earlier.stops()) {
      GangId victim = stop.victim().gang();
      boolean spared = state.preemptions().stopOf(victim).isEmpty();
      if (stop.deadline().isPresent() && spared && !bound(stop).isEmpty()) {
        effects.add(new Effect.Reprieve(victim, earlier.gang()));
      }
    }
  }

  private void ask(Preemption preemption) {
    if (preemption.over() && preemption.stops().isEmpty()) {
      state = state.with(state.preemptions().without(preemption.gang()));
      if (state.cluster().gangs().contains(preemption.gang())) {
        effects.add(new Effect.RecordVictims(preemption.gang(), SortedTable.empty()));
      }
      return;
    }
    boolean due = !now().isBefore(preemption.again());
    if (preemption.recorded() != Written.DONE && !preemption.over()) {
      if (due) {
        record(preemption);
      }
    } else if (preemption.evicting()) {
      evict(preemption, due);
    } else if (preemption.stops().any(stop -> !stop.told())) {
      if (due) {
        tell(preemption);
      }
    } else if (!preemption.stops().any(stop -> !isReady(stop))) {
      begin(preemption);
    }
  }

  private void record(Preemption preemption) {
    SortedTable<GangId, Victim> victims = SortedTable.empty();
    for (Stop stop : preemption.stops()) {
      victims = victims.with(stop.victim().gang(), stop.victim());
    }
    effects.add(new Effect.RecordVictims(preemption.gang(), victims));
    put(preemption.as(Written.ASKED, now().plus(AGAIN)));
  }

  private void tell(Preemption preemption) {
    Preemption telling = preemption;
    for (Stop untold : preemption.stops()) {
      if (!untold.told()) {
        Stop stop = untold.telling(now());
        GangId victim = stop.victim().gang();
        telling = telling.with(telling.stops().with(victim, stop));
        Effect.Notice notice =
            new Effect.Notice(
                preemption.gang(),
                stop.victim(),
                policies.preemption().revision(),
                stop.deadline().filter(_ -> stop.notice().isPositive()),
                times(stop),
                stop.ending().overBudgets());
        effects.add(new Effect.TellVictim(victim, notice));
      }
    }
    put(telling.as(preemption.recorded(), now().plus(AGAIN)));
  }

  /// When the gang was stopped before, and now: when it was to be told first, which its object says
  /// too, however often it had to be told.
  private List<Instant> times(Stop stop) {
    Instant told = stop.asked().orElseThrow();
    List<Instant> times =
        new ArrayList<>(
            state.preemptions().stopped(stop.victim().gang(), state.cluster()).stream()
                .filter(at -> at.isBefore(told))
                .toList());
    times.add(told);
    return times.subList(Math.max(0, times.size() - Preemptions.REMEMBERED), times.size());
  }

  /// Whether the time of notice is over, or each of its members said that it needs no more.
  private boolean isReady(Stop stop) {
    Instant deadline = stop.deadline().orElseThrow();
    Gang gang = state.cluster().gang(stop.victim().gang());
    return !now().isBefore(deadline)
        || stop.victim().members().keys().stream()
            .allMatch(pod -> gang.members().get(pod).filter(m -> isSaved(m, deadline)).isPresent());
  }

  private static boolean isSaved(Member member, Instant deadline) {
    return !member.isBound() || member.report().acknowledged().filter(deadline::equals).isPresent();
  }

  private void begin(Preemption preemption) {
    for (Stop stop : preemption.stops()) {
      state = state.with(state.preemptions().stopping(stop.victim().gang(), times(stop), now()));
    }
    put(preemption.evictingAgain(now()));
    evict(preemption.evictingAgain(now()), true);
  }

  /// Evicts one gang after the other, each with all its pods at once: if a disruption budget
  /// forbids it after all, those whose turn has not come stay.
  private void evict(Preemption preemption, boolean due) {
    Optional<Stop> next = preemption.stops().first(stop -> !bound(stop).isEmpty());
    if (next.filter(stop -> due || stop.evictedAt().isEmpty()).isPresent()) {
      Stop stop = next.get().evicting(now());
      GangId victim = stop.victim().gang();
      for (MemberId pod : bound(stop)) {
        effects.add(
            new Effect.Evict(
                victim, pod, Effect.PREEMPTED, message(preemption, stop), stop.ending()));
      }
      put(
          preemption
              .with(preemption.stops().with(victim, stop))
              .evictingAgain(now().plus(EVICT_AGAIN)));
    }
  }

  /// Those of the victim's members that have not begun to leave.
  private List<MemberId> bound(Stop stop) {
    Gang gang = state.cluster().gang(stop.victim().gang());
    return stop.victim().members().keys().stream()
        .filter(pod -> gang.members().get(pod).filter(Member::isBound).isPresent())
        .toList();
  }

  private String message(Preemption preemption, Stop stop) {
    GangId by = preemption.gang();
    return "Stopped for %s/%s by the rule %s%s."
        .formatted(
            by.namespace(),
            by.name(),
            stop.victim().rule(),
            policies.preemption().revision().isEmpty()
                ? ""
                : " of policy " + policies.preemption().revision());
  }
}
