package dev.muster.core.topology;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/// The levels of the cluster's fabric, outermost first, without the node.
///
/// Depths count from the whole cluster (0) over the levels (1 to [#depth]) to the node, which is
/// one deeper.
///
/// @param levels outermost first; if empty, only nodes are distinguished; names and labels are
///   unique
/// @param locality the known bandwidths of the fabric
public record Topology(List<TopologyLevel> levels, Locality locality) {
  public Topology {
    levels = List.copyOf(levels);
    Set<String> names = new TreeSet<>();
    names.add(TopologyLevel.NODE.name());
    Set<String> labels = new TreeSet<>();
    for (TopologyLevel level : levels) {
      checkNew(names, "name", level.name());
      checkNew(labels, "label", level.label());
    }
  }

  private static void checkNew(Set<String> seen, String what, String word) {
    if (!seen.add(word)) {
      throw new IllegalArgumentException(
          "the %s \"%s\" is used by two levels.".formatted(what, word));
    }
  }

  /// Creates levels of a fabric with unknown bandwidths.
  public Topology(List<TopologyLevel> levels) {
    this(levels, Locality.UNKNOWN);
  }

  /// Returns these levels with known bandwidths.
  public Topology with(Locality known) {
    return new Topology(levels, known);
  }

  /// Returns the number of levels: the depth of the innermost domains that contain nodes.
  public int depth() {
    return levels.size();
  }

  /// Returns the depth of a node.
  public int nodeDepth() {
    return levels.size() + 1;
  }

  /// Returns the domain of a node with these labels.
  public DomainPath locate(Map<String, String> labels) {
    return new DomainPath(
        levels.stream()
            .map(level -> labels.getOrDefault(level.label(), DomainPath.UNLABELLED))
            .toList());
  }

  /// Returns the depth of a level, given by its name or its label key. Both `node` and
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

  /// Returns the depth of the level at which a gang must stay inside one domain. It is 0, the whole
  /// cluster, when no level is required or the level is not known.
  public int requiredDepth(Optional<String> level) {
    return level.isPresent() ? depthOf(level.get()).orElse(0) : 0;
  }

  /// Returns the name of the level at a depth: `cluster` for 0, `node` below all levels.
  public String nameAt(int depth) {
    return depth == 0
        ? "cluster"
        : depth > depth() ? TopologyLevel.NODE.name() : levels.get(depth - 1).name();
  }

  /// Returns the label key of the level at a depth, if it has one.
  public Optional<String> labelAt(int depth) {
    return depth == 0 || depth > depth()
        ? Optional.empty()
        : Optional.of(levels.get(depth - 1).label());
  }

  /// Returns the label key of a level, given by name or key, if it is known and has one.
  public Optional<String> labelOf(String level) {
    OptionalInt depth = depthOf(level);
    return depth.isPresent() ? labelAt(depth.getAsInt()) : Optional.empty();
  }
}
