package dev.muster.core.engine;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.WhatIf;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.cycle.GangAttempt;
import dev.muster.core.cycle.VisibleCapacity;
import dev.muster.core.decision.Hint;
import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.TopologyConstraint;
import dev.muster.core.node.Hold;
import dev.muster.core.placement.request.SearchCost;
import dev.muster.core.placement.request.SearchResult;
import dev.muster.core.state.PendingMembers;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// Start hints are the smallest changes that would start a waiting gang now.
///
/// Each hint is verified by a placement search. Hints answer queries; the engine itself does not
/// use them.
///
/// If the end of one running gang would be enough, the hint names the gang that is expected to end
/// first, else the smallest.
///
/// A query must not cost more where the cluster is larger, or callers could keep all processors
/// busy. So the searches together take at most [#STEPS], and at most [#TRIED] gangs are tried. The
/// last hint tells if this was not enough.
///
/// *Example:* on 12,500 nodes, 39 searches are made for a gang of 16 members.
public final class StartHints {
  /// The most steps of all searches: nodes and members that they look at.
  static final int STEPS = 500_000;

  /// The steps of a [SearchCost] that take as long as one step here.
  private static final int COST_OF_A_STEP = 500;

  /// The most running gangs without which the gang is tried.
  static final int TRIED = 200;

  private final State state;
  private final Policies policies;
  private final Gang gang;
  private final Cluster image;
  private final List<Member> members;
  private final long cost;
  private int left;
  private int searches;
  private boolean cut;

  private StartHints(State state, Gang gang, Policies policies, int steps) {
    this.left = steps;
    this.state = state;
    this.policies = policies;
    this.gang = gang;
    this.image = VisibleCapacity.of(state, gang, policies.order()).image();
    this.members = PendingMembers.needed(state.cluster(), gang);
    this.cost = SearchCost.of(members, state.cluster().nodes().size());
  }

  /// Returns the changes that would start the gang now, least intrusive first. There are none if
  /// the gang waits for neither capacity nor quota.
  public static List<Hint> of(State state, GangId id, Policies policies) {
    return of(state, id, policies, STEPS);
  }

  static List<Hint> of(State state, GangId id, Policies policies, int steps) {
    Gang gang = state.cluster().gang(id);
    if (gang.spec().isEmpty() || state.waiting().classOf(id).isEmpty()) {
      return List.of();
    }
    StartHints search = new StartHints(state, gang, policies, steps);
    List<Hint> hints = new ArrayList<>();
    search.endWithin().ifPresent(hints::add);
    search.prefer().ifPresent(hints::add);
    search.models().ifPresent(hints::add);
    search.fewer().ifPresent(hints::add);
    search.leave().ifPresent(hints::add);
    if (search.cut) {
      hints.add(new Hint.NotComputed(search.searches));
    }
    return hints;
  }

  /// True if steps are left for a search of these members, which are then taken.
  ///
  /// @param changes holds and pods that the image of the search lacks
  private boolean mayTry(int members, int changes) {
    long steps = state.cluster().nodes().size() + members + changes + cost / COST_OF_A_STEP;
    cut |= searches > 0 && left < steps;
    if (cut) {
      return false;
    }
    left -= (int) Math.min(left, steps);
    searches++;
    return true;
  }

  /// True if the members have a placement that the gang's queue permits.
  private boolean fits(Cluster cluster, Gang gang, List<Member> members) {
    Gang narrowed = policies.quota().narrowed(cluster, gang);
    return state.with(cluster).veto(gang, policies).isEmpty()
        && GangAttempt.place(cluster, narrowed, members, policies) instanceof SearchResult.Found;
  }

  // ---- Changes of the gang ----

  /// True if the gang would fit with these constraints. The constraints of its pods are ignored,
  /// because they would count wherever these state none.
  private boolean wishing(GangConstraints other) {
    GangSpec spec = gang.spec().orElseThrow().wishing(other);
    SortedTable<MemberId, Member> silent = gang.members();
    for (Member member : gang.members()) {
      silent = silent.with(member.id(), member.wishing(GangConstraints.NONE));
    }
    return mayTry(members.size(), 0)
        && fits(image, new Gang(gang.id(), Optional.of(spec), silent), members);
  }

  private Optional<Hint> prefer() {
    GangConstraints constraints = gang.constraints();
    TopologyConstraint topology = constraints.topology();
    TopologyConstraint softer =
        new TopologyConstraint(
            Optional.empty(), topology.required(), topology.slices(), topology.layout());
    return topology
        .required()
        .filter(
            _ -> wishing(new GangConstraints(softer, constraints.gpus(), constraints.runtime())))
        .map(Hint.Prefer::new);
  }

  private Optional<Hint> models() {
    GangConstraints constraints = gang.constraints();
    GpuModelPreference choice = constraints.gpus();
    GpuModelPreference mixed = new GpuModelPreference(choice.models(), true);
    if (!choice.models().isEmpty()
        && wishing(
            new GangConstraints(
                constraints.topology(), GpuModelPreference.ANY, constraints.runtime()))) {
      return Optional.of(new Hint.AnyModel());
    }
    return !choice.mixed()
            && wishing(new GangConstraints(constraints.topology(), mixed, constraints.runtime()))
        ? Optional.of(new Hint.Mix())
        : Optional.empty();
  }

  /// Finds the largest number of members that fit, by bisection: fewer members always fit where
  /// more do.
  private Optional<Hint> fewer() {
    int fit = 0;
    int over = members.size();
    while (over - fit > 1) {
      int middle = (fit + over) >>> 1;
      if (!mayTry(middle, 0)) {
        break; // the number found so far does fit
      }
      boolean fits = fits(image, starting(middle), members.subList(0, middle));
      fit = fits ? middle : fit;
      over = fits ? over : middle;
    }
    return fit > 0 ? Optional.of(new Hint.Fewer(fit)) : Optional.empty();
  }

  /// Returns the gang with a smaller minimum, so that it needs only this many members now.
  private Gang starting(int needed) {
    GangSpec spec = gang.spec().orElseThrow();
    int least = Math.max(1, spec.minCount() - (members.size() - needed));
    return new Gang(gang.id(), Optional.of(spec.starting(least)), gang.members());
  }

  // ---- Changes of other gangs ----

  /// Finds the longest runtime with which the gang would end before a plan needs its capacity.
  private Optional<Hint> endWithin() {
    List<Instant> starts = new ArrayList<>();
    for (Hold hold : state.cluster().holds()) {
      hold.promised().ifPresent(starts::add);
    }
    starts.sort(Comparator.reverseOrder());
    for (Instant start : starts) {
      if (!mayTry(members.size(), state.cluster().holds().size())) {
        return Optional.empty();
      }
      Cluster open = state.cluster();
      for (Hold hold : open.holds()) {
        open = hold.lets(Optional.of(start)) ? open.withoutHold(hold.gang()) : open;
      }
      if (start.isAfter(open.now()) && fits(open, gang, members)) {
        return Optional.of(new Hint.EndWithin(Duration.between(open.now(), start)));
      }
    }
    return Optional.empty();
  }

  /// A running gang that may end.
  private record Running(Gang gang, Optional<Instant> end) {
    private static final Comparator<Running> ENDS_FIRST =
        Comparator.comparing((Running one) -> one.end.orElse(Instant.MAX))
            .thenComparingInt(one -> one.gang.boundCount())
            .thenComparing(one -> one.gang.id());
  }

  private Optional<Hint> leave() {
    List<Running> running = new ArrayList<>();
    for (Gang other : state.cluster().gangs()) {
      if (other.boundCount() > 0 && !other.id().equals(gang.id())) {
        running.add(new Running(other, end(other)));
      }
    }
    running.sort(Running.ENDS_FIRST);
    for (Running other : running.subList(0, Math.min(TRIED, running.size()))) {
      if (!mayTry(members.size(), other.gang.boundCount())) {
        return Optional.empty();
      }
      if (fits(without(other.gang), gang, members)) {
        return Optional.of(new Hint.Leave(other.gang.id(), other.end));
      }
    }
    cut |= running.size() > TRIED;
    return Optional.empty();
  }

  private Optional<Instant> end(Gang other) {
    return state.history().end(other, state.cluster().now());
  }

  private Cluster without(Gang other) {
    List<MemberId> bound = other.bound().stream().map(Member::id).toList();
    return WhatIf.without(image, other.id(), bound);
  }
}
