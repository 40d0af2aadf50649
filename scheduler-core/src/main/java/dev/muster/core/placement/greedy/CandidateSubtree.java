package dev.muster.core.placement.greedy;

import dev.muster.core.gang.Resources;
import dev.muster.core.node.NodeState;
import dev.muster.core.node.TopologyDomain;
import dev.muster.core.placement.request.CandidateNode;
import dev.muster.core.topology.DomainPath;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// A topology domain as the greedy search sees it: only candidate nodes are included.
///
/// @param path the domain; for a node, the domain that contains it
/// @param candidate the node; absent for a domain
/// @param children domains or nodes directly below, in order; empty for a node
/// @param freeGpus free GPUs of all nodes below
record CandidateSubtree(
    DomainPath path,
    Optional<CandidateNode> candidate,
    List<CandidateSubtree> children,
    long freeGpus) {
  /// Creates the subtree of a domain from its candidate nodes.
  static CandidateSubtree of(
      TopologyDomain domain, Function<NodeState, Optional<CandidateNode>> offers) {
    List<CandidateSubtree> children = new ArrayList<>();
    for (NodeState node : domain.nodes()) {
      offers.apply(node).ifPresent(candidate -> children.add(node(candidate)));
    }
    domain.children().forEach(child -> children.add(of(child, offers)));
    return new CandidateSubtree(
        domain.path(),
        Optional.empty(),
        children,
        children.stream().mapToLong(CandidateSubtree::freeGpus).sum());
  }

  private static CandidateSubtree node(CandidateNode candidate) {
    return new CandidateSubtree(
        candidate.node().path(), Optional.of(candidate), List.of(), candidate.node().freeGpus());
  }

  boolean isNode() {
    return candidate.isPresent();
  }

  /// Returns the free resources of all nodes below, together.
  Resources freeResources() {
    Resources own =
        candidate.map(c -> c.node().freeCapacity().free().atLeastNone()).orElse(Resources.NONE);
    for (CandidateSubtree child : children) {
      own = own.plus(child.freeResources());
    }
    return own;
  }

  int nodeCount() {
    return isNode() ? 1 : children.stream().mapToInt(CandidateSubtree::nodeCount).sum();
  }

  /// Returns the path of the domain, or of the node.
  DomainPath place() {
    return candidate.map(o -> o.node().place(path.depth() + 1)).orElse(path);
  }

  /// Returns all subtrees at the depth. Nodes are one deeper than the innermost domains.
  List<CandidateSubtree> atDepth(int depth) {
    List<CandidateSubtree> found = new ArrayList<>();
    collect(depth, found);
    return found;
  }

  private void collect(int depth, List<CandidateSubtree> found) {
    if (place().depth() == depth) {
      found.add(this);
      return;
    }
    children.forEach(child -> child.collect(depth, found));
  }
}
