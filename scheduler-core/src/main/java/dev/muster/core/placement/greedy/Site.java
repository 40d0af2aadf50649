package dev.muster.core.placement.greedy;

import dev.muster.core.node.Domain;
import dev.muster.core.node.NodeState;
import dev.muster.core.placement.request.Offer;
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
record Site(DomainPath path, Optional<Offer> offer, List<Site> children, long freeGpus) {
  /// A domain with what its nodes offer.
  static Site of(Domain domain, Function<NodeState, Optional<Offer>> offers) {
    List<Site> children = new ArrayList<>();
    for (NodeState node : domain.nodes()) {
      offers.apply(node).ifPresent(offer -> children.add(node(offer)));
    }
    domain.children().forEach(child -> children.add(of(child, offers)));
    return new Site(
        domain.path(),
        Optional.empty(),
        children,
        children.stream().mapToLong(Site::freeGpus).sum());
  }

  private static Site node(Offer offer) {
    return new Site(offer.node().path(), Optional.of(offer), List.of(), offer.node().freeGpus());
  }

  boolean isNode() {
    return offer.isPresent();
  }

  int nodeCount() {
    return isNode() ? 1 : children.stream().mapToInt(Site::nodeCount).sum();
  }

  /// The domain's path, or the node's.
  DomainPath place() {
    return offer.map(o -> o.node().place(path.depth() + 1)).orElse(path);
  }

  /// All sites of the depth, nodes being one deeper than the innermost domains.
  List<Site> atDepth(int depth) {
    List<Site> found = new ArrayList<>();
    collect(depth, found);
    return found;
  }

  private void collect(int depth, List<Site> found) {
    if (place().depth() == depth) {
      found.add(this);
      return;
    }
    children.forEach(child -> child.collect(depth, found));
  }
}
