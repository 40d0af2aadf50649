package dev.muster.core.placement;

import dev.muster.core.topology.DomainPath;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// A topology domain as one search sees it: only the nodes that offer something.
///
/// @param path the domain; for a node, the domain it lies in
/// @param offer the node's offer; absent for a domain of several
/// @param children what lies right below, in order; empty for a node
/// @param freeGpus free GPUs of all nodes below
record Site(DomainPath path, Optional<Offer> offer, List<Site> children, long freeGpus) {
  static final Comparator<Site> IN_ORDER =
      Comparator.comparing(Site::path)
          .thenComparing(site -> site.offer().map(offer -> offer.node().id().name()).orElse(""));

  /// The whole cluster, of these offers.
  static Site of(List<Offer> offers, int depth) {
    return domain(DomainPath.ROOT, offers, depth);
  }

  private static Site domain(DomainPath path, List<Offer> offers, int depth) {
    List<Site> children = new ArrayList<>();
    if (path.depth() == depth) {
      offers.forEach(offer -> children.add(node(offer)));
    } else {
      TreeMap<DomainPath, List<Offer>> below = new TreeMap<>();
      for (Offer offer : offers) {
        below
            .computeIfAbsent(offer.node().path().upTo(path.depth() + 1), _ -> new ArrayList<>())
            .add(offer);
      }
      for (Map.Entry<DomainPath, List<Offer>> entry : below.entrySet()) {
        children.add(domain(entry.getKey(), entry.getValue(), depth));
      }
    }
    children.sort(IN_ORDER);
    return new Site(
        path, Optional.empty(), children, children.stream().mapToLong(Site::freeGpus).sum());
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

  /// All sites of the depth, nodes being one deeper than the innermost domains, that are real
  /// domains: the unlabelled nodes of a level are near nobody.
  List<Site> atDepth(int depth) {
    List<Site> found = new ArrayList<>();
    collect(depth, found);
    return found;
  }

  private void collect(int depth, List<Site> found) {
    if (depth() == depth) {
      if (isNode() || path.isLabelled()) {
        found.add(this);
      }
      return;
    }
    children.forEach(child -> child.collect(depth, found));
  }

  private int depth() {
    return path.depth() + (isNode() ? 1 : 0);
  }
}
