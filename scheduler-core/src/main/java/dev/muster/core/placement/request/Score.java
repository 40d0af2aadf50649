package dev.muster.core.placement.request;

import java.util.List;

/// The quality of a placement: whole numbers compared one after the other; smaller is better.
///
/// 1. The rank of the GPU model among the models that the gang accepts.
/// 2. For each topology level, outermost first, the domains spanned.
/// 3. The nodes used.
/// 4. For [dev.muster.core.gang.TopologyConstraint.Layout#BALANCED] only, the most members on one
///    node. This is no term here, because [PlacementSearch] minimizes it with a cap.
/// 5. The preferences that nodes do not meet, see [NodePreferences].
/// 6. The slowness of the narrowest link. It is not a sum, so it is compared only between candidate
///    domains and the linked places inside them.
/// 7. The increase of fragmentation on the nodes used.
/// 8. The free GPUs, before the placement, of the innermost domains used.
/// 9. The free GPUs, before the placement, of the nodes used.
/// 10. The order of GPU model names, then of domain paths, then of node names: the first of equal
///     candidates is kept.
///
/// A gang may state the level inside of which all places are near enough. Then the domains of
/// narrower levels and the nodes count only after term 7.
///
/// Domains and nodes that already contain placed members are not counted again.
///
/// @param rank term 1
/// @param spans terms 2 and 3, without those that count after term 7
/// @param rest terms 5 to 9
public record Score(long rank, List<Long> spans, List<Long> rest) implements Comparable<Score> {
  @Override
  public int compareTo(Score other) {
    int side = Long.compare(rank, other.rank);
    side = side != 0 ? side : compareSpans(other);
    return side != 0 ? side : compare(rest, other.rest);
  }

  /// Compares only the domains spanned and the nodes used.
  public int compareSpans(Score other) {
    return compare(spans, other.spans);
  }

  private static int compare(List<Long> terms, List<Long> others) {
    int side = 0;
    for (int i = 0; i < terms.size() && side == 0; i++) {
      side = Long.compare(terms.get(i), others.get(i));
    }
    return side;
  }
}
