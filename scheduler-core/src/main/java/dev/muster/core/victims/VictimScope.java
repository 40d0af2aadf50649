package dev.muster.core.victims;

import dev.muster.core.gang.GangId;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Nodes that may take the gang together, with the candidates that may leave them. The capacity
/// gained is counted here, without a placement search.
///
/// Goals: few and cheap victims that free enough capacity on these nodes.
///
/// Algorithm: an [ExhaustiveCover] for at most [#EXACT] candidates, else a [GreedyCover].
final class VictimScope {
  /// Limit of candidates up to which all combinations are enumerated.
  static final int EXACT = 12;

  /// A pod on a node that may leave with its whole gang, or as a spare member.
  private static final class Tenant {
    /// The capacity freed when the pod leaves.
    final long[] share;

    /// The candidate number of its whole gang; -1 if the whole gang may not leave.
    final int whole;

    /// The candidate number of its gang's spare members; -1 if the pod is not one of them.
    final int spare;

    Tenant(long[] share, int whole, int spare) {
      this.share = share;
      this.whole = whole;
      this.spare = spare;
    }

    boolean isAmong(BitSet leaving) {
      return (whole >= 0 && leaving.get(whole)) || (spare >= 0 && leaving.get(spare));
    }
  }

  /// A node with its free capacity.
  private static final class Spot {
    final long[] free;
    final List<Tenant> tenants;

    Spot(long[] free, List<Tenant> tenants) {
      this.free = free;
      this.tenants = tenants;
    }
  }

  private final UnitDemand demand;
  private final List<Spot> spots = new ArrayList<>();
  private final List<VictimCandidate> candidates = new ArrayList<>();

  /// The place of each candidate in the order of victims.
  private final List<VictimCost> orders = new ArrayList<>();

  private final Map<GangId, Integer> wholes = new LinkedHashMap<>();
  private final Map<GangId, Integer> spares = new LinkedHashMap<>();

  /// The spots where each candidate has members.
  private final List<BitSet> spotsOf = new ArrayList<>();

  private final Preemptor preemptor;
  private final List<QuotaShortage> shortages;

  /// The GPUs by which each candidate reduces each shortage.
  private final List<int[]> reductions = new ArrayList<>();

  /// @param nodes nodes that may take members and hold enough after all candidates have left
  /// @param shortages shortages of quota on these nodes
  VictimScope(
      Preemptor preemptor,
      UnitDemand demand,
      List<NodeVictims> nodes,
      List<QuotaShortage> shortages) {
    this.preemptor = preemptor;
    this.demand = demand;
    this.shortages = shortages;
    for (NodeVictims node : nodes) {
      List<Tenant> tenants = node.tenants.stream().map(this::numbered).toList();
      spots.add(new Spot(node.free, tenants));
    }
  }

  /// Adds candidates of other nodes that reduce a shortage, cheapest first. Once these suffice, no
  /// more than [#EXACT] candidates are kept.
  void addForQuota(List<VictimCandidate> elsewhere) {
    for (VictimCandidate candidate : elsewhere) {
      if (candidates.size() >= EXACT && meetsQuota(all())) {
        return;
      }
      number(candidate);
    }
  }

  private Tenant numbered(NodeVictims.Tenant tenant) {
    int whole = -1;
    int spare = -1;
    for (VictimCandidate candidate : tenant.ways) {
      int number = number(candidate);
      spotsOf.get(number).set(spots.size());
      whole = candidate.spare() ? whole : number;
      spare = candidate.spare() ? number : spare;
    }
    return new Tenant(tenant.share, whole, spare);
  }

  private int number(VictimCandidate candidate) {
    Map<GangId, Integer> known = candidate.spare() ? spares : wholes;
    return known.computeIfAbsent(
        candidate.gang(),
        _ -> {
          candidates.add(candidate);
          orders.add(candidate.order());
          reductions.add(reductions(candidate));
          spotsOf.add(new BitSet());
          return candidates.size() - 1;
        });
  }

  List<QuotaShortage> shortages() {
    return shortages;
  }

  int size() {
    return spots.size();
  }

  int candidateCount() {
    return candidates.size();
  }

  VictimCost priceOf(int candidate) {
    return orders.get(candidate);
  }

  // ---- Quota gained ----

  private int[] reductions(VictimCandidate candidate) {
    return shortages.stream()
        .mapToInt(shortage -> shortage.reducedBy(candidate, preemptor.image().ledger()))
        .toArray();
  }

  /// True if the quota admits the preemptor after these candidates have left.
  boolean meetsQuota(BitSet leaving) {
    for (int i = 0; i < shortages.size(); i++) {
      if (missing(i, leaving) > 0) {
        return false;
      }
    }
    return true;
  }

  private int missing(int shortage, BitSet leaving) {
    int missing = shortages.get(shortage).gpus();
    for (int one = leaving.nextSetBit(0); one >= 0; one = leaving.nextSetBit(one + 1)) {
      missing -= isWithin(one, leaving) ? 0 : reductions.get(one)[shortage];
    }
    return missing;
  }

  /// True if the candidate is the spare members of a gang that leaves as a whole.
  private boolean isWithin(int candidate, BitSet leaving) {
    VictimCandidate one = candidates.get(candidate);
    Integer whole = one.spare() ? wholes.get(one.gang()) : null;
    return whole != null && leaving.get(whole);
  }

  /// Returns the set with the cheapest further candidates that the quota needs.
  BitSet meetingQuota(BitSet leaving) {
    BitSet with = (BitSet) leaving.clone();
    for (int i = 0; i < shortages.size(); i++) {
      for (int missing = missing(i, with); missing > 0; missing = missing(i, with)) {
        int best = -1;
        int gain = 0;
        for (int one = with.nextClearBit(0);
            one < candidates.size();
            one = with.nextClearBit(one + 1)) {
          int gained = Math.min(missing, reductions.get(one)[i]);
          if (gained > 0
              && (best < 0 || priceOf(one).compareFor(gained, priceOf(best), gain) < 0)) {
            best = one;
            gain = gained;
          }
        }
        if (best < 0) {
          return with;
        }
        with.set(best);
      }
    }
    return with;
  }

  // ---- Guarantees ----

  /// True if some of the candidates may not leave together, or would take a queue below its
  /// guarantee.
  boolean strainsGuarantees() {
    return shortfall(all()) > 0;
  }

  /// Returns a lower bound of the GPUs by which queues fall below their guarantees.
  ///
  /// It is `Integer.MAX_VALUE` if these candidates may not leave together. Spare members may stay
  /// in the end, so the bound is also taken without them.
  int shortfall(BitSet leaving) {
    List<VictimCandidate> all = candidates(leaving);
    List<VictimCandidate> whole = all.stream().filter(one -> !one.spare()).toList();
    int most = preemptor.shortfall(all).orElse(Integer.MAX_VALUE);
    return most == 0 || whole.size() == all.size()
        ? most
        : Math.min(most, preemptor.shortfall(whole).orElse(Integer.MAX_VALUE));
  }

  /// Returns the set without the candidate.
  static BitSet without(int candidate, BitSet leaving) {
    BitSet less = (BitSet) leaving.clone();
    less.clear(candidate);
    return less;
  }

  // ---- Capacity gained ----

  long held(int spot, BitSet leaving) {
    long[] room = spots.get(spot).free.clone();
    for (Tenant tenant : spots.get(spot).tenants) {
      boolean leaves = tenant.isAmong(leaving);
      for (int i = 0; i < room.length && leaves; i++) {
        room[i] += tenant.share[i];
      }
    }
    return demand.held(room);
  }

  long held(BitSet leaving) {
    long sum = 0;
    for (int spot = 0; spot < spots.size(); spot++) {
      sum += held(spot, leaving);
    }
    return sum;
  }

  VictimCost cost(BitSet leaving) {
    VictimCost cost = demand.free();
    for (int i = leaving.nextSetBit(0); i >= 0; i = leaving.nextSetBit(i + 1)) {
      cost = cost.plus(orders.get(i));
    }
    return cost;
  }

  /// Returns these candidates, without spare members of a gang that leaves as a whole.
  private List<VictimCandidate> candidates(BitSet leaving) {
    return leaving.stream()
        .filter(one -> !isWithin(one, leaving))
        .mapToObj(candidates::get)
        .toList();
  }

  /// Returns the set of all candidates.
  VictimSet allCandidates() {
    return new VictimSet(candidates(all()), shortfall(all()), cost(all()));
  }

  private BitSet all() {
    BitSet all = new BitSet();
    all.set(0, candidates.size());
    return all;
  }

  /// Returns several sets of victims that gain enough, the best first.
  ///
  /// @param most limit on the gangs of a set; if the cheapest sets exceed it, a set of few gangs is
  ///   searched too
  /// @param all whether all sets of few candidates are returned
  List<VictimSet> ways(int most, boolean all) {
    List<BitSet> ways = new ArrayList<>();
    if (all && candidates.size() <= EXACT) {
      ways.addAll(new ExhaustiveCover(demand, this).covers());
    } else {
      ways.addAll(new GreedyCover(demand, this).covers(most));
    }
    return ways.stream()
        .distinct()
        .map(way -> new VictimSet(candidates(way), shortfall(way), cost(way)))
        .sorted(VictimSet.ORDER)
        .toList();
  }

  /// A set of candidates that might leave.
  ///
  /// @param shortfall lower bound of the GPUs by which queues fall below their guarantees;
  ///   `Integer.MAX_VALUE` if the candidates may not leave together
  /// @param cost their cost
  record VictimSet(List<VictimCandidate> who, int shortfall, VictimCost cost) {
    /// The order of preference.
    static final Comparator<VictimSet> ORDER =
        Comparator.comparingInt(VictimSet::shortfall)
            .thenComparing(VictimSet::cost)
            .thenComparingInt(way -> way.who().size());

    boolean isAllowed() {
      return shortfall < Integer.MAX_VALUE;
    }
  }

  /// Returns the spots where one of these candidates has members.
  BitSet touched(BitSet leaving) {
    BitSet touched = new BitSet();
    for (int i = leaving.nextSetBit(0); i >= 0; i = leaving.nextSetBit(i + 1)) {
      touched.or(spotsOf.get(i));
    }
    return touched;
  }

  /// Returns the candidates on the node that are not leaving yet, cheapest first.
  List<Integer> leavable(int spot, BitSet leaving) {
    BitSet may = new BitSet();
    for (Tenant tenant : spots.get(spot).tenants) {
      if (tenant.whole >= 0) {
        may.set(tenant.whole);
      }
      if (tenant.spare >= 0 && !tenant.isAmong(leaving)) {
        may.set(tenant.spare);
      }
    }
    may.andNot(leaving);
    List<Integer> others = new ArrayList<>();
    may.stream().forEach(others::add);
    others.sort(Comparator.comparing(orders::get)); // stable: ties keep order
    return others;
  }

  /// Returns the units lost if this candidate were taken out of the set.
  long lost(int candidate, BitSet leaving) {
    BitSet less = without(candidate, leaving);
    long lost = 0;
    BitSet places = spotsOf.get(candidate);
    for (int spot = places.nextSetBit(0); spot >= 0; spot = places.nextSetBit(spot + 1)) {
      lost += held(spot, leaving) - held(spot, less);
    }
    return lost;
  }
}
