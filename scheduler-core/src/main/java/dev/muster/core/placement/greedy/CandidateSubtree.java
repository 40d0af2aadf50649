package dev.muster.core.placement.greedy;

import dev.muster.core.node.NodeState;
import dev.muster.core.node.TopologyDomain;
import dev.muster.core.placement.request.CandidateNode;
import dev.muster.core.topology.DomainPath;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// A topology domain as the greedy search sees it: only the nodes that offer something.
///
/// @param path the domain; for a node, the domain it lies in
/// @param offer the node's offer; absent for a domain of several
/// @param children what lies right below, in order; empty for a node
/// @param freeGpus free GPUs of all nodes below
record CandidateSubtree(DomainPath path, Optional<CandidateNode> candidate, List<CandidateSubtree> children, long freeGpus) {
  /// A domain with what its nodes offer.
  static CandidateSubtree of(TopologyDomain domain, Function<NodeState, Optional<CandidateNode>> offers) {
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
    return new CandidateSubtree(candidate.node().path(), Optional.of(candidate), List.of(), candidate.node().freeGpus());
  }

  boolean isNode() {
    return candidate.isPresent();
  }

  int nodeCount() {
    return isNode() ? 1 : children.stream().mapToInt(CandidateSubtree::nodeCount).sum();
  }

  /// The domain's path, or the node's.
  DomainPath place() {
    return candidate.map(o -> o.node().place(path.depth() + 1)).orElse(path);
  }

  /// All sites of the depth, nodes being one deeper than the innermost domains.
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
