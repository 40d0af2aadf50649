package dev.muster.core.placement.diagnosis;

import dev.muster.core.placement.request.KindCounts;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/// The resources that the kinds of members need, by sets of kinds.
final class AskedResources {
  private final KindCounts kindCounts;
  private final Map<Long, List<String>> known = new LinkedHashMap<>();
  private final long wanting;

  AskedResources(KindCounts kindCounts) {
    this.kindCounts = kindCounts;
    long bits = 0;
    for (int kind = 0; kind < kindCounts.kinds().size(); kind++) {
      bits |= kindCounts.kinds().get(kind).wantsGpu() ? bit(kind) : 0;
    }
    this.wanting = bits;
  }

  /// Returns the bit of a kind of member. Kinds beyond the first 62 share the last bit, because
  /// gangs with so many kinds do not occur.
  static long bit(int kind) {
    return 1L << Math.min(kind, 62);
  }

  /// Returns the resources that at least one of the kinds needs.
  List<String> neededBy(long kinds) {
    return kinds == 0 ? List.of() : known.computeIfAbsent(kinds, this::union);
  }

  private List<String> union(long kinds) {
    TreeSet<String> names = new TreeSet<>();
    for (int kind = 0; kind < kindCounts.kinds().size(); kind++) {
      if ((kinds & bit(kind)) != 0) {
        kindCounts.kinds().get(kind).resources().asMap().entrySet().stream()
            .filter(needed -> needed.getValue() > 0)
            .forEach(needed -> names.add(needed.getKey()));
      }
    }
    return List.copyOf(names);
  }

  /// True if at least one of the kinds wants GPUs.
  boolean wantGpus(long kinds) {
    return (kinds & wanting) != 0;
  }
}
