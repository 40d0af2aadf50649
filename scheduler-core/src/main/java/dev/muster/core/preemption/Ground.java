package dev.muster.core.preemption;

import dev.muster.core.gang.GangId;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;

/// Some nodes on which the gang may find room together, with who may leave them: what leaving gains
/// is counted here, without any search.
///
/// Goals: few and cheap victims whose leaving makes room for what the gang needs on these nodes.
///
/// Algorithm: (1) for each node the cheapest bundle of gangs whose leaving makes room for one more
/// member; again and again the bundle that gains most for its price over all nodes (greedy weighted
/// set cover, Chvátal 1979), until enough is gained; then whoever turns out needless stays, the
/// dearest first. (2) With at most [#EXACT] gangs all subsets are gone through instead.
///
/// Example: a gang of 2 x 8 on n1 and n2, each with one gang of 8 of price 3, and n3, n4 with one
/// gang of 2 x 8 on both of price 4. A bundle on n3 costs 4 and gains 2 (n4 comes free too), one on
/// n1 costs 3 and gains 1: the gang on n3 and n4 leaves.
final class Ground {
  /// So many gangs or fewer are gone through in all combinations.
  static final int EXACT = 12;

  /// A pod on a node that may leave with the whole of its gang, or as a spare member.
  private static final class Tenant {
    /// What comes free when it leaves.
    final long[] share;

    /// The candidate that is its whole gang; -1 where that may not leave.
    final int whole;

    /// The candidate of its gang's spare members; -1 where it is none.
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

  /// A node, with what is free there now.
  private static final class Spot {
    final long[] free;
    final List<Tenant> tenants;

    Spot(long[] free, List<Tenant> tenants) {
      this.free = free;
      this.tenants = tenants;
    }
  }

  /// @param gain what is gained of what is still missing
  /// @param gained what is gained in all
  private record Bundle(int spot, BitSet leaving, Price price, long gain, long gained) {}

  private final UnitDemand demand;
  private final List<Spot> spots = new ArrayList<>();
  private final List<Candidate> candidates = new ArrayList<>();
  private final Map<GangId, Integer> wholes = new LinkedHashMap<>();
  private final Map<GangId, Integer> spares = new LinkedHashMap<>();

  /// For each candidate the spots where it has members.
  private final List<BitSet> spotsOf = new ArrayList<>();

  /// @param nodes nodes on which a member may run, and that hold enough when all have left that may
  Ground(UnitDemand demand, List<Tenancy> nodes) {
    this.demand = demand;
    for (Tenancy node : nodes) {
      List<Tenant> tenants = node.tenants.stream().map(this::numbered).toList();
      spots.add(new Spot(node.free, tenants));
    }
  }

  private Tenant numbered(Tenancy.Tenant tenant) {
    int whole = -1;
    int spare = -1;
    for (Candidate candidate : tenant.ways) {
      int number = number(candidate);
      spotsOf.get(number).set(spots.size());
      whole = candidate.spare() ? whole : number;
      spare = candidate.spare() ? number : spare;
    }
    return new Tenant(tenant.share, whole, spare);
  }

  private int number(Candidate candidate) {
    Map<GangId, Integer> known = candidate.spare() ? spares : wholes;
    return known.computeIfAbsent(
        candidate.gang(),
        _ -> {
          candidates.add(candidate);
          spotsOf.add(new BitSet());
          return candidates.size() - 1;
        });
  }

  // ---- What leaving gains ----

  private long held(int spot, BitSet leaving) {
    long[] room = spots.get(spot).free.clone();
    for (Tenant tenant : spots.get(spot).tenants) {
      boolean leaves = tenant.isAmong(leaving);
      for (int i = 0; i < room.length && leaves; i++) {
        room[i] += tenant.share[i];
      }
    }
    return demand.held(room);
  }

  private long held(BitSet leaving) {
    long sum = 0;
    for (int spot = 0; spot < spots.size(); spot++) {
      sum += held(spot, leaving);
    }
    return sum;
  }

  private Price price(BitSet leaving) {
    Price price = demand.free();
    for (int i = leaving.nextSetBit(0); i >= 0; i = leaving.nextSetBit(i + 1)) {
      price = price.plus(candidates.get(i).price());
    }
    return price;
  }

  private List<Candidate> candidates(BitSet leaving) {
    return leaving.stream().mapToObj(candidates::get).toList();
  }

  /// All that may leave.
  Leaving everybody() {
    return new Leaving(candidates(all()), price(all()));
  }

  private BitSet all() {
    BitSet all = new BitSet();
    all.set(0, candidates.size());
    return all;
  }

  /// Who might leave: several ways, cheapest first.
  ///
  /// @param most more than so many may not: where it would be cheapest, few are sought, too
  List<Leaving> ways(int most) {
    List<BitSet> ways = new ArrayList<>();
    if (candidates.size() <= EXACT) {
      ways.addAll(subsets());
    } else {
      List<Bundle> first = bundles();
      ways.add(greedy(first, Ground::byGain));
      ways.add(greedy(first, Ground::byPrice));
      if (ways.stream().anyMatch(way -> way.cardinality() > most)) {
        ways.add(greedy(first, Ground::byNumber));
      }
    }
    return ways.stream()
        .map(way -> new Leaving(candidates(way), price(way)))
        .distinct()
        .sorted(Comparator.comparing(Leaving::price).thenComparingInt(way -> way.who().size()))
        .toList();
  }

  /// Some that might leave.
  record Leaving(List<Candidate> who, Price price) {}

  // ---- Greedy ----

  /// The bundle of each spot that has one, while nobody leaves.
  private List<Bundle> bundles() {
    BitSet nobody = new BitSet();
    long missing = demand.units() - held(nobody);
    List<Bundle> bundles = new ArrayList<>();
    for (int spot = 0; spot < spots.size(); spot++) {
      bundle(spot, nobody, missing).ifPresent(bundles::add);
    }
    return bundles;
  }

  /// @param first the bundles to begin with
  /// @param order which bundle is the better one
  private BitSet greedy(List<Bundle> first, Comparator<Bundle> order) {
    BitSet leaving = new BitSet();
    long held = held(leaving);
    PriorityQueue<Bundle> queue = new PriorityQueue<>(order);
    queue.addAll(first);
    while (held < demand.units() && !queue.isEmpty()) {
      Optional<Bundle> now = bundle(queue.remove().spot(), leaving, demand.units() - held);
      if (now.isEmpty()) {
        continue;
      }
      if (!queue.isEmpty() && order.compare(now.get(), queue.element()) > 0) {
        queue.add(now.get());
        continue;
      }
      leaving.or(now.get().leaving());
      held += now.get().gained();
      BitSet touched = touched(now.get().leaving());
      for (int spot = touched.nextSetBit(0); spot >= 0; spot = touched.nextSetBit(spot + 1)) {
        bundle(spot, leaving, demand.units() - held).ifPresent(queue::add);
      }
    }
    return withoutNeedless(leaving);
  }

  /// What a bundle gains on all nodes for its price.
  private static int byGain(Bundle a, Bundle b) {
    return orElse(a.price().compareFor(a.gain(), b.price(), b.gain()), a, b);
  }

  /// Its price alone.
  private static int byPrice(Bundle a, Bundle b) {
    return orElse(a.price().compareTo(b.price()), a, b);
  }

  /// What it gains for the number of its gangs.
  private static int byNumber(Bundle a, Bundle b) {
    long one = b.gain() * a.leaving().cardinality();
    long other = a.gain() * b.leaving().cardinality();
    return orElse(Long.compare(one, other), a, b);
  }

  private static int orElse(int order, Bundle a, Bundle b) {
    int next = order != 0 ? order : Long.compare(b.gain(), a.gain());
    return next != 0 ? next : Integer.compare(a.spot(), b.spot());
  }

  /// The spots where one of these has members.
  private BitSet touched(BitSet leaving) {
    BitSet touched = new BitSet();
    for (int i = leaving.nextSetBit(0); i >= 0; i = leaving.nextSetBit(i + 1)) {
      touched.or(spotsOf.get(i));
    }
    return touched;
  }

  /// The cheapest gangs of the node whose leaving makes room there for more than now.
  private Optional<Bundle> bundle(int spot, BitSet leaving, long missing) {
    List<Integer> others = leavable(spot, leaving);
    long now = held(spot, leaving);
    BitSet with = (BitSet) leaving.clone();
    BitSet added = new BitSet();
    for (int candidate : others) {
      BitSet alone = (BitSet) leaving.clone();
      alone.set(candidate);
      if (held(spot, alone) > now) {
        added.clear();
        added.set(candidate);
        return Optional.of(priced(spot, added, leaving, missing));
      }
      with.set(candidate);
      added.set(candidate);
      if (held(spot, with) > now) {
        return Optional.of(priced(spot, pruned(spot, added, leaving, now), leaving, missing));
      }
    }
    return Optional.empty();
  }

  /// The candidates on the node that do not leave yet, cheapest first.
  private List<Integer> leavable(int spot, BitSet leaving) {
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
    others.sort(Comparator.comparing(i -> candidates.get(i).price())); // equal ones stay in order
    return others;
  }

  private BitSet pruned(int spot, BitSet added, BitSet leaving, long now) {
    BitSet few = (BitSet) added.clone();
    for (int i = added.nextSetBit(0); i >= 0; i = added.nextSetBit(i + 1)) {
      few.clear(i);
      BitSet with = (BitSet) leaving.clone();
      with.or(few);
      if (held(spot, with) <= now) {
        few.set(i);
      }
    }
    return few;
  }

  private Bundle priced(int spot, BitSet added, BitSet leaving, long missing) {
    BitSet with = (BitSet) leaving.clone();
    with.or(added);
    long gain = 0;
    BitSet touched = touched(added);
    for (int place = touched.nextSetBit(0); place >= 0; place = touched.nextSetBit(place + 1)) {
      gain += held(place, with) - held(place, leaving);
    }
    return new Bundle(spot, added, price(added), Math.min(missing, gain), gain);
  }

  private BitSet withoutNeedless(BitSet leaving) {
    BitSet few = (BitSet) leaving.clone();
    long held = held(few);
    List<Integer> dearestFirst =
        leaving.stream()
            .boxed()
            .sorted(
                Comparator.comparing((Integer i) -> candidates.get(i).price())
                    .reversed()
                    .thenComparing(i -> i))
            .toList();
    for (int candidate : dearestFirst) {
      long lost = lost(candidate, few);
      if (held - lost >= demand.units()) {
        few.clear(candidate);
        held -= lost;
      }
    }
    return few;
  }

  // ---- All combinations ----

  /// All subsets that gain enough and from which nobody can be left out; where the members are
  /// unlike, all that gain enough, since what they gain is a bound only: a larger one may be the
  /// first on which they fit.
  private List<BitSet> subsets() {
    List<BitSet> enough = new ArrayList<>();
    BitSet nobody = new BitSet();
    subsets(0, nobody, held(nobody), enough);
    return enough;
  }

  /// Those that add to the given ones some of the candidates from a number on.
  private void subsets(int from, BitSet leaving, long held, List<BitSet> enough) {
    if (held >= demand.units() && !demand.areAlike()) {
      enough.add(leaving);
    } else if (held >= demand.units()) { // more would be needless
      if (leaving.stream().noneMatch(one -> held - lost(one, leaving) >= demand.units())) {
        enough.add(leaving);
      }
      return;
    }
    for (int next = from; next < candidates.size(); next++) {
      BitSet with = (BitSet) leaving.clone();
      with.set(next);
      subsets(next + 1, with, held + lost(next, with), enough);
    }
  }

  /// What would be lost if this one of them stayed.
  private long lost(int candidate, BitSet leaving) {
    BitSet less = (BitSet) leaving.clone();
    less.clear(candidate);
    long lost = 0;
    BitSet places = spotsOf.get(candidate);
    for (int spot = places.nextSetBit(0); spot >= 0; spot = places.nextSetBit(spot + 1)) {
      lost += held(spot, leaving) - held(spot, less);
    }
    return lost;
  }
}
