package dev.muster.core.victims;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.WhatIf;
import dev.muster.core.fit.MemberRequirements;
import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.Placement;
import dev.muster.core.placement.request.SearchCost;
import dev.muster.core.placement.request.SearchResult;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// Finds victims for a gang that does not fit.
///
/// Goals: queues as little as possible below their guarantees, then the least [VictimCost], no
/// needless victim, and an answer in bounded time for clusters of any size. When the budget is
/// spent, the best plan found so far is returned.
///
/// Constraints: victims are whole gangs, or members that an elastic gang can spare. The policy
/// allows each victim. Without the victims the whole preemptor has a placement that meets all its
/// requirements, topology, GPU models and quota included.
///
/// Algorithm:
///
/// 1. Find [VictimScope]s: levels from the narrowest that could hold the gang to the one it
///    requires, and on each level the domains with the most free GPUs first. Of each domain take
///    the nodes with the most free GPUs that would take a member after all candidates have left.
///    Stop after [VictimScopeSearch#NODES] nodes. Domains too small for the gang even when empty
///    are skipped.
/// 2. For each scope, find a few sets of victims by counting alone. If quota is short there, gangs
///    of the preemptor's queue on any node are candidates too.
/// 3. Try the sets of all scopes in order: by the shortfall of guarantees, then by cost. The first
///    set for which the placement search finds a placement is taken. If there is none, try all
///    candidates of each scope, one scope after the other. Sets with more victims than allowed are
///    skipped. A set that only the hourly limit forbids is returned if there is no other.
/// 4. Reprieve each victim that has no member on the nodes of the placement. Then reprieve each
///    other victim, the most expensive first, if a placement still exists with it in place. Of
///    spare members, reprieve as many as possible.
///
/// Example: a gang of 4 members with 8 GPUs at priority 100. Nodes n1 to n4 run one gang of 4 x 8
/// GPUs with priority 0. Nodes n5 to n8 run eight gangs of 4 GPUs with priority 0. Either side
/// frees enough capacity. Stopping one gang costs less than stopping eight, so the gang on n1 to n4
/// is stopped.
///
/// Eight gangs of one GPU that run on n1 to n4, two on each node, are not stopped for a pod of 8
/// GPUs: it would still not fit without them.
public final class VictimSearch {
  /// Limit on the sets of victims beyond which further scopes give only a few each.
  private static final int SETS = 65_536;

  /// Limit on the sets of victims verified by a placement search. This limit and those below are
  /// lower if such a search costs much ([SearchCost]).
  private static final int TRIALS = 24;

  /// With more victims on the placement's nodes than this, none of them is tried for reprieve.
  private static final int REPRIEVED = 16;

  /// Limit on the placement searches for spare members that may stay.
  private static final int SPARED = 32;

  private final Preemptor preemptor;
  private final PreemptionPolicy policy;
  private final UnitDemand demand;

  /// The shortages of quota on the nodes of all scopes.
  private final Set<QuotaShortage> shortages = new LinkedHashSet<>();

  private final long cost;
  private int trialsLeft;

  /// Gangs that may be stopped within this hour, if all candidates are counted among them.
  private int most;

  /// The first plan that only the hourly limit forbids.
  private Optional<PreemptionPlan> later = Optional.empty();

  private VictimSearch(Preemptor preemptor, PreemptionPolicy policy) {
    this.preemptor = preemptor;
    this.policy = policy;
    this.cost = SearchCost.of(preemptor.members(), preemptor.image().nodes().size());
    this.trialsLeft = SearchCost.repeats(cost, TRIALS);
    GangConstraints constraints = preemptor.gang().constraints();
    List<MemberRequirements> asks =
        MemberRequirements.ofEach(preemptor.members(), constraints, preemptor.image().topology());
    this.demand =
        new UnitDemand(preemptor.members(), asks, VictimCost.nothing(policy.terms()).doubled());
  }

  /// Returns the victims for the preemptor, with its placement after they left.
  ///
  /// The result is empty if no allowed set of victims was found to free enough capacity. It exceeds
  /// the hourly limit only if no plan within the limit was found.
  public static Optional<PreemptionPlan> search(Preemptor preemptor, PreemptionPolicy policy) {
    return new VictimSearch(preemptor, policy).search();
  }

  private Optional<PreemptionPlan> search() {
    List<VictimScope> scopes = new VictimScopeSearch(preemptor, demand).scopes();
    List<VictimScope.VictimSet> ways = new ArrayList<>();
    most = preemptor.left(anybody(scopes));
    int few = most > 0 ? Math.min(most, policy.limits().victims()) : policy.limits().victims();
    for (VictimScope scope : scopes) {
      ways.addAll(scope.ways(few, ways.size() < SETS));
      shortages.addAll(scope.shortages());
    }
    ways.removeIf(way -> !way.isAllowed());
    ways.sort(VictimScope.VictimSet.ORDER);
    return first(ways).or(() -> first(allCandidates(scopes))).or(() -> later);
  }

  private static List<VictimCandidate> anybody(List<VictimScope> scopes) {
    return scopes.stream().flatMap(scope -> scope.allCandidates().who().stream()).toList();
  }

  /// Returns all candidates of each scope, for gangs for which counting is too coarse.
  private static List<VictimScope.VictimSet> allCandidates(List<VictimScope> scopes) {
    return scopes.stream().map(VictimScope::allCandidates).toList();
  }

  /// Returns the first plan that takes queues least below their guarantees.
  private Optional<PreemptionPlan> first(List<VictimScope.VictimSet> ways) {
    Set<List<VictimCandidate>> tried = new LinkedHashSet<>();
    Optional<PreemptionPlan> best = Optional.empty();
    int least = Integer.MAX_VALUE;
    for (VictimScope.VictimSet way : ways) {
      if (best.isPresent() && least <= way.shortfall()) {
        return best;
      }
      if (trialsLeft > 0 && !way.who().isEmpty() && tried.add(way.who())) {
        trialsLeft--;
        Optional<PreemptionPlan> plan = allowed(way);
        int shortfall =
            plan.map(found -> preemptor.shortfall(found.victims()).orElseThrow()).orElse(least);
        if (plan.isPresent() && shortfall < least && isWithinTheHour(plan.get())) {
          best = plan;
          least = shortfall;
        }
        later = later.or(() -> plan);
      }
      if (later.isPresent() && most <= 0) {
        return later; // no gang may be stopped in this hour
      }
    }
    return best;
  }

  private Optional<PreemptionPlan> allowed(VictimScope.VictimSet way) {
    return verified(way.who())
        .filter(plan -> preemptor.shortfall(plan.victims()).isPresent())
        .filter(this::isWithinLimits)
        .filter(preemptor::mayTake);
  }

  private boolean isWithinTheHour(PreemptionPlan plan) {
    return plan.victims().size() <= preemptor.left(plan.victims());
  }

  private boolean isWithinLimits(PreemptionPlan plan) {
    int gpus = plan.victims().stream().mapToInt(candidate -> candidate.profile().gpus()).sum();
    return plan.victims().size() <= policy.limits().victims()
        && gpus <= policy.limits().victimGpus();
  }

  // ---- Verified, without needless victims ----

  private Optional<PreemptionPlan> verified(List<VictimCandidate> leaving) {
    List<VictimCandidate> victims = withoutHalves(leaving);
    Cluster image = preemptor.image();
    for (VictimCandidate candidate : victims) {
      image = WhatIf.without(image, candidate.gang(), candidate.members());
    }
    Cluster left = image;
    return place(left).map(placement -> reprieved(victims, placement, left));
  }

  /// Drops the spare members of a gang that leaves as a whole.
  private static List<VictimCandidate> withoutHalves(List<VictimCandidate> leaving) {
    return leaving.stream()
        .filter(candidate ->
            !candidate.spare()
                || leaving.stream()
                    .noneMatch(other -> !other.spare() && other.gang().equals(candidate.gang())))
        .toList();
  }

  private Optional<Placement> place(Cluster image) {
    return switch (preemptor.place(image)) {
      case SearchResult.Found(Placement placement, _, _) -> Optional.of(placement);
      case SearchResult.NotFound _ -> Optional.empty();
    };
  }

  /// Returns the image with the candidate's members back in their places.
  private Cluster withBack(VictimCandidate candidate, Cluster image) {
    return WhatIf.with(image, candidate.gang(), candidate.members(), preemptor.image());
  }

  private boolean isOn(VictimCandidate candidate, Set<NodeId> nodes) {
    Gang gang = preemptor.image().gang(candidate.gang());
    return candidate.members().stream()
        .flatMap(pod -> gang.members().get(pod).stream())
        .flatMap(member -> member.node().stream())
        .anyMatch(nodes::contains);
  }

  /// True if the departure of the candidate gains quota for the preemptor.
  private boolean isForQuota(VictimCandidate candidate) {
    return shortages.stream()
        .anyMatch(shortage -> shortage.reducedBy(candidate, preemptor.image().ledger()) > 0);
  }

  /// @param victims candidates that would leave
  /// @param found placement without them
  /// @param without image without them
  private PreemptionPlan reprieved(
      List<VictimCandidate> victims, Placement found, Cluster without) {
    TreeSet<NodeId> nodes = new TreeSet<>();
    found.assignments().forEach(assignment -> nodes.add(assignment.node()));
    List<VictimCandidate> few = new ArrayList<>();
    Cluster image = without;
    for (VictimCandidate victim : victims) {
      if (isOn(victim, nodes) || isForQuota(victim)) {
        few.add(victim);
      } else {
        image = withBack(victim, image);
      }
    }
    Placement placement = found;
    List<VictimCandidate> dear = few.size() <= REPRIEVED ? dearestFirst(few) : List.of();
    int tries = SearchCost.repeats(cost, REPRIEVED);
    for (VictimCandidate dearest : dear.subList(0, Math.min(tries, dear.size()))) {
      Cluster more = withBack(dearest, image);
      Optional<Placement> still = place(more);
      if (still.isPresent()) {
        few.remove(dearest);
        image = more;
        placement = still.get();
      }
    }
    return plan(few, new Sparing(image, placement));
  }

  private PreemptionPlan plan(List<VictimCandidate> victims, Sparing sparing) {
    List<VictimCandidate> least = new ArrayList<>();
    VictimCost cost = VictimCost.nothing(policy.terms());
    for (VictimCandidate victim : dearestFirst(victims)) {
      least.add(victim.spare() ? sparing.least(victim) : victim);
      cost = cost.plus(victim.cost());
    }
    least.removeIf(victim -> victim.members().isEmpty());
    least.sort(Comparator.comparing(VictimCandidate::gang));
    return new PreemptionPlan(least, sparing.placement, cost);
  }

  /// Returns to elastic gangs the spare members that need not leave. It puts halves back, and
  /// halves of these, as long as a placement still exists.
  private final class Sparing {
    private Cluster image;
    private Placement placement;
    private int triesLeft = SearchCost.repeats(cost, SPARED);

    Sparing(Cluster image, Placement placement) {
      this.image = image;
      this.placement = placement;
    }

    VictimCandidate least(VictimCandidate spare) {
      return spare.only(needed(spare.gang(), spare.members()), image.gang(spare.gang()));
    }

    /// Returns the members that must leave, in their given order.
    private List<MemberId> needed(GangId gang, List<MemberId> members) {
      if (triesLeft-- <= 0) {
        return members;
      }
      Cluster more = WhatIf.with(image, gang, members, preemptor.image());
      Optional<Placement> still = place(more);
      if (still.isPresent()) {
        image = more;
        placement = still.get();
        return List.of();
      }
      if (members.size() == 1) {
        return members;
      }
      int half = members.size() / 2;
      List<MemberId> needed = new ArrayList<>(needed(gang, members.subList(0, half)));
      needed.addAll(needed(gang, members.subList(half, members.size())));
      return needed;
    }
  }

  private static List<VictimCandidate> dearestFirst(List<VictimCandidate> victims) {
    return victims.stream()
        .sorted(
            Comparator.comparing(VictimCandidate::order)
                .reversed()
                .thenComparing(candidate -> candidate.gang()))
        .toList();
  }
}
