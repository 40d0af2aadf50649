package dev.muster.core.preempt;

import dev.muster.core.admission.Rank;
import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Gang;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.cycle.Cycle;
import dev.muster.core.cycle.CycleResult;
import dev.muster.core.decision.Decision;
import dev.muster.core.decision.Explanation;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Victim;
import dev.muster.core.node.Assignment;
import dev.muster.core.node.Hold;
import dev.muster.core.node.NodeState;
import dev.muster.core.state.Policies;
import dev.muster.core.state.Preemption;
import dev.muster.core.state.Preemption.Stop;
import dev.muster.core.state.State;
import dev.muster.core.state.VictimSearchPacing;
import dev.muster.core.state.WaitClass;
import dev.muster.core.victims.PreemptionPlan;
import dev.muster.core.victims.PreemptionPolicy.Mode;
import dev.muster.core.victims.VictimCandidate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/// Victim selection searches victims for gangs that wait for capacity or quota.
///
/// At every tick it serves the first gang in the policy's order. It also serves one gang of another
/// class, in rotation, since the first gangs may be ones without possible victims. A gang is served
/// again after the policy's cooldown at the earliest.
public final class VictimSelection {
  /// The time to the next search for a gang with capacity about to be free.
  private static final Duration SOON = Duration.ofSeconds(5);

  private final Policies policies;
  private final CycleResult result;
  private State state;

  private VictimSelection(Cycle cycle) {
    this.policies = cycle.policies();
    this.result = cycle.result();
    this.state = cycle.state();
  }

  /// Adds the preemptions that are decided now.
  public static Cycle run(Cycle cycle) {
    VictimSelection selection = new VictimSelection(cycle);
    if (cycle.event() instanceof Event.PolicyChanged) {
      selection.state = selection.state.with(selection.state.preemptions().pacing().restarted());
    }
    if (cycle.isTick() && cycle.policies().preemption().mode() != Mode.OFF) {
      selection.search();
    }
    return cycle.with(selection.state);
  }

  private Instant now() {
    return state.cluster().now();
  }

  // ---- Preemptors ----

  private void search() {
    List<Due> due = due();
    if (due.isEmpty()) {
      return;
    }
    state = state.with(state.preemptions().at(now(), state.cluster()));
    for (Due next : sought(due)) {
      search(state.cluster().gang(next.gang()));
    }
  }

  /// Returns the first gang in the policy's order, and the next one in a rotation of the others.
  /// Namespaces have equal turns, and so have the classes of each.
  private List<Due> sought(List<Due> due) {
    List<Due> sought = new ArrayList<>();
    due.stream().min(Comparator.comparing(Due::rank)).ifPresent(sought::add);
    TreeMap<String, List<Due>> others = new TreeMap<>();
    for (Due one : due) {
      if (!sought.contains(one)) {
        others.computeIfAbsent(one.gang().namespace(), _ -> new ArrayList<>()).add(one);
      }
    }
    if (!others.isEmpty()) {
      VictimSearchPacing pacing = state.preemptions().pacing();
      String namespace =
          Optional.ofNullable(others.higherKey(pacing.turn())).orElseGet(others::firstKey);
      Due next = next(others.getOrDefault(namespace, List.of()), pacing.turns().get(namespace));
      sought.add(next);
      state = state.with(pacing.turnOf(namespace, next.key(), others.keySet()));
    }
    return sought;
  }

  /// Returns the next one after the last class, in the order of the classes.
  private static Due next(List<Due> classes, Optional<WaitClass.Key> last) {
    return classes.stream()
        .filter(one -> last.filter(key -> one.key().compareTo(key) <= 0).isEmpty())
        .findFirst()
        .orElseGet(classes::getFirst);
  }

  /// A gang that is the first of its class with a search due.
  private record Due(WaitClass.Key key, Rank rank) {
    GangId gang() {
      return rank.gang();
    }
  }

  /// Returns the first due gang of each class, in the order of the classes. If no running gang has
  /// a lower priority, no search can succeed, and only an event changes that.
  private List<Due> due() {
    List<Due> due = new ArrayList<>();
    boolean queues = !policies.queues().byName().isEmpty(); // a guarantee ignores priority
    int lowest = queues || state.waiting().classes().isEmpty() ? Integer.MAX_VALUE : lowest();
    for (WaitClass waits : state.waiting().classes()) {
      if ((queues || waits.key().priority() > lowest) && mayPreempt(waits)) {
        waits
            .gangs()
            .first(this::isDue)
            .map(gang -> policies.order().rank(state.cluster(), state.cluster().gang(gang)))
            .ifPresent(rank -> due.add(new Due(waits.key(), rank)));
      }
    }
    return due;
  }

  /// True if gangs may be preempted for those of the class. A gang that has its minimum grows
  /// within the guarantee of its queue.
  private boolean mayPreempt(WaitClass waits) {
    boolean guaranteed =
        policies
            .queues()
            .find(waits.key().queue())
            .filter(queue -> !queue.guaranteed().isNone())
            .isPresent();
    return waits.needsVictims() && (guaranteed || state.lacksMembers(waits.first()));
  }

  /// True if victims may be searched for the gang. A gang that is a victim itself has none.
  private boolean isDue(GangId gang) {
    return !state.preemptions().underWay().contains(gang)
        && !state.preemptions().victims().contains(gang)
        && !state.preemptions().again().contains(gang, at -> at.isAfter(now()));
  }

  /// Returns the lowest priority of all running gangs.
  private int lowest() {
    int lowest = Integer.MAX_VALUE;
    for (Gang gang : state.cluster().gangs()) {
      lowest = gang.boundCount() > 0 ? Math.min(lowest, policies.priority(gang)) : lowest;
    }
    return lowest;
  }

  private void lookAgain(GangId gang, Duration after) {
    state = state.with(state.preemptions().lookingAgain(gang, now().plus(after)));
  }

  private void search(Gang gang) {
    Duration cooldown = policies.preemption().limits().cooldown();
    lookAgain(gang.id(), cooldown);
    switch (PreemptionOutcome.of(PreemptingGang.forms(state, gang, policies))) {
      case PreemptionOutcome.Early(Optional<Duration> rest) ->
          lookAgain(gang.id(), rest.orElse(cooldown));
      case PreemptionOutcome.Fits _ -> lookAgain(gang.id(), SOON);
      case PreemptionOutcome.Plan(PreemptingGang preemptor, PreemptionPlan plan) ->
          decide(preemptor, plan);
      case PreemptionOutcome.Complete _,
          PreemptionOutcome.Declined _,
          PreemptionOutcome.TooMany _,
          PreemptionOutcome.NoVictims _ -> {}
    }
  }

  // ---- Decision ----

  private void decide(PreemptingGang preemptor, PreemptionPlan plan) {
    GangId gang = preemptor.gang().id();
    boolean enforced = policies.preemption().mode() == Mode.ENFORCE;
    SortedTable<GangId, Stop> stops = SortedTable.empty();
    List<Victim> victims = new ArrayList<>();
    for (VictimCandidate candidate : plan.victims()) {
      Victim victim = candidate.victim();
      victims.add(victim);
      stops = stops.with(victim.gang(), Stop.of(candidate));
    }
    if (enforced) {
      Hold hold = preemptor.hold(plan.placement(), stops);
      takeOver(hold, stops);
      state = state.with(state.cluster().with(hold));
      Preemption preemption = Preemption.of(gang, stops, now());
      state = state.with(state.preemptions().with(preemption));
    }
    Explanation why = state.why(gang).orElseThrow();
    List<NodeId> nodes =
        plan.placement().assignments().stream().map(Assignment::node).sorted().distinct().toList();
    result.add(
        new Decision.Preempt(
            gang, victims, nodes, enforced, policies.preemption().revision(), why));
  }

  /// Cancels plans that this one replaces, before victims leave for them needlessly.
  ///
  /// These are plans for lower gangs with shared victims or capacity, and plans for the victims
  /// themselves.
  private void takeOver(Hold hold, SortedTable<GangId, Stop> stops) {
    for (Preemption other : state.preemptions().underWay()) {
      boolean shares = stops.keys().stream().anyMatch(other.stops()::contains);
      boolean loses = state.cluster().holds().contains(other.gang(), h -> collide(hold, h));
      boolean stopped = stops.contains(other.gang());
      if (!other.over() && (stopped || (!other.evicting() && (shares || loses)))) {
        state = state.callingOff(other, other.begun());
        lookAgain(other.gang(), SOON);
      }
    }
  }

  /// True if some node cannot give both shares.
  private boolean collide(Hold one, Hold other) {
    for (NodeId id : one.shares().keys()) {
      Optional<Hold.Share> both =
          other.shares().get(id).map(one.shares().get(id).orElseThrow()::and);
      Optional<NodeState> node = state.cluster().nodes().get(id);
      if (both.isPresent()
          && node.filter(n -> n.capacityFor(both.get()).covers(both.get().needs().resources()))
              .isEmpty()) {
        return true;
      }
    }
    return false;
  }
}
