package dev.muster.core.preempt;

import dev.muster.core.cluster.Gang;
import dev.muster.core.gang.GangId;
import dev.muster.core.node.Placement;
import dev.muster.core.placement.request.SearchResult;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.core.victims.PreemptionPlan;
import dev.muster.core.victims.VictimSearch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A preemption outcome is the result of a victim search for a waiting gang at this time.
public sealed interface PreemptionOutcome {
  /// None of its members wants a node.
  record Complete() implements PreemptionOutcome {}

  /// The gang forbids preemption of other gangs for it.
  record Declined() implements PreemptionOutcome {}

  /// The policy makes the gang wait longer.
  ///
  /// @param rest remaining wait; absent: the policy cannot say
  record Early(Optional<Duration> rest) implements PreemptionOutcome {}

  /// The gang fits without victims.
  record Fits(Placement placement) implements PreemptionOutcome {}

  /// A plan with the victims that leave for the gang.
  ///
  /// @param preemptor the gang in the form for which victims were found
  record Plan(PreemptingGang preemptor, PreemptionPlan plan) implements PreemptionOutcome {}

  /// The plan has more victims than the hourly limit permits.
  ///
  /// @param left number of gangs that may still be preempted
  record TooMany(PreemptionPlan plan, int left) implements PreemptionOutcome {}

  /// No permitted victims were found that free enough capacity.
  record NoVictims() implements PreemptionOutcome {}

  /// Returns the gangs that wait for capacity or quota, in order of name: victims may be searched
  /// for these.
  static List<GangId> waiting(State state) {
    List<GangId> waiting = new ArrayList<>();
    for (Gang gang : state.cluster().gangs()) {
      if (state.waitsForVictims(gang.id())) {
        waiting.add(gang.id());
      }
    }
    return waiting;
  }

  /// Searches victims as the engine does, and decides nothing.
  static PreemptionOutcome of(State state, Policies policies, GangId gang) {
    State now = state.with(state.preemptions().at(state.cluster().now(), state.cluster()));
    return of(PreemptingGang.forms(now, state.cluster().gang(gang), policies));
  }

  /// Returns the outcome for a gang: that of its first form with victims, else that of its last
  /// form.
  static PreemptionOutcome of(List<PreemptingGang> forms) {
    PreemptionOutcome first = of(forms.getFirst());
    for (PreemptingGang other : forms.subList(1, forms.size())) {
      if (!(first instanceof NoVictims)) {
        return first;
      }
      first = of(other);
    }
    return first;
  }

  private static PreemptionOutcome of(PreemptingGang preemptor) {
    if (preemptor.members().isEmpty()) {
      return new Complete();
    }
    if (!preemptor.gang().constraints().stopping().mayStopOthers()) {
      return new Declined();
    }
    var policy = preemptor.policies().preemption();
    Optional<Duration> delay = policy.delay(preemptor.profile());
    Optional<Duration> rest = delay.map(d -> d.minus(preemptor.profile().waited()));
    if (rest.isEmpty() || rest.get().isPositive()) {
      return new Early(rest);
    }
    if (preemptor.place(preemptor.image())
        instanceof SearchResult.Found(Placement placement, _, _)) {
      return new Fits(placement);
    }
    return VictimSearch.search(preemptor, policy)
        .map(plan -> within(preemptor, plan))
        .orElseGet(NoVictims::new);
  }

  private static PreemptionOutcome within(PreemptingGang preemptor, PreemptionPlan plan) {
    int left = preemptor.left(plan.victims());
    return plan.victims().size() > left ? new TooMany(plan, left) : new Plan(preemptor, plan);
  }
}
