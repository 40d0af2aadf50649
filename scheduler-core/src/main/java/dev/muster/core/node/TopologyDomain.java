package dev.muster.core.node;

import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.NodeId;
import dev.muster.core.topology.DomainPath;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// A topology domain with all that lies in it: a persistent tree whose leaves hold the nodes.
///
/// @param path its identity
/// @param children the domains right below it; empty for an innermost domain
/// @param nodes the nodes right in it; empty unless it is an innermost domain
/// @param capacity what is free on all nodes below
/// @param nodeCount how many nodes lie below
/// @param peaks the most that one domain has of those right below, of those below them, and so on
@SuppressWarnings("ReferenceEquality") // an unchanged capacity is the same object
public record TopologyDomain(
    DomainPath path,
    SortedTable<String, TopologyDomain> children,
    SortedTable<NodeId, NodeState> nodes,
    DomainCapacity capacity,
    int nodeCount,
    List<MaxFreeCapacity> peaks) {
  public static TopologyDomain empty(DomainPath path) {
    return new TopologyDomain(path, SortedTable.empty(), SortedTable.empty(), DomainCapacity.NONE, 0, List.of());
  }

  /// The most that any one domain of a depth below this one's has free.
  ///
  /// @param depth greater than this domain's
  public MaxFreeCapacity maxFree(int depth) {
    int below = depth - path.depth() - 1;
    return below < peaks.size() ? peaks.get(below) : MaxFreeCapacity.NONE;
  }

  /// All nodes below, outer domains in order, nodes in order of name within each innermost one.
  public List<NodeState> allNodes() {
    List<NodeState> all = new ArrayList<>(nodeCount);
    visit(all::add);
    return all;
  }

  private void visit(Consumer<NodeState> visitor) {
    nodes.forEach(visitor);
    children.forEach(child -> child.visit(visitor));
  }

  /// The domains of the given depth below this one, in order; this one itself at its own depth.
  public List<TopologyDomain> atDepth(int depth) {
    List<TopologyDomain> found = new ArrayList<>();
    collect(depth, found);
    return found;
  }

  private void collect(int depth, List<TopologyDomain> found) {
    if (path.depth() == depth) {
      found.add(this);
      return;
    }
    children.forEach(child -> child.collect(depth, found));
  }

  /// The domain at the path, which must start with this one's.
  public Optional<TopologyDomain> at(DomainPath target) {
    return target.depth() == path.depth()
        ? Optional.of(this)
        : children.get(target.values().get(path.depth())).flatMap(child -> child.at(target));
  }

  /// This domain with the node below it set to its new state; absent before or after when it comes
  /// or goes. Both states lie in the same innermost domain.
  public TopologyDomain replaced(Optional<NodeState> before, Optional<NodeState> after) {
    NodeState any = (after.isPresent() ? after : before).orElseThrow();
    int count = nodeCount + (after.isPresent() ? 1 : 0) - (before.isPresent() ? 1 : 0);
    DomainCapacity sum = count == 0 ? DomainCapacity.NONE : capacity.replaced(before, after);
    if (path.depth() == any.path().depth()) {
      var changed = after.isPresent() ? nodes.with(any.id(), any) : nodes.without(any.id());
      return new TopologyDomain(path, children, changed, sum, count, peaks);
    }
    String step = any.path().values().get(path.depth());
    Optional<TopologyDomain> there = children.get(step);
    TopologyDomain child = there.isPresent() ? there.get() : empty(path.child(step));
    TopologyDomain changed = child.replaced(before, after);
    SortedTable<String, TopologyDomain> siblings =
        changed.nodeCount == 0 ? children.without(step) : children.with(step, changed);
    List<MaxFreeCapacity> tops = sum == capacity ? peaks : peaks(siblings, child, changed);
    return new TopologyDomain(path, siblings, nodes, sum, count, tops);
  }

  private List<MaxFreeCapacity> peaks(SortedTable<String, TopologyDomain> siblings, TopologyDomain before, TopologyDomain now) {
    List<MaxFreeCapacity> found = new ArrayList<>();
    for (int level = 0; level <= Math.max(before.peaks.size(), now.peaks.size()); level++) {
      int depth = path.depth() + 1 + level;
      found.add(
          maxFree(depth)
              .changed(before.topped(depth), now.topped(depth), siblings, d -> d.topped(depth)));
    }
    return List.copyOf(found);
  }

  /// The peak of the depth, which may be this domain's own.
  private MaxFreeCapacity topped(int depth) {
    return depth == path.depth() ? MaxFreeCapacity.of(capacity) : maxFree(depth);
  }
}
