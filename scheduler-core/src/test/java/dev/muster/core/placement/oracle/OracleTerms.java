package dev.muster.core.placement.oracle;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// The terms of the objective, smaller is better, most important first.
///
/// @param byName the terms in order
record OracleTerms(Map<String, Long> byName) implements Comparable<OracleTerms> {
  /// The rank of the GPU model in the gang's wishes.
  static final String RANK = "model rank";

  /// The nodes with members, mates with places counted.
  static final String NODES = "nodes";

  /// For a balanced gang: the most members on one node.
  static final String MOST = "most on one node";

  /// Preferences that nodes do not meet, added up over the members.
  static final String UNMET = "unmet preferences";

  /// Additional free GPUs that are useless for the expected requests, in weighted thousandths.
  static final String FRAGMENTATION = "fragmentation";

  /// Free GPUs of the innermost domains that take members.
  static final String AROUND = "free around";

  /// Free GPUs of the nodes that take members, before they do.
  static final String SLACK = "free on nodes";

  OracleTerms {
    byName = Collections.unmodifiableMap(new LinkedHashMap<>(byName));
  }

  /// The domains of a depth with members, mates with places counted.
  static String span(int depth) {
    return "span of level " + depth;
  }

  long get(String name) {
    return byName.getOrDefault(name, 0L);
  }

  /// Returns the first term that differs from other terms of this gang.
  Optional<String> firstOtherThan(OracleTerms others) {
    return byName.keySet().stream().filter(name -> get(name) != others.get(name)).findFirst();
  }

  @Override
  public int compareTo(OracleTerms others) {
    return firstOtherThan(others).map(name -> Long.compare(get(name), others.get(name))).orElse(0);
  }

  @Override
  public String toString() {
    return byName.toString();
  }
}
