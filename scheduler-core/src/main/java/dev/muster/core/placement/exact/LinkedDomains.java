package dev.muster.core.placement.exact;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.TopologyDomain;
import dev.muster.core.topology.DomainPath;
import dev.muster.core.topology.Vertex;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.SortedSet;
import java.util.TreeSet;

/// Children of a domain that are joined by links outside the levels.
///
/// Such children are tried separately, because the costs of the whole domain are sums and ignore
/// links.
final class LinkedDomains {
  private final Cluster cluster;
  private final List<SortedSet<Vertex>> unions;

  LinkedDomains(Cluster cluster) {
    this.cluster = cluster;
    this.unions = cluster.topology().locality().unions();
  }

  /// Returns sets of at least two children or nodes of the domain that links join, widest links
  /// first.
  SequencedSet<SortedSet<Vertex>> in(TopologyDomain domain) {
    SequencedSet<SortedSet<Vertex>> found = new LinkedHashSet<>();
    for (SortedSet<Vertex> union : unions) {
      TreeSet<Vertex> children = new TreeSet<>();
      union.forEach(place -> childAround(place, domain.path()).ifPresent(children::add));
      if (children.size() > 1) {
        found.add(children);
      }
    }
    return found;
  }

  /// Returns the child or node of the domain that is the place or contains it.
  private Optional<Vertex> childAround(Vertex place, DomainPath domain) {
    return switch (place) {
      case Vertex.Node(String name) ->
          cluster
              .nodes()
              .get(new NodeId(name))
              .flatMap(node ->
                  node.path().equals(domain)
                      ? Optional.of(place)
                      : childAround(node.path(), domain));
      case Vertex.Domain(DomainPath path) -> childAround(path, domain);
      case Vertex.Gpu _, Vertex.Switch _ -> Optional.empty();
    };
  }

  private static Optional<Vertex> childAround(DomainPath path, DomainPath domain) {
    boolean within = path.depth() > domain.depth() && path.upTo(domain.depth()).equals(domain);
    return within
        ? Optional.of(new Vertex.Domain(path.upTo(domain.depth() + 1)))
        : Optional.empty();
  }
}
