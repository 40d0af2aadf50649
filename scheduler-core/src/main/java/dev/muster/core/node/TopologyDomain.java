package dev.muster.core.node;

import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.NodeId;
import dev.muster.core.topology.DomainPath;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// A topology domain with everything in it.
///
/// It is a persistent tree with the nodes in its leaves.
///
/// @param path its identity
/// @param children its direct subdomains; empty for an innermost domain
/// @param nodes its direct nodes; empty unless it is an innermost domain
/// @param capacity free capacity of all nodes in it
/// @param nodeCount number of nodes in it
/// @param peaks the greatest free capacity of one domain, for each level below this one
@SuppressWarnings("ReferenceEquality") // an unchanged capacity is one object
public record TopologyDomain(
    DomainPath path,
    SortedTable<String, TopologyDomain> children,
    SortedTable<NodeId, NodeState> nodes,
    DomainCapacity capacity,
    int nodeCount,
    List<MaxFreeCapacity> peaks) {
  public static TopologyDomain empty(DomainPath path) {
    return new TopologyDomain(
        path, SortedTable.empty(), SortedTable.empty(), DomainCapacity.NONE, 0, List.of());
  }

  /// Returns the greatest free capacity of any one domain at this depth.
  ///
  /// @param depth greater than this domain's
  public MaxFreeCapacity maxFree(int depth) {
    int below = depth - path.depth() - 1;
    return below < peaks.size() ? peaks.get(below) : MaxFreeCapacity.NONE;
  }

  /// Returns all nodes in it.
  ///
  /// Domains come in their order, and nodes of an innermost domain in the order of their names.
  public List<NodeState> allNodes() {
    List<NodeState> all = new ArrayList<>(nodeCount);
    visit(all::add);
    return all;
  }

  private void visit(Consumer<NodeState> visitor) {
    nodes.forEach(visitor);
    children.forEach(child -> child.visit(visitor));
  }

  /// Returns its domains at this depth, in order; itself at its own depth.
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

  /// Returns the domain at the path, which must start with this domain's path.
  public Optional<TopologyDomain> at(DomainPath target) {
    return target.depth() == path.depth()
        ? Optional.of(this)
        : children.get(target.values().get(path.depth())).flatMap(child -> child.at(target));
  }

  /// Returns this domain with one of its nodes added, changed or removed.
  ///
  /// A state is absent before the node comes or after it goes. Both states are in one innermost
  /// domain.
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

  private List<MaxFreeCapacity> peaks(
      SortedTable<String, TopologyDomain> siblings, TopologyDomain before, TopologyDomain now) {
    List<MaxFreeCapacity> found = new ArrayList<>();
    for (int level = 0; level <= Math.max(before.peaks.size(), now.peaks.size()); level++) {
      int depth = path.depth() + 1 + level;
      found.add(
          maxFree(depth)
              .changed(before.topped(depth), now.topped(depth), siblings, d -> d.topped(depth)));
    }
    return List.copyOf(found);
  }

  /// Returns the greatest free capacity at the depth, which may be this domain's own.
  private MaxFreeCapacity topped(int depth) {
    return depth == path.depth() ? MaxFreeCapacity.of(capacity) : maxFree(depth);
  }
}
