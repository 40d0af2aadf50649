package dev.muster.core.topology;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/// The bandwidths of the links between nodes or domains and their enclosing domain, by level.
///
/// @param mbps Mbit/s in one direction by depth, the whole cluster first; 0 where not known. A
///   figure is the whole uplink of one child of such a domain, all its rails together. Example: for
///   (cluster, block, rack), the third figure is the bandwidth of a node towards its rack
public record LevelBandwidths(List<Long> mbps) {
  /// No known bandwidths.
  public static final LevelBandwidths UNKNOWN = new LevelBandwidths(List.of());

  public LevelBandwidths {
    mbps = List.copyOf(mbps);
    for (long each : mbps) {
      if (each < 0 || each > Interconnect.MAX_MBPS) {
        throw new IllegalArgumentException(
            "A level's bandwidth is %d Mbit/s; it must be 0 to %d."
                .formatted(each, Interconnect.MAX_MBPS));
      }
    }
  }

  /// Returns the figures of the levels that an admin names, by level name or label key. The name
  /// `cluster` is the level above all others.
  ///
  /// @throws IllegalArgumentException if a name is not one of the topology's levels
  public static LevelBandwidths of(Topology topology, Map<String, Long> known) {
    Long[] byDepth = new Long[topology.depth() + 1];
    IntStream.range(0, byDepth.length).forEach(i -> byDepth[i] = 0L);
    new TreeMap<>(known).forEach((level, mbps) -> byDepth[depthOf(topology, level)] = mbps);
    return new LevelBandwidths(List.of(byDepth));
  }

  private static int depthOf(Topology topology, String level) {
    if (level.equals(topology.nameAt(0))) {
      return 0;
    }
    List<String> names =
        IntStream.rangeClosed(0, topology.depth()).mapToObj(topology::nameAt).toList();
    return topology.depthOf(level).stream()
        .filter(depth -> depth <= topology.depth())
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "A bandwidth is given for the unknown level \"%s\". Known: %s. Links within nodes follow from the machine model."
                    .formatted(level, String.join(", ", names))));
  }

  /// Returns the bandwidth at a depth; 0 when not known.
  public long at(int depth) {
    return depth < mbps.size() ? mbps.get(depth) : 0;
  }

  /// Returns the least bandwidth of the levels that traffic between nodes in these places crosses.
  /// The levels reach up to the narrowest labelled domain around all places. It is 0 when one of
  /// those levels is not known.
  ///
  /// It equals the [bottleneck][Interconnect#bottleneck] in the [tree][Interconnect#over], without
  /// building that tree.
  ///
  /// @param paths the places of at least two different nodes; nodes in one domain have equal paths
  public long across(Collection<DomainPath> paths) {
    if (mbps.isEmpty()) {
      return 0;
    }
    DomainPath around = paths.stream().reduce(DomainPath::common).orElse(DomainPath.ROOT);
    int top = around.depth();
    while (!around.isLabelledAt(top)) {
      top--;
    }
    long narrowest = Interconnect.UNBOUNDED;
    for (DomainPath path : paths) {
      narrowest = Math.min(narrowest, below(path, top));
    }
    return narrowest;
  }

  private long below(DomainPath path, int top) {
    long narrowest = Interconnect.UNBOUNDED;
    for (int depth = top; depth <= path.depth(); depth++) {
      narrowest = path.isLabelledAt(depth) ? Math.min(narrowest, at(depth)) : narrowest;
    }
    return narrowest;
  }
}
