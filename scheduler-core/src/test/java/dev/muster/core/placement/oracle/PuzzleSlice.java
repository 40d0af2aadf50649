package dev.muster.core.placement.oracle;

import dev.muster.core.cluster.Gang;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Slices;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Members that must lie in one domain of a level.
///
/// @param waiting those to be placed, in rank order
/// @param mate where the first of those with places is: the others must be near it
record PuzzleSlice(List<Member> waiting, Optional<NodeId> mate) {
  /// The slices of the gang, counted over all of its members that wait or have places.
  static List<PuzzleSlice> of(Gang gang, Slices slices) {
    List<Member> all =
        gang.members().values().stream()
            .filter(member -> member.wantsNode() || member.isBound())
            .sorted(Member.BY_RANK)
            .toList();
    List<PuzzleSlice> cut = new ArrayList<>();
    for (int from = 0; from < all.size(); from += slices.size()) {
      List<Member> part = all.subList(from, Math.min(all.size(), from + slices.size()));
      cut.add(
          new PuzzleSlice(
              part.stream().filter(Member::wantsNode).toList(),
              part.stream().flatMap(member -> member.node().stream()).findFirst()));
    }
    return cut;
  }
}
