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
import dev.muster.core.placement.request.SearchResult;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// Finds whom to stop for a gang that does not fit.
///
/// Goals: the least [VictimCost]; nobody needlessly; an answer in bounded time however large the cluster
/// is: the best that was found when the budget is spent.
///
/// Constraints: victims are whole gangs, or the members that an elastic gang can spare; the policy
/// allows each of them; with them gone the whole gang has a place, all that it requires of topology
/// and models included.
///
/// Algorithm: (1) [VictimScope]s on which the gang may find room: for each level from the narrowest that
/// could hold it to the one that it requires, the domains with the most free GPUs first, and of
/// each the nodes with the most free GPUs that would take a member if all left that may, until
/// [VictimScopeSearch#NODES] nodes were looked at. Domains that would not hold the gang even so do not
/// count. (2) For each ground a few sets of victims, by counting alone. (3) The sets of all grounds
/// in order of price: the first with which the placement search finds a place is taken. If none
/// does, all that may leave the grounds, one ground after the other. Sets of more victims than
/// there may be are passed over; those that only the hour forbids are told of if there is no other.
/// (4) Whoever is not in the way of the place that was found is reprieved; then each of the others,
/// the dearest first, with whom there is a place all the same; of spare members as many as may.
///
/// Example: a gang of 4 x 8 at priority 100; nodes n1 to n4 with a gang of 4 x 8 of priority 0 over
/// all of them, n5 to n8 with eight gangs of 4 of priority 0. Either makes room; stopping one gang
/// is less than stopping eight: the first leaves. Eight gangs of one GPU that are spread over n1 to
/// n4, two on each, are not stopped for a pod of 8: without them it still would not fit.
public final class VictimSearch {
  /// So many sets of victims are verified.
  private static final int TRIALS = 24;

  /// With more victims than this only those that are not in the way are reprieved.
  private static final int REPRIEVED = 16;

  /// So many searches go into who of the spare members may stay.
  private static final int SPARED = 32;

  private final Preemptor preemptor;
  private final PreemptionPolicy policy;
  private final UnitDemand demand;

  private int trialsLeft = TRIALS;

  /// How many may be stopped if all are among them who may.
  private int most;

  /// The first plan that nothing forbids but the limit of the hour.
  private Optional<PreemptionPlan> later = Optional.empty();

  private VictimSearch(Preemptor preemptor, PreemptionPolicy policy) {
    this.preemptor = preemptor;
    this.policy = policy;
    GangConstraints constraints = preemptor.gang().constraints();
    List<MemberRequirements> asks = MemberRequirements.ofEach(preemptor.members(), constraints, preemptor.image().topology());
    this.demand = new UnitDemand(preemptor.members(), asks, VictimCost.nothing(policy.terms()));
  }

  /// Whom to stop; empty when nobody who may be stopped would make room, as far as was looked. More
  /// than may be stopped in this hour only where fewer would not do.
  public static Optional<PreemptionPlan> search(Preemptor preemptor, PreemptionPolicy policy) {
    return new VictimSearch(preemptor, policy).search();
  }

  private Optional<PreemptionPlan> search() {
    List<VictimScope> scopes = new VictimScopeSearch(preemptor, demand).scopes();
    List<VictimScope.VictimSet> ways = new ArrayList<>();
    most = preemptor.left(anybody(scopes));
    int few = most > 0 ? Math.min(most, policy.limits().victims()) : policy.limits().victims();
    scopes.forEach(scope -> ways.addAll(scope.ways(few)));
    ways.sort(Comparator.comparing(VictimScope.VictimSet::cost));
    return first(ways).or(() -> first(everybody(scopes))).or(() -> later);
  }

  private static List<VictimCandidate> anybody(List<VictimScope> scopes) {
    return scopes.stream().flatMap(scope -> scope.everybody().who().stream()).toList();
  }

  /// All that may leave a ground, for gangs of which counting says too little.
  private static List<VictimScope.VictimSet> everybody(List<VictimScope> scopes) {
    return scopes.stream().map(VictimScope::everybody).toList();
  }

  private Optional<PreemptionPlan> first(List<VictimScope.VictimSet> ways) {
    Set<List<VictimCandidate>> tried = new LinkedHashSet<>();
    for (VictimScope.VictimSet way : ways) {
      if (trialsLeft > 0 && !way.who().isEmpty() && tried.add(way.who())) {
        trialsLeft--;
        Optional<PreemptionPlan> plan =
            verified(way.who()).filter(this::isWithinLimits).filter(preemptor::mayTake);
        if (plan.isPresent() && isWithinTheHour(plan.get())) {
          return plan;
        }
        later = later.or(() -> plan);
      }
      if (later.isPresent() && most <= 0) {
        return later; // nobody may be stopped now
      }
    }
    return Optional.empty();
  }

  private boolean isWithinTheHour(PreemptionPlan plan) {
    return plan.victims().size() <= preemptor.left(plan.victims());
  }

  private boolean isWithinLimits(PreemptionPlan plan) {
    int gpus = plan.victims().stream().mapToInt(candidate -> candidate.profile().gpus()).sum();
    return plan.victims().size() <= policy.limits().victims()
        && gpus <= policy.limits().victimGpus();
  }

  // ---- Verified, and nobody needlessly ----

  private Optional<PreemptionPlan> verified(List<VictimCandidate> leaving) {
    List<VictimCandidate> victims = withoutHalves(leaving);
    Cluster image = preemptor.image();
    for (VictimCandidate candidate : victims) {
      image = WhatIf.without(image, candidate.gang(), candidate.members());
    }
    Cluster left = image;
    return place(left).map(placement -> reprieved(victims, placement, left));
  }

  /// Of a gang that leaves whole the spare members need not be named.
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

  /// The image with the candidate where it was.
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

  /// @param victims who would leave
  /// @param found a place without them
  /// @param without the image without them
  private PreemptionPlan reprieved(List<VictimCandidate> victims, Placement found, Cluster without) {
    TreeSet<NodeId> nodes = new TreeSet<>();
    found.assignments().forEach(assignment -> nodes.add(assignment.node()));
    List<VictimCandidate> few = new ArrayList<>();
    Cluster image = without;
    for (VictimCandidate victim : victims) {
      if (isOn(victim, nodes)) {
        few.add(victim);
      } else {
        image = withBack(victim, image);
      }
    }
    Placement placement = found;
    for (VictimCandidate dearest : few.size() <= REPRIEVED ? dearestFirst(few) : List.<VictimCandidate>of()) {
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
    VictimCost cost = demand.free();
    for (VictimCandidate victim : victims) {
      least.add(victim.spare() ? sparing.least(victim) : victim);
      cost = cost.plus(victim.cost());
    }
    least.removeIf(victim -> victim.members().isEmpty());
    least.sort(Comparator.comparing(VictimCandidate::gang));
    return new PreemptionPlan(least, sparing.placement, cost);
  }

  /// Leaves elastic gangs the members that are not needlessly spared: halves, and halves of these,
  /// are put back as long as there is a place all the same.
  private final class Sparing {
    private Cluster image;
    private Placement placement;
    private int triesLeft = SPARED;

    Sparing(Cluster image, Placement placement) {
      this.image = image;
      this.placement = placement;
    }

    VictimCandidate least(VictimCandidate spare) {
      return spare.only(needed(spare.gang(), spare.members()), image.gang(spare.gang()));
    }

    /// Those of the members that must leave, in their order.
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
            Comparator.comparing(VictimCandidate::cost)
                .reversed()
                .thenComparing(candidate -> candidate.gang()))
        .toList();
  }
}
