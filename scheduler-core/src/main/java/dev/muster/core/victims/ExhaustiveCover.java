package dev.muster.core.victims;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/// Chooses victims on a [VictimScope] by enumerating all subsets of its candidates.
final class ExhaustiveCover {
  private final UnitDemand demand;
  private final VictimScope scope;

  ExhaustiveCover(UnitDemand demand, VictimScope scope) {
    this.demand = demand;
    this.scope = scope;
  }

  /// Returns the candidate subsets that free enough capacity.
  ///
  /// If all members are alike, only minimal subsets are returned: those without a needless gang. If
  /// members differ, the counted gain is only a bound, and a larger subset may be the first on
  /// which they fit. All subsets that gain enough are returned then.
  List<BitSet> covers() {
    List<BitSet> enough = new ArrayList<>();
    BitSet nobody = new BitSet();
    subsets(0, nobody, scope.held(nobody), enough);
    return enough;
  }

  /// Collects the subsets that extend the given one by candidates numbered `from` or higher.
  private void subsets(int from, BitSet leaving, long held, List<BitSet> enough) {
    boolean suffices = held >= demand.units() && scope.meetsQuota(leaving);
    if (suffices && !demand.areAlike()) {
      enough.add(leaving);
    } else if (suffices) { // a further candidate would be needless
      if (leaving.stream().noneMatch(one -> isNeedless(one, leaving, held))) {
        enough.add(leaving);
      }
      return;
    }
    for (int next = from; next < scope.candidateCount(); next++) {
      BitSet with = (BitSet) leaving.clone();
      with.set(next);
      subsets(next + 1, with, held + scope.lost(next, with), enough);
    }
  }

  private boolean isNeedless(int candidate, BitSet leaving, long held) {
    return held - scope.lost(candidate, leaving) >= demand.units()
        && scope.meetsQuota(VictimScope.without(candidate, leaving));
  }
}
