package dev.muster.core.preempt;

import dev.muster.core.admission.GuaranteeUse;
import dev.muster.core.admission.GuaranteeUse.Leaving;
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
import dev.muster.core.victims.QuotaShortage;
import dev.muster.core.victims.VictimCandidate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.function.Predicate;

/// A preempting gang is a waiting gang that needs the capacity of victims, in the engine's state.
///
/// @param state the state
/// @param policies the configuration
/// @param gang the gang
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
  /// Returns the gang in the form in which all these victims may leave for it; else in its first
  /// form.
  static PreemptingGang of(State state, Policies policies, Preemption preemption) {
    List<PreemptingGang> forms = forms(state, state.cluster().gang(preemption.gang()), policies);
    return forms.stream()
        .filter(form -> !preemption.stops().any(form::spares))
        .findFirst()
        .orElse(forms.getFirst());
  }

  /// True if running members of the victim must stay.
  private boolean spares(Stop stop) {
    List<Member> bound =
        state.cluster().members(stop.victim()).stream().filter(Member::isBound).toList();
    return !bound.isEmpty() && eligibility.ruled(stop, bound).isEmpty();
  }

  public static PreemptingGang of(State state, Gang gang, Policies policies) {
    return forms(state, gang, policies).getFirst();
  }

  /// Returns the gang in each form in which victims may be searched for it, the first form first.
  ///
  /// A gang within the guarantee of its queue has one form. A gang that borrows has a second form
  /// if it would be within the guarantee without gangs of its own queue that leave for it. A gang
  /// that has its minimum asks for as many members as its queue is still guaranteed, then for
  /// fewer.
  static List<PreemptingGang> forms(State state, Gang gang, Policies policies) {
    Cluster image = VisibleCapacity.of(state, gang, policies.order()).image();
    for (Map.Entry<MemberId, GangId> pod : leaving(state, SortedTable.empty()).entrySet()) {
      image = WhatIf.without(image, pod.getValue(), List.of(pod.getKey()));
    }
    GangProfiles profiles =
        new GangProfiles(state, policies, accounts(state, gang, policies, image));
    Form form = new Form(state, gang, policies, image, profiles);
    return state.cluster().lacking(gang) > 0 ? form.starting() : form.growing();
  }

  /// Returns the image without victims of other preemptions that this gang cannot take over. They
  /// still run, but their queues do not lend their GPUs twice.
  private static Cluster accounts(State state, Gang gang, Policies policies, Cluster image) {
    Cluster accounts = image;
    for (Preemption other : state.preemptions().underWay()) {
      boolean above =
          policies.priority(state.cluster().gang(other.gang())) >= policies.priority(gang);
      if (above && !other.over() && !other.evicting() && !other.gang().equals(gang.id())) {
        for (Stop stop : other.stops()) {
          accounts =
              WhatIf.without(accounts, stop.victim().gang(), stop.victim().members().asList());
        }
      }
    }
    return accounts;
  }

  /// A form is one way in which a gang asks for capacity.
  private record Form(
      State state, Gang gang, Policies policies, Cluster image, GangProfiles profiles) {
    List<PreemptingGang> starting() {
      List<Member> members = PendingMembers.needed(state.cluster(), gang);
      boolean borrows = !covers(members, Leaving.NONE);
      List<PreemptingGang> forms = new ArrayList<>(List.of(form(members, borrows, false)));
      if (borrows && covers(members, this::lower)) {
        forms.add(form(members, false, false));
      }
      return forms;
    }

    List<PreemptingGang> growing() {
      List<Member> wanting = PendingMembers.of(state.cluster(), gang);
      List<PreemptingGang> forms = new ArrayList<>();
      Optional<Hold> hold = state.cluster().holds().get(gang.id());
      boolean free =
          !state.broken().contains(gang.id()) && hold.filter(h -> !h.isVacated()).isEmpty();
      int size = free ? wanting.size() : 0;
      while (size > 0) {
        List<Member> members = wanting.subList(0, size);
        boolean covered = covers(members, Leaving.NONE);
        if (covered) {
          forms.add(form(members, false, true));
        }
        size = covered ? size / 2 : size - 1;
      }
      return forms.isEmpty() ? List.of(form(List.of(), true, true)) : forms;
    }

    private boolean covers(List<Member> members, Leaving leaving) {
      return profiles.guarantees().covers(gang, GangProfiles.gpus(members), leaving);
    }

    /// Returns the GPUs of running gangs of the queue that have a lower priority.
    private int lower(Predicate<String> model) {
      int gpus = 0;
      for (Gang other : image.gangs()) {
        boolean lower =
            other.queue().equals(gang.queue())
                && policies.priority(other) < policies.priority(gang);
        gpus += lower ? image.ledger().inUse(other.id(), model) : 0;
      }
      return gpus;
    }

    private PreemptingGang form(List<Member> members, boolean borrows, boolean grows) {
      GangProfile profile = profiles.asking(gang, members, borrows);
      return new PreemptingGang(
          state,
          policies,
          gang,
          members,
          image,
          profile,
          new VictimEligibility(state, policies, profile, profiles, grows));
    }
  }

  /// Returns the pods that are leaving or about to leave, with their gangs. They are pods being
  /// deleted that soon end, pods of victims being evicted, and pods of these victims.
  static SortedMap<MemberId, GangId> leaving(State state, SortedTable<GangId, Stop> stops) {
    TreeMap<MemberId, GangId> leaving = new TreeMap<>();
    for (Gang gang : state.cluster().gangs()) {
      if (gang.leavingCount() > 0) {
        for (Member member : gang.active()) {
          if (OverduePods.isExpected(state.cluster(), member)) {
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
    return new Hold(gang.id(), kind(stops), Optional.empty(), state.cluster().now(), shares);
  }

  private Hold.Kind kind(SortedTable<GangId, Stop> stops) {
    if (!profile.borrows()) {
      return Hold.Kind.RECLAIMING;
    }
    Cluster after = image;
    for (Stop stop : stops) {
      after = WhatIf.without(after, stop.victim().gang(), stop.victim().members().asList());
    }
    boolean guaranteed = new GuaranteeUse(policies.queues(), after).covers(gang, 1, Leaving.NONE);
    return guaranteed ? Hold.Kind.EXCEEDING : Hold.Kind.VACATING;
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
    return GangAttempt.place(cluster, policies.quota().narrowed(cluster, gang), members, policies);
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

  @Override
  public List<VictimCandidate> ownCandidates() {
    List<VictimCandidate> candidates = new ArrayList<>();
    for (Gang other : image.gangs()) {
      if (other.boundCount() > 0 && other.queue().equals(gang.queue())) {
        candidates.addAll(candidates(other.id()));
      }
    }
    return candidates;
  }

  @Override
  public Optional<List<QuotaShortage>> shortages(SortedSet<String> models) {
    int gpus = members.stream().mapToInt(member -> member.request().gpus()).sum();
    return policies.quota().shortages(image, gang, models, gpus);
  }

  @Override
  public OptionalInt shortfall(Collection<VictimCandidate> victims) {
    return eligibility.shortfall(victims);
  }
}
