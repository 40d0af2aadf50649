package dev.muster.server.http;

import java.util.List;

/// How well each offered node suits a pod: the best as good as can be said, the others not at all.
///
/// @param offer the best, and maybe others
/// @param worst nodes that are not, offered or not
record Scores(OfferedNodes offer, NameSet worst) {
  /// As good as can be said; the extender contract's scores go from 0.
  static final int BEST = 10;

  /// All of these nodes are best.
  static Scores best(OfferedNodes offer) {
    return new Scores(offer, NameSet.EMPTY);
  }

  /// The names of the best, in the order offered.
  List<String> best() {
    return offer.names().stream().filter(name -> !worst.contains(name)).toList();
  }
}
