package dev.muster.core.preemption;

import dev.muster.core.cluster.Capacity;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Domain;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.NodeState;
import dev.muster.core.cluster.Placement;
import dev.muster.core.cluster.WhatIf;
import dev.muster.core.fit.Ask;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GpuChoice;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Wishes;
import dev.muster.core.placement.SearchResult;
import dev.muster.core.topology.Topology;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/// Finds whom to stop for a gang that does not fit.
///
/// Goals: the least [Price]; nobody needlessly; an answer in bounded time however large the cluster
/// is: the best that was found when the budget is spent.
///
/// Constraints: victims are whole gangs, or the members that an elastic gang can spare; the policy
/// allows each of them; with them gone the whole gang has a place, all that it requires of topology
/// and models included.
///
/// Algorithm: (1) [Ground]s on which the gang may find room: for each level from the narrowest that
/// could hold it to the one that it requires, the domains with the most free GPUs first, and of
/// each the nodes with the most free GPUs that would take a member if all left that may, until
/// [#NODES] nodes were looked at. Domains that would not hold the gang even so do not count. (2)
/// For each ground a few sets of victims, by counting alone. (3) The sets of all grounds in order
/// of price: the first with which the placement search finds a place is taken. If none does, all
/// that may leave the grounds, one ground after the other. Sets of more victims than there may be
/// are passed over; those that only the hour forbids are told of if there is no other. (4) Whoever
/// is not in the way of the place that was found is reprieved; then each of the others, the dearest
/// first, with whom there is a place all the same; of spare members as many as may.
///
/// Example: a gang of 4 x 8 at priority 100; nodes n1 to n4 with a gang of 4 x 8 of priority 0 over
/// all of them, n5 to n8 with eight gangs of 4 of priority 0. Either makes room; stopping one gang
/// is less than stopping eight: the first leaves. Eight gangs of one GPU that are spread over n1 to
/// n4, two on each, are not stopped for a pod of 8: without them it still would not fit.
public final class VictimSearch {
  /// So many nodes are looked at.
  static final int NODES = 512;

  /// So many sets of victims are verified.
  private static final int TRIALS = 24;

  /// With more victims than this only those that are not in the way are reprieved.
  private static final int REPRIEVED = 16;

  /// So many searches go into who of the spare members may stay.
  private static final int SPARED = 32;

  private final Preemptor preemptor;
  private final PreemptionPolicy policy;
  private final Candidates candidates;
  private final UnitDemand demand;

  /// Those in the cluster that would do.
  private final TreeSet<String> models = new TreeSet<>();

  private int nodesLeft = NODES;
  private int trialsLeft = TRIALS;

  /// How many may be stopped if all are among them who may.
  private int most;

  /// The first plan that nothing forbids but the limit of the hour.
  private Optional<PreemptionPlan> later = Optional.empty();

  private VictimSearch(Preemptor preemptor, PreemptionPolicy policy) {
    this.preemptor = preemptor;
    this.policy = policy;
    Wishes wishes = preemptor.gang().wishes();
    List<Ask> asks = Ask.ofEach(preemptor.members(), wishes, preemptor.image().topology());
    this.demand = new UnitDemand(preemptor.members(), asks, Price.nothing(policy.terms()));
    this.candidates = new Candidates(preemptor, demand);
    GpuChoice choice = wishes.gpus();
    for (Capacity.Histogram nodes : preemptor.image().fabric().capacity().byKind()) {
      String model = nodes.kind().model();
      if (choice.accepts(model)) {
        models.add(model);
      }
    }
  }

  /// Whom to stop; empty when nobody who may be stopped would make room, as far as was looked. More
  /// than may be stopped in this hour only where fewer would not do.
  public static Optional<PreemptionPlan> search(Preemptor preemptor, PreemptionPolicy policy) {
    return new VictimSearch(preemptor, policy).search();
  }

  private Optional<PreemptionPlan> search() {
    List<Ground> grounds = grounds();
    List<Ground.Leaving> ways = new ArrayList<>();
    most = preemptor.left(anybody(grounds));
    int few = most > 0 ? Math.min(most, policy.limits().victims()) : policy.limits().victims();
    grounds.forEach(ground -> ways.addAll(ground.ways(few)));
    ways.sort(Comparator.comparing(Ground.Leaving::price));
    return first(ways).or(() -> first(everybody(grounds))).or(() -> later);
  }

  private static List<Candidate> anybody(List<Ground> grounds) {
    return grounds.stream().flatMap(ground -> ground.everybody().who().stream()).toList();
  }

  /// All that may leave a ground, for gangs of which counting says too little.
  private static List<Ground.Leaving> everybody(List<Ground> grounds) {
    return grounds.stream().map(Ground::everybody).toList();
  }

  private Optional<PreemptionPlan> first(List<Ground.Leaving> ways) {
    Set<List<Candidate>> tried = new LinkedHashSet<>();
    for (Ground.Leaving way : ways) {
      if (trialsLeft > 0 && !way.who().isEmpty() && tried.add(way.who())) {
        trialsLeft--;
        Optional<PreemptionPlan> plan =
            verified(way.who()).filter(this::isWithinLimits).filter(preemptor::mayTake);
        if (plan.filter(this::isWithinTheHour).isPresent()) {
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
    int gpus = plan.victims().stream().mapToInt(candidate -> candidate.subject().gpus()).sum();
    return plan.victims().size() <= policy.limits().victims()
        && gpus <= policy.limits().victimGpus();
  }

  // ---- Where to look ----

  private List<Ground> grounds() {
    Topology topology = preemptor.image().topology();
    int required = topology.requiredDepth(preemptor.gang().wishes().topology().required());
    List<Ground> grounds = new ArrayList<>();
    if (required == topology.nodeDepth()) {
      for (List<NodeState> alike : byModel(preemptor.image().fabric())) {
        tenancies(alike).forEach(node -> add(List.of(node), grounds));
      }
    }
    for (int depth = topology.nodeDepth() - 1; depth >= required; depth--) {
      for (Domain domain : domains(preemptor.image(), depth)) {
        if (nodesLeft > 0 && mayHold(domain)) {
          byModel(domain).forEach(alike -> add(tenancies(alike), grounds));
        }
      }
    }
    return grounds;
  }

  /// The domains of the level, those with the most free GPUs first; equal ones as they lie.
  private static List<Domain> domains(Cluster image, int depth) {
    TreeMap<Long, List<Domain>> byFree = new TreeMap<>(Comparator.reverseOrder());
    for (Domain domain : image.fabric().atDepth(depth)) {
      if (depth == 0 || domain.path().isLabelled()) {
        byFree.computeIfAbsent(domain.capacity().freeMilli(), _ -> new ArrayList<>()).add(domain);
      }
    }
    return byFree.values().stream().flatMap(List::stream).toList();
  }

  /// Whether the domain's nodes, those of one model or of all, would hold the gang if they were
  /// empty, as far as GPUs go.
  private boolean mayHold(Domain domain) {
    boolean mixed = preemptor.gang().wishes().gpus().mixed();
    TreeMap<String, Long> held = new TreeMap<>();
    for (Capacity.Histogram nodes : domain.capacity().byKind()) {
      String model = nodes.kind().model();
      if (models.contains(model)) {
        held.merge(mixed ? "" : model, heldByEmpty(nodes), Long::sum);
      }
    }
    return held.values().stream().anyMatch(units -> units >= demand.units());
  }

  private long heldByEmpty(Capacity.Histogram nodes) {
    return nodes.nodes() * demand.heldByEmpty(nodes.kind().gpus());
  }

  /// The nodes of the domain, those with the most free GPUs first, by model where the gang takes
  /// one model for all its members.
  private Collection<List<NodeState>> byModel(Domain domain) {
    List<NodeState> nodes = domain.allNodes();
    nodes.sort(Comparator.comparingInt(NodeState::freeGpus).reversed());
    TreeMap<String, List<NodeState>> byModel = new TreeMap<>();
    for (NodeState node : nodes) {
      String model = preemptor.gang().wishes().gpus().mixed() ? "" : node.node().model().name();
      byModel.computeIfAbsent(model, _ -> new ArrayList<>()).add(node);
    }
    return byModel.values();
  }

  /// The first of the nodes that take a member when all have left that may, no more than may still
  /// be looked at.
  private List<Tenancy> tenancies(List<NodeState> nodes) {
    List<Tenancy> found = new ArrayList<>();
    for (NodeState node : nodes) {
      if (found.size() == nodesLeft) {
        break;
      }
      candidates.on(node).ifPresent(found::add);
    }
    return found;
  }

  /// Adds the nodes if the gang may find room there.
  private void add(List<Tenancy> nodes, List<Ground> grounds) {
    boolean mayHold = nodes.stream().mapToLong(node -> node.most).sum() >= demand.units();
    if (mayHold && nodes.size() <= nodesLeft) {
      nodesLeft -= nodes.size();
      grounds.add(new Ground(demand, nodes));
    }
  }

  // ---- Verified, and nobody needlessly ----

  private Optional<PreemptionPlan> verified(List<Candidate> leaving) {
    List<Candidate> victims = withoutHalves(leaving);
    Cluster image = preemptor.image();
    for (Candidate candidate : victims) {
      image = WhatIf.without(image, candidate.gang(), candidate.members());
    }
    Cluster left = image;
    return place(left).map(placement -> reprieved(victims, placement, left));
  }

  /// Of a gang that leaves whole the spare members need not be named.
  private static List<Candidate> withoutHalves(List<Candidate> leaving) {
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
  private Cluster withBack(Candidate candidate, Cluster image) {
    return WhatIf.with(image, candidate.gang(), candidate.members(), preemptor.image());
  }

  private boolean isOn(Candidate candidate, Set<NodeId> nodes) {
    Gang gang = preemptor.image().gang(candidate.gang());
    return candidate.members().stream()
        .flatMap(pod -> gang.members().get(pod).stream())
        .anyMatch(member -> member.node().filter(nodes::contains).isPresent());
  }

  /// @param victims who would leave
  /// @param found a place without them
  /// @param without the image without them
  private PreemptionPlan reprieved(List<Candidate> victims, Placement found, Cluster without) {
    TreeSet<NodeId> nodes = new TreeSet<>();
    found.assignments().forEach(assignment -> nodes.add(assignment.node()));
    List<Candidate> few = new ArrayList<>();
    Cluster image = without;
    for (Candidate victim : victims) {
      if (isOn(victim, nodes)) {
        few.add(victim);
      } else {
        image = withBack(victim, image);
      }
    }
    Placement placement = found;
    for (Candidate dearest : few.size() <= REPRIEVED ? dearestFirst(few) : List.<Candidate>of()) {
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

  private PreemptionPlan plan(List<Candidate> victims, Sparing sparing) {
    List<Candidate> least = new ArrayList<>();
    Price price = demand.free();
    for (Candidate victim : victims) {
      least.add(victim.spare() ? sparing.least(victim) : victim);
      price = price.plus(victim.price());
    }
    least.removeIf(victim -> victim.members().isEmpty());
    least.sort(Comparator.comparing(Candidate::gang));
    return new PreemptionPlan(least, sparing.placement, price);
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

    Candidate least(Candidate spare) {
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

  private static List<Candidate> dearestFirst(List<Candidate> victims) {
    return victims.stream()
        .sorted(
            Comparator.comparing(Candidate::price)
                .reversed()
                .thenComparing(candidate -> candidate.gang()))
        .toList();
  }
}
