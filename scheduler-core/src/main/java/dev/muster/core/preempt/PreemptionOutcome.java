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

/// What comes of a waiting gang if somebody is to be stopped for it now.
public sealed interface PreemptionOutcome {
  /// None of its members wants a node.
  record Complete() implements PreemptionOutcome {}

  /// Its owner wants nobody stopped for it.
  record Declined() implements PreemptionOutcome {}

  /// The policy lets it wait longer.
  ///
  /// @param rest how much longer; absent: the policy cannot say
  record Early(Optional<Duration> rest) implements PreemptionOutcome {}

  /// It fits as it is.
  record Fits(Placement placement) implements PreemptionOutcome {}

  /// These leave for it.
  record Plan(PreemptionPlan plan) implements PreemptionOutcome {}

  /// More would have to leave than may be stopped in an hour.
  ///
  /// @param left so many may still be stopped
  record TooMany(PreemptionPlan plan, int left) implements PreemptionOutcome {}

  /// Nobody who may be stopped makes room, as far as was looked.
  record Nobody() implements PreemptionOutcome {}

  /// The gangs that wait for room, in order of name: for these somebody may be stopped.
  static List<GangId> waiting(State state) {
    List<GangId> waiting = new ArrayList<>();
    for (Gang gang : state.cluster().gangs()) {
      if (state.waitsForRoom(gang.id())) {
        waiting.add(gang.id());
      }
    }
    return waiting;
  }

  /// Looks for victims as the engine does at its turn, and decides nothing.
  static PreemptionOutcome of(State state, Policies policies, GangId gang) {
    State now = state.with(state.preemptions().at(state.cluster().now(), state.cluster()));
    return of(PreemptingGang.of(now, state.cluster().gang(gang), policies));
  }

  /// The prospect of this gang in its state.
  static PreemptionOutcome of(PreemptingGang preemptor) {
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
        .orElseGet(Nobody::new);
  }

  private static PreemptionOutcome within(PreemptingGang preemptor, PreemptionPlan plan) {
    int left = preemptor.left(plan.victims());
    return plan.victims().size() > left ? new TooMany(plan, left) : new Plan(plan);
  }
}
