package dev.muster.core.engine;

import dev.muster.core.admission.AdmissionGate;
import dev.muster.core.cluster.Assignment;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.Placement;
import dev.muster.core.cluster.Promise;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.decision.Decision;
import dev.muster.core.decision.Explanation;
import dev.muster.core.fit.Remedy;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.NodeId;
import dev.muster.core.placement.PlacementSearch;
import dev.muster.core.placement.SearchResult;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// One gang's turn: its members that wait without a promise are placed, all or none, or told why
/// not.
///
/// A gang that has not started needs as many places at once as it lacks to its minimum; it takes
/// places for all its members if there are. Once it has its minimum, further members are taken as
/// there is room. A gang that is starting and lost part of its plan is moved: the lost part alone,
/// near the rest, or if that cannot be and none of its pods is bound yet, the whole plan.
///
/// @param after the state after the turn
/// @param decision what was decided; empty when nothing waits
record Attempt(State after, Optional<Decision> decision) {
  static Attempt of(GangId id, State state, Policies policies) {
    Gang gang = state.cluster().gang(id);
    List<Member> waiting = unpromised(state.cluster(), gang);
    if (state.cluster().reservations().get(id).filter(Reservation::releasing).isPresent()) {
      return new Attempt(state, Optional.empty()); // its mates must leave first
    }
    if (waiting.isEmpty()) {
      return new Attempt(state.settled(id), Optional.empty());
    }
    for (AdmissionGate gate : policies.gates()) {
      Optional<Veto> veto = gate.veto(state.cluster(), gang);
      if (veto.isPresent()) {
        return stand(state, id, Explanation.of(state.cluster(), veto.get()));
      }
    }
    return place(state, gang, waiting, policies);
  }

  private static Attempt place(State state, Gang gang, List<Member> waiting, Policies policies) {
    Cluster cluster = state.cluster();
    SearchResult result = search(cluster, gang, waiting);
    if (result instanceof SearchResult.NotFound && canMoveWhole(cluster, gang)) {
      State unplanned = state.with(unplanned(cluster, gang.id()));
      return switch (search(unplanned.cluster(), gang, gang.waiting())) {
        case SearchResult.Found whole -> settle(unplanned, gang, whole, policies);
        case SearchResult.NotFound lost -> released(unplanned, gang, lost);
      };
    }
    return settle(state, gang, result, policies);
  }

  private static Attempt settle(State state, Gang gang, SearchResult result, Policies policies) {
    return switch (result) {
      case SearchResult.Found(Placement placement, _, _) -> {
        Explanation why = why(state.cluster(), result, Optional.empty());
        State reserved =
            state.with(reserved(state.cluster(), gang, placement, policies)).settled(gang.id());
        yield new Attempt(reserved, Optional.of(new Decision.Admit(gang.id(), placement, why)));
      }
      case SearchResult.NotFound(Veto main, _, _) ->
          stand(state, gang.id(), why(state.cluster(), result, Optional.of(main)));
    };
  }

  // ---- How many to place ----

  private static List<Member> unpromised(Cluster cluster, Gang gang) {
    return gang.waiting().stream().filter(member -> cluster.promise(member).isEmpty()).toList();
  }

  /// Places for all that wait; else for what is lacking to the minimum; else, for a gang that has
  /// its minimum, for as many as there is room.
  private static SearchResult search(Cluster cluster, Gang gang, List<Member> waiting) {
    SortedTable<NodeId, NodeId> shunned =
        cluster.reservations().get(gang.id()).map(Reservation::shunned).orElse(SortedTable.empty());
    SearchResult all = PlacementSearch.search(cluster, gang, waiting, shunned);
    int lacking = lacking(cluster, gang);
    int size = waiting.size();
    SearchResult result = all;
    while (result instanceof SearchResult.NotFound && size > Math.max(1, lacking)) {
      size = Math.max(Math.max(1, lacking), size / 2);
      result = PlacementSearch.search(cluster, gang, waiting.subList(0, size), shunned);
    }
    return result;
  }

  /// How many members the gang lacks to its minimum, over those that run, are done or have a
  /// promise.
  private static int lacking(Cluster cluster, Gang gang) {
    int promised = cluster.reservations().get(gang.id()).map(r -> r.promises().size()).orElse(0);
    int done = gang.boundCount() + gang.members().count(Member::hasSucceeded);
    return gang.spec().map(GangSpec::minCount).orElse(0) - promised - done;
  }

  // ---- The plan that was lost ----

  private static boolean canMoveWhole(Cluster cluster, Gang gang) {
    return cluster.reservations().contains(gang.id())
        && gang.boundCount() == 0
        && lacking(cluster, gang) > 0;
  }

  /// The gang's promises are free for it to choose anew; its time runs on and the nodes that
  /// refused it stay shunned, lest the same plan be made for ever.
  private static Cluster unplanned(Cluster cluster, GangId gang) {
    return cluster.with(cluster.reservations().get(gang).orElseThrow().unplanned());
  }

  private static Attempt released(State state, Gang gang, SearchResult.NotFound result) {
    Explanation why = why(state.cluster(), result, Optional.of(result.main()));
    Decision release = new Decision.Release(gang.id(), List.of(), why);
    State ended = state.with(state.cluster().without(gang.id()));
    return new Attempt(ended.with(release), Optional.of(release));
  }

  // ---- What is decided ----

  private static Cluster reserved(
      Cluster cluster, Gang gang, Placement placement, Policies policies) {
    Duration time = gang.spec().flatMap(GangSpec::bindTimeout).orElse(policies.bindTimeout());
    Reservation reservation =
        cluster.reservations().get(gang.id()).orElseGet(() -> opened(cluster, gang, time));
    for (Assignment assignment : placement.assignments()) {
      reservation =
          reservation.with(
              Promise.keep(assignment.member().id(), assignment.node(), cluster.now()));
    }
    return cluster.with(reservation.replanned(cluster.now()));
  }

  /// A gang with bound members and no reservation ran whole before.
  private static Reservation opened(Cluster cluster, Gang gang, Duration time) {
    Reservation reservation = Reservation.open(gang.id(), cluster.now(), cluster.now().plus(time));
    return gang.boundCount() > 0 ? reservation.ofRunning() : reservation;
  }

  private static Attempt stand(State state, GangId gang, Explanation why) {
    boolean never = why.main().map(Veto::remedy).filter(Remedy.NEVER::equals).isPresent();
    Decision decision = never ? new Decision.Reject(gang, why) : new Decision.Wait(gang, why);
    boolean old = state.standing().get(gang).flatMap(d -> d.why().main()).equals(why.main());
    return new Attempt(state.with(decision), old ? Optional.empty() : Optional.of(decision));
  }

  private static Explanation why(Cluster cluster, SearchResult result, Optional<Veto> main) {
    return new Explanation(
        cluster.version(), cluster.now(), result.nodes(), main, result.tally().counts());
  }
}
