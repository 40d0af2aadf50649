package dev.muster.core.preempt;

import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.Reservation.Written;
import dev.muster.core.collect.SortedKeys;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.collect.SortedTable.Difference;
import dev.muster.core.cycle.Cycle;
import dev.muster.core.cycle.CycleResult;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.Victim;
import dev.muster.core.state.Effect;
import dev.muster.core.state.Intervals;
import dev.muster.core.state.Policies;
import dev.muster.core.state.Preemption;
import dev.muster.core.state.Preemption.Stop;
import dev.muster.core.state.PreemptionHistory;
import dev.muster.core.state.Preemptions;
import dev.muster.core.state.State;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/// Derives the effects of preemptions from the state (level-triggered), as `EffectWriter` does for
/// reservations. Each effect that is due is requested again until its result is seen.
public final class VictimEffectWriter {
  private final Policies policies;
  private final CycleResult result;
  private final boolean ticking;
  private State state;

  private VictimEffectWriter(Cycle cycle) {
    this.policies = cycle.policies();
    this.result = cycle.result();
    this.ticking = cycle.isTick();
    this.state = cycle.state();
  }

  private Instant now() {
    return state.cluster().now();
  }

  private void put(Preemption preemption) {
    state = state.with(state.preemptions().with(preemption));
  }

  /// Adds the effects that are due and notes them in the state. Gangs with a changed preemption are
  /// touched.
  public static Cycle run(Cycle cycle) {
    State before = cycle.before();
    State state = cycle.state();
    if (before.preemptions().underWay().isEmpty() && state.preemptions().underWay().isEmpty()) {
      return cycle;
    }
    VictimEffectWriter work = new VictimEffectWriter(cycle);
    var changes = state.preemptions().underWay().differences(before.preemptions().underWay());
    changes.forEach(changed -> changed.before().ifPresent(work::reprieve));
    for (GangId gang : due(cycle.event(), before, state, changes)) {
      state.preemptions().underWay().get(gang).ifPresent(work::ask);
    }
    work.touchConcerned(before);
    return cycle.with(work.state);
  }

  /// Returns the preemptors with effects that may be due: changed preemptions, changed victims, and
  /// all preemptions at a tick.
  private static SortedSet<GangId> due(
      Event event, State before, State state, List<Difference<GangId, Preemption>> changes) {
    Preemptions preemptions = state.preemptions();
    if (event instanceof Event.Tick || event instanceof Event.Synced) {
      return new TreeSet<>(preemptions.underWay().keys());
    }
    TreeSet<GangId> due = new TreeSet<>();
    changes.forEach(changed -> due.add(changed.key()));
    for (var seen : state.cluster().gangs().differences(before.cluster().gangs())) {
      preemptions.by(seen.key()).ifPresent(preemption -> due.add(preemption.gang()));
    }
    return due;
  }

  private void touchConcerned(State before) {
    for (var changed :
        state.preemptions().underWay().differences(before.preemptions().underWay())) {
      result.touch(changed.key());
      changed.before().ifPresent(old -> result.touch(old.stops().keys()));
      changed.now().ifPresent(now -> result.touch(now.stops().keys()));
    }
  }

  /// Reprieves victims that were notified, still run, and are no longer preempted for this gang. A
  /// preemption counts for a gang only if some of its members left.
  private void reprieve(Preemption earlier) {
    for (Stop stop : earlier.stops()) {
      GangId victim = stop.victim().gang();
      Optional<GangId> by = state.preemptions().by(victim).map(Preemption::gang);
      if (stop.asked().isPresent()
          && by.filter(earlier.gang()::equals).isEmpty()
          && !bound(stop).isEmpty()) {
        boolean hit = stop.hasBegun(state.cluster());
        List<Instant> times = hit ? times(stop) : before(stop);
        state = state.with(state.preemptions().history().reprieving(stop, times, hit));
        boolean told = state.preemptions().stopOf(victim).flatMap(Stop::asked).isPresent();
        if (!told) { // the new preemption may be cancelled before it notifies the gang
          result.add(new Effect.Reprieve(victim, earlier.gang(), times));
        }
      }
    }
  }

  private void ask(Preemption preemption) {
    if (preemption.over() && preemption.stops().isEmpty()) {
      state = state.with(state.preemptions().without(preemption.gang()));
      if (state.cluster().gangs().contains(preemption.gang())) {
        result.add(new Effect.RecordVictims(preemption.gang(), SortedTable.empty()));
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
    } else if (preemption.stops().any(stop -> !stop.notified())) {
      if (due) {
        notifyVictims(preemption);
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
    result.add(new Effect.RecordVictims(preemption.gang(), victims));
    put(preemption.as(Written.ASKED, now().plus(Intervals.AGAIN)));
  }

  private void notifyVictims(Preemption preemption) {
    Preemption telling = preemption;
    for (Stop untold : preemption.stops()) {
      if (!untold.notified()) {
        Stop stop = untold.notifying(now());
        GangId victim = stop.victim().gang();
        telling = telling.with(telling.stops().with(victim, stop));
        Effect.Notice notice =
            new Effect.Notice(
                preemption.gang(),
                present(stop.victim()),
                policies.preemption().revision(),
                stop.deadline().filter(_ -> stop.notice().isPositive()),
                times(stop),
                stop.ending().overBudgets());
        result.add(new Effect.TellVictim(victim, notice));
      }
    }
    put(telling.as(preemption.recorded(), now().plus(Intervals.AGAIN)));
  }

  /// Returns the victim without members that are gone by now. A pod of the same name may exist
  /// again, which is not this member, so a request about it would fail each time.
  private Victim present(Victim victim) {
    SortedKeys<MemberId> members = SortedKeys.empty();
    for (Member member : state.cluster().members(victim)) {
      members = members.with(member.id());
    }
    return new Victim(victim.gang(), members, victim.rule(), victim.lostWork());
  }

  /// Returns the times of the gang's preemptions, this one included. Each is the time of the first
  /// notification, which the gang's object records too.
  private List<Instant> times(Stop stop) {
    List<Instant> times = new ArrayList<>(before(stop));
    times.add(stop.asked().orElseThrow());
    return times.subList(Math.max(0, times.size() - PreemptionHistory.REMEMBERED), times.size());
  }

  /// Returns the times of the gang's preemptions before this one.
  private List<Instant> before(Stop stop) {
    Instant told = stop.asked().orElseThrow();
    return state.preemptions().stopped(stop.victim().gang(), state.cluster()).stream()
        .filter(at -> at.isBefore(told))
        .toList();
  }

  /// True if the notice time is over, or if each member acknowledged that it needs no more. The
  /// time is checked at ticks only.
  private boolean isReady(Stop stop) {
    Instant deadline = stop.deadline().orElseThrow();
    Gang gang = state.cluster().gang(stop.victim().gang());
    boolean over = (ticking || stop.notice().isZero()) && !now().isBefore(deadline);
    return over
        || stop.victim().members().asList().stream()
            .allMatch(pod -> gang.members().contains(pod, m -> isSaved(m, deadline)));
  }

  private static boolean isSaved(Member member, Instant deadline) {
    return !member.isBound() || member.report().acknowledged().filter(deadline::equals).isPresent();
  }

  private void begin(Preemption preemption) {
    put(preemption.evictingAgain(now()));
    evict(preemption.evictingAgain(now()), true);
  }

  /// Evicts one gang after another, each with all its pods at once. If a disruption budget then
  /// forbids an eviction, the remaining gangs stay.
  private void evict(Preemption preemption, boolean due) {
    Optional<Stop> next = preemption.stops().first(stop -> !bound(stop).isEmpty());
    if (next.filter(stop -> due || stop.evictedAt().isEmpty()).isPresent()) {
      Stop stop = next.get().evicting(now());
      GangId victim = stop.victim().gang();
      if (next.get().evictedAt().isEmpty()) {
        state = state.with(state.preemptions().history().stopping(victim, times(stop), now()));
      }
      for (MemberId pod : bound(stop)) {
        result.add(
            new Effect.Evict(
                victim, pod, Effect.PREEMPTED, message(preemption, stop), stop.ending()));
      }
      put(
          preemption
              .with(preemption.stops().with(victim, stop))
              .evictingAgain(now().plus(Intervals.EVICT_AGAIN)));
    }
  }

  /// Returns the victim's members that have not begun to leave.
  private List<MemberId> bound(Stop stop) {
    return state.cluster().members(stop.victim()).stream()
        .filter(Member::isBound)
        .map(Member::id)
        .toList();
  }

  private String message(Preemption preemption, Stop stop) {
    return "Preempted for %s by the rule %s%s."
        .formatted(
            preemption.gang(),
            stop.victim().rule(),
            policies.preemption().revision().isEmpty()
                ? ""
                : " of policy " + policies.preemption().revision());
  }
}
