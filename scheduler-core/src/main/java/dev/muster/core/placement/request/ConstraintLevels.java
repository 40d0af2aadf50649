package dev.muster.core.placement.request;

import dev.muster.core.fit.Veto;
import dev.muster.core.gang.TopologyConstraint;
import dev.muster.core.gang.TopologyConstraint.Layout;
import dev.muster.core.topology.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The topology levels that a gang names in its constraints.
public record ConstraintLevels(Topology topology, TopologyConstraint wish) {
  /// Returns the depth of the level at which one domain must hold all members; 0 for the cluster.
  public int required() {
    return topology.requiredDepth(wish.required());
  }

  /// Returns the depth of the level inside of which all places are near enough. It is the preferred
  /// one, or the required one if that is narrower. Without a preferred level, and for a balanced
  /// layout, it is the depth of nodes.
  int near() {
    return wish.preferred().isEmpty() || wish.layout() == Layout.BALANCED
        ? topology.nodeDepth()
        : Math.max(required(), topology.requiredDepth(wish.preferred()));
  }

  /// Returns a veto for the first level that is unknown or contradictory. The level of slices must
  /// not be wider than the level that one domain must hold.
  public Optional<Veto> veto() {
    for (Optional<String> level : List.of(wish.required(), wish.preferred())) {
      if (level.isPresent() && topology.depthOf(level.get()).isEmpty()) {
        return Optional.of(new Veto.UnknownLevel(level.get(), known(1)));
      }
    }
    return wish.slices().isPresent() ? sliceVeto(wish.slices().get().level()) : Optional.empty();
  }

  private Optional<Veto> sliceVeto(String level) {
    int depth = topology.depthOf(level).orElse(-1);
    if (depth < 0) {
      return Optional.of(new Veto.UnknownLevel(level, known(1)));
    }
    return depth < required()
        ? Optional.of(new Veto.SlicesTooWide(level, topology.nameAt(required()), known(required())))
        : Optional.empty();
  }

  private List<String> known(int from) {
    List<String> known = new ArrayList<>();
    for (int depth = from; depth <= topology.nodeDepth(); depth++) {
      known.add(topology.nameAt(depth));
    }
    return known;
  }
}
