package dev.muster.core.preempt;

import dev.muster.core.admission.QuotaGate;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.WhatIf;
import dev.muster.core.collect.SortedKeys;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.cycle.GangAttempt;
import dev.muster.core.cycle.VisibleCapacity;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.Hold;
import dev.muster.core.node.Placement;
import dev.muster.core.placement.request.SearchResult;
import dev.muster.core.state.PendingMembers;
import dev.muster.core.state.Policies;
import dev.muster.core.state.Preemption;
import dev.muster.core.state.Preemption.Stop;
import dev.muster.core.state.State;
import dev.muster.core.victims.GangProfile;
import dev.muster.core.victims.PreemptionPlan;
import dev.muster.core.victims.Preemptor;
import dev.muster.core.victims.VictimCandidate;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/// A preempting gang is a waiting gang that needs the capacity of victims, in the engine's state.
///
/// @param state the state
/// @param policies the configuration
/// @param gang the gang, limited to models of which its queue may use more
/// @param members members that must start, in rank order
/// @param image the cluster that it may use, without pods that are leaving
/// @param profile the gang as the policy sees it
/// @param eligibility states which gangs may leave for it
public record PreemptingGang(
    State state,
    Policies policies,
    Gang gang,
    List<Member> members,
    Cluster image,
    GangProfile profile,
    VictimEligibility eligibility)
    implements Preemptor {
  public static PreemptingGang of(State state, Gang gang, Policies policies) {
    List<Member> members = PendingMembers.needed(state.cluster(), gang);
    Cluster image = VisibleCapacity.of(state, gang, policies.order()).image();
    for (Map.Entry<MemberId, GangId> pod : leaving(state, SortedTable.empty()).entrySet()) {
      image = WhatIf.without(image, pod.getValue(), List.of(pod.getKey()));
    }
    GangProfiles profiles = new GangProfiles(state, policies);
    GangProfile profile = profiles.asking(gang, members);
    return new PreemptingGang(
        state,
        policies,
        policies.quota().narrowed(state.cluster(), gang),
        members,
        image,
        profile,
        new VictimEligibility(state, policies, profile, profiles));
  }

  /// Returns the pods that are leaving or about to leave, with their gangs. They are pods being
  /// deleted that are not overdue, pods of victims being evicted, and pods of these victims.
  static SortedMap<MemberId, GangId> leaving(State state, SortedTable<GangId, Stop> stops) {
    TreeMap<MemberId, GangId> leaving = new TreeMap<>();
    for (Gang gang : state.cluster().gangs()) {
      if (gang.leavingCount() > 0) {
        for (Member member : gang.members()) {
          if (member.state() instanceof MemberState.Leaving
              && member.node().isPresent()
              && !OverduePods.contain(state.cluster(), member)) {
            leaving.put(member.id(), gang.id());
          }
        }
      }
    }
    for (Preemption preemption : state.preemptions().underWay()) {
      if (preemption.evicting()) {
        preemption.stops().forEach(stop -> add(stop, leaving));
      }
    }
    stops.forEach(stop -> add(stop, leaving));
    return leaving;
  }

  private static void add(Stop stop, SortedMap<MemberId, GangId> leaving) {
    stop.victim().members().forEach(pod -> leaving.put(pod, stop.victim().gang()));
  }

  /// Returns the hold that keeps the capacity of the placement for the gang until these victims are
  /// gone.
  Hold hold(Placement placement, SortedTable<GangId, Stop> stops) {
    Set<MemberId> leaving = leaving(state, stops).keySet();
    SortedTable<NodeId, Hold.Share> shares =
        Hold.shares(placement, node -> leavingPods(node, leaving));
    Hold.Kind kind = profile.borrows() ? Hold.Kind.VACATING : Hold.Kind.RECLAIMING;
    return new Hold(gang.id(), kind, Optional.empty(), state.cluster().now(), shares);
  }

  /// Returns the pods on the node that will leave it.
  private SortedKeys<MemberId> leavingPods(NodeId id, Set<MemberId> leaving) {
    SortedKeys<MemberId> leavers = SortedKeys.empty();
    List<MemberId> there =
        state.cluster().nodes().get(id).map(node -> node.occupants().keys()).orElse(List.of());
    for (MemberId pod : there) {
      leavers = leaving.contains(pod) ? leavers.with(pod) : leavers;
    }
    return leavers;
  }

  @Override
  public SearchResult place(Cluster cluster) {
    return GangAttempt.place(cluster, gang, members, policies);
  }

  @Override
  public boolean mayTake(PreemptionPlan plan) {
    if (policies.quota().isOpen()) {
      return true;
    }
    Cluster after = image;
    for (VictimCandidate victim : plan.victims()) {
      for (MemberId pod : victim.members()) {
        Member left = after.gang(victim.gang()).members().get(pod).orElseThrow();
        Member again = left.as(new MemberState.Held(false));
        after = after.apply(new Event.MemberSeen(after.now(), again));
      }
    }
    QuotaGate gate = policies.quota();
    return gate.veto(after, gang).isEmpty() && gate.veto(after, gang, plan.placement()).isEmpty();
  }

  @Override
  public int left(Collection<VictimCandidate> victims) {
    int perHour = policies.preemption().limits().perHour();
    return state.preemptions().left(perHour, victims, state.cluster().now());
  }

  @Override
  public List<VictimCandidate> candidates(GangId running) {
    return eligibility.candidates(running);
  }
}
