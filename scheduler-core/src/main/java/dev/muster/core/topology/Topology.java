package dev.muster.core.topology;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/// The levels of the cluster's fabric, outermost first, the node left out.
///
/// Depths count from the whole cluster (0) over the levels (1 to [#depth]) to the node, which is
/// one deeper.
///
/// @param levels outermost first; may be empty: then only nodes are told apart
/// @param locality the bandwidths of the fabric, as far as they are known
public record Topology(List<TopologyLevel> levels, Locality locality) {
  public Topology {
    levels = List.copyOf(levels);
  }

  /// Levels of a fabric whose bandwidths are not known.
  public Topology(List<TopologyLevel> levels) {
    this(levels, Locality.UNKNOWN);
  }

  /// The same levels with known bandwidths.
  public Topology with(Locality known) {
    return new Topology(levels, known);
  }

  /// The number of levels: the depth of the innermost domains that hold nodes.
  public int depth() {
    return levels.size();
  }

  /// The depth of a node.
  public int nodeDepth() {
    return levels.size() + 1;
  }

  /// Where a node with these labels lies.
  public DomainPath locate(Map<String, String> labels) {
    return new DomainPath(
        levels.stream()
            .map(level -> labels.getOrDefault(level.label(), DomainPath.UNLABELLED))
            .toList());
  }

  /// The depth of the level that a user names, by its name or its label key; `node` and
  /// `kubernetes.io/hostname` mean the node.
  public OptionalInt depthOf(String level) {
    if (level.equals(TopologyLevel.NODE.name()) || level.equals("kubernetes.io/hostname")) {
      return OptionalInt.of(nodeDepth());
    }
    return IntStream.range(0, levels.size())
        .filter(i -> levels.get(i).name().equals(level) || levels.get(i).label().equals(level))
        .map(i -> i + 1)
        .findFirst();
  }

  /// The depth of the level within one domain of which all of a gang must be; 0, the whole cluster,
  /// where none is required or it is not known.
  public int requiredDepth(Optional<String> level) {
    return level.isPresent() ? depthOf(level.get()).orElse(0) : 0;
  }

  /// The name of the level at a depth: `cluster` for 0, `node` below all levels.
  public String nameAt(int depth) {
    return depth == 0
        ? "cluster"
        : depth > depth() ? TopologyLevel.NODE.name() : levels.get(depth - 1).name();
  }

  /// The label key of the level at a depth, if it has one.
  public Optional<String> labelAt(int depth) {
    return depth == 0 || depth > depth()
        ? Optional.empty()
        : Optional.of(levels.get(depth - 1).label());
  }

  /// The label key of the level that a user names, if it is known and has one.
  public Optional<String> labelOf(String level) {
    OptionalInt depth = depthOf(level);
    return depth.isPresent() ? labelAt(depth.getAsInt()) : Optional.empty();
  }
}
