package dev.muster.core.victims;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/// Chooses victims on a [VictimScope] by going through all subsets of its candidates.
final class ExhaustiveCover {
  private final UnitDemand demand;
  private final VictimScope scope;

  ExhaustiveCover(UnitDemand demand, VictimScope scope) {
    this.demand = demand;
    this.scope = scope;
  }

  /// All subsets that gain enough and from which no gang can be left out; where the members are
  /// unlike, all that gain enough, since what they gain is a bound only: a larger one may be the
  /// first on which they fit.
  List<BitSet> covers() {
    List<BitSet> enough = new ArrayList<>();
    BitSet nobody = new BitSet();
    subsets(0, nobody, scope.held(nobody), enough);
    return enough;
  }

  /// Those that add to the given ones some of the candidates from a number on.
  private void subsets(int from, BitSet leaving, long held, List<BitSet> enough) {
    if (held >= demand.units() && !demand.areAlike()) {
      enough.add(leaving);
    } else if (held >= demand.units()) { // more would be needless
      if (leaving.stream().noneMatch(one -> held - scope.lost(one, leaving) >= demand.units())) {
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
}
