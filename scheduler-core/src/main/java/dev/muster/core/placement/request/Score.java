package dev.muster.core.placement.request;

import java.util.List;

/// How good a placement is: whole numbers compared one after the other, smaller is better.
///
/// 1. the rank of the GPU model in the gang's wishes;
/// 2. for each topology level, outermost first, the domains spanned;
/// 3. the nodes used;
/// 4. for [dev.muster.core.gang.TopologyConstraint.Layout#BALANCED] only, the most members on one
///    node: no term here, as [PlacementSearch] allows no more than must be;
/// 5. the slowness of the narrowest link, between candidate domains and the places that links join
///    in them only, since it is no sum;
/// 6. what is left behind: by how much fragmentation grows on the nodes used;
/// 7. the free GPUs, before the placement, of the innermost domains used;
/// 8. the free GPUs, before the placement, of the nodes used;
/// 9. the order of domain paths and node names: of equal candidates the first one stays.
///
/// Domains and nodes in which mates have places already do not count again.
///
/// @param rank term 1
/// @param spans terms 2 and 3
/// @param rest terms 5 to 8
public record Score(long rank, List<Long> spans, List<Long> rest) implements Comparable<Score> {
  @Override
  public int compareTo(Score other) {
    int side = Long.compare(rank, other.rank);
    side = side != 0 ? side : compareSpans(other);
    return side != 0 ? side : compare(rest, other.rest);
  }

  /// Compares the domains spanned and the nodes used alone.
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
