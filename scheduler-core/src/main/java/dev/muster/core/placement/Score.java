package dev.muster.core.placement;

import java.util.List;

/// How good a placement is: integers compared one after the other, smaller is better. The terms are
/// the rank of the GPU model in the gang's wishes; the domains spanned at each level, outermost
/// first; the nodes used; the slowness of the narrowest link; the GPUs left free in the domain.
///
/// @param terms most important first
record Score(List<Long> terms) implements Comparable<Score> {
  Score {
    terms = List.copyOf(terms);
  }

  @Override
  public int compareTo(Score other) {
    for (int i = 0; i < Math.min(terms.size(), other.terms.size()); i++) {
      int side = Long.compare(terms.get(i), other.terms.get(i));
      if (side != 0) {
        return side;
      }
    }
    return Integer.compare(terms.size(), other.terms.size());
  }
}
