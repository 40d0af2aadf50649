package dev.muster.server.http;

import java.util.List;

/// How well each offered node suits a pod: the best as good as can be said, the others not at all.
///
/// @param offer the nodes
/// @param named some nodes, offered or not
/// @param bestAreNamed whether those are the best, or all but those
record Scores(Offer offer, NameSet named, boolean bestAreNamed) {
  static Scores best(Offer offer, String node) {
    return new Scores(offer, NameSet.of(List.of(node)), true);
  }

  static Scores noneIsBest(Offer offer) {
    return new Scores(offer, NameSet.EMPTY, true);
  }

  static Scores allBut(Offer offer, NameSet worst) {
    return new Scores(offer, worst, false);
  }

  /// Whether the name that lies between these offsets is one of the best.
  boolean isBest(byte[] text, int from, int to) {
    return named.contains(text, from, to) == bestAreNamed;
  }

  /// A score for each node, in the order offered.
  List<HostScore> list() {
    return offer.names().stream()
        .map(name -> new HostScore(name, named.contains(name) == bestAreNamed ? HostScore.BEST : 0))
        .toList();
  }
}
