package dev.muster.core.victims;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;

/// Chooses victims on a [VictimScope] by capacity gained per cost.
///
/// Algorithm: greedy weighted set cover (Chvátal 1979).
///
/// 1. For each node, find the cheapest bundle of gangs whose departure frees capacity for one more
///    member there.
/// 2. Take the bundle that gains most per cost over all nodes. Repeat until enough is gained.
/// 3. Spare each gang that proves needless, the most expensive first.
///
/// Example: a preemptor with 2 members of 8 GPUs. Nodes n1 and n2 each run one gang of 8 GPUs with
/// cost 3. Nodes n3 and n4 run one gang with 2 members of 8 GPUs, one on each node, with cost 4. A
/// bundle on n3 costs 4 and gains 2, because n4 becomes free too. A bundle on n1 costs 3 and gains
/// 1. The gang on n3 and n4 is chosen.
final class GreedyCover {
  /// @param gain units gained, at most the units still missing
  /// @param gained units gained in all
  /// @param shortfall GPUs by which queues would be below their guarantees
  private record Bundle(
      int spot, BitSet leaving, VictimCost cost, long gain, long gained, int shortfall) {}

  private final UnitDemand demand;
  private final VictimScope scope;

  /// True if some sets of victims take queues below their guarantees.
  private final boolean strained;

  GreedyCover(UnitDemand demand, VictimScope scope) {
    this.demand = demand;
    this.scope = scope;
    this.strained = scope.strainsGuarantees();
  }

  /// Returns several sets of candidates that gain enough, if there are any.
  ///
  /// @param most limit on the gangs of a set; if the cheapest sets exceed it, a set of few gangs is
  ///   searched too
  List<BitSet> covers(int most) {
    List<Bundle> first = bundles();
    List<BitSet> covers = new ArrayList<>();
    BitSet nobody = new BitSet();
    covers.add(greedy(first, GreedyCover::byGain, nobody));
    covers.add(greedy(first, GreedyCover::byPrice, nobody));
    if (!scope.meetsQuota(nobody)) {
      covers.add(greedy(first, GreedyCover::byGain, scope.meetingQuota(nobody)));
    }
    if (strained) {
      covers.add(greedy(first, GreedyCover::byShortfall, nobody));
    }
    if (covers.stream().anyMatch(cover -> cover.cardinality() > most)) {
      covers.add(greedy(first, GreedyCover::byNumber, nobody));
    }
    return covers;
  }

  /// Returns the bundle of each spot that has one, with no candidate removed yet.
  private List<Bundle> bundles() {
    BitSet nobody = new BitSet();
    long missing = demand.units() - scope.held(nobody);
    List<Bundle> bundles = new ArrayList<>();
    for (int spot = 0; spot < scope.size(); spot++) {
      bundle(spot, nobody, missing).ifPresent(bundles::add);
    }
    return bundles;
  }

  /// Returns one set of candidates that gains enough, if there is one.
  ///
  /// @param first initial bundles
  /// @param order the better bundle first
  /// @param begun candidates that leave in any case
  private BitSet greedy(List<Bundle> first, Comparator<Bundle> order, BitSet begun) {
    BitSet leaving = (BitSet) begun.clone();
    long held = scope.held(leaving);
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
      BitSet touched = scope.touched(now.get().leaving());
      for (int spot = touched.nextSetBit(0); spot >= 0; spot = touched.nextSetBit(spot + 1)) {
        bundle(spot, leaving, demand.units() - held).ifPresent(queue::add);
      }
    }
    return withoutNeedless(scope.meetingQuota(leaving));
  }

  /// Orders bundles by how far guarantees are missed, then by their gain per cost.
  private static int byShortfall(Bundle a, Bundle b) {
    int side = Integer.compare(a.shortfall(), b.shortfall());
    return side != 0 ? side : byGain(a, b);
  }

  /// Orders bundles by their gain on all nodes per cost.
  private static int byGain(Bundle a, Bundle b) {
    return orElse(a.cost().compareFor(a.gain(), b.cost(), b.gain()), a, b);
  }

  /// Orders bundles by cost alone.
  private static int byPrice(Bundle a, Bundle b) {
    return orElse(a.cost().compareTo(b.cost()), a, b);
  }

  /// Orders bundles by gain per gang.
  private static int byNumber(Bundle a, Bundle b) {
    long one = b.gain() * a.leaving().cardinality();
    long other = a.gain() * b.leaving().cardinality();
    return orElse(Long.compare(one, other), a, b);
  }

  private static int orElse(int order, Bundle a, Bundle b) {
    int next = order != 0 ? order : Long.compare(b.gain(), a.gain());
    return next != 0 ? next : Integer.compare(a.spot(), b.spot());
  }

  /// Returns the cheapest candidates of the node whose departure adds capacity there for a member.
  private Optional<Bundle> bundle(int spot, BitSet leaving, long missing) {
    List<Integer> others = scope.leavable(spot, leaving);
    long now = scope.held(spot, leaving);
    BitSet with = (BitSet) leaving.clone();
    BitSet added = new BitSet();
    for (int candidate : others) {
      BitSet alone = (BitSet) leaving.clone();
      alone.set(candidate);
      if (scope.held(spot, alone) > now) {
        added.clear();
        added.set(candidate);
        return Optional.of(priced(spot, added, leaving, missing));
      }
      with.set(candidate);
      added.set(candidate);
      if (scope.held(spot, with) > now) {
        return Optional.of(priced(spot, pruned(spot, added, leaving, now), leaving, missing));
      }
    }
    return Optional.empty();
  }

  private BitSet pruned(int spot, BitSet added, BitSet leaving, long now) {
    BitSet few = (BitSet) added.clone();
    for (int i = added.nextSetBit(0); i >= 0; i = added.nextSetBit(i + 1)) {
      few.clear(i);
      BitSet with = (BitSet) leaving.clone();
      with.or(few);
      if (scope.held(spot, with) <= now) {
        few.set(i);
      }
    }
    return few;
  }

  private Bundle priced(int spot, BitSet added, BitSet leaving, long missing) {
    BitSet with = (BitSet) leaving.clone();
    with.or(added);
    long gain = 0;
    BitSet touched = scope.touched(added);
    for (int place = touched.nextSetBit(0); place >= 0; place = touched.nextSetBit(place + 1)) {
      gain += scope.held(place, with) - scope.held(place, leaving);
    }
    int shortfall = strained ? scope.shortfall(with) : 0;
    return new Bundle(spot, added, scope.cost(added), Math.min(missing, gain), gain, shortfall);
  }

  private BitSet withoutNeedless(BitSet leaving) {
    BitSet few = (BitSet) leaving.clone();
    long held = scope.held(few);
    List<Integer> dearestFirst =
        leaving.stream()
            .boxed()
            .sorted(
                Comparator.comparing((Integer i) -> scope.priceOf(i))
                    .reversed()
                    .thenComparing(i -> i))
            .toList();
    for (int candidate : dearestFirst) {
      long lost = scope.lost(candidate, few);
      if (held - lost >= demand.units() && scope.meetsQuota(VictimScope.without(candidate, few))) {
        few.clear(candidate);
        held -= lost;
      }
    }
    return few;
  }
}
