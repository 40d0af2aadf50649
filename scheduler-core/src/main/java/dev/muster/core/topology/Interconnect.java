package dev.muster.core.topology;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jgrapht.Graph;
import org.jgrapht.alg.flow.EdmondsKarpMFImpl;
import org.jgrapht.alg.util.UnionFind;
import org.jgrapht.graph.DefaultWeightedEdge;
import org.jgrapht.graph.SimpleWeightedGraph;

/// The links of a network with their bandwidths; any graph: a tree of switches, rails, rings, cube
/// meshes, leaves with several uplinks.
///
/// A gang's traffic passes through its own members and through whatever [relays][Vertex#relays],
/// never through a node or GPU of somebody else. Hence a further member can join what was apart;
/// where only switches relay traffic, a further member never makes a gang better connected.
///
/// All figures are Mbit/s in one direction. All are whole numbers that sum to less than 2^53, so
/// the `double`s that jgrapht reckons with hold them exactly.
///
/// @param links widest first; links given several times between the same two places are one with
///   the sum of their bandwidths
public record Interconnect(List<Link> links) {
  /// What a gang has that crosses no link at all.
  public static final long UNBOUNDED = Long.MAX_VALUE;

  /// The most that all links may sum to: the largest range of whole numbers that a `double` holds
  /// exactly.
  public static final long MAX_TOTAL_MBPS = (1L << 53) - 1;

  /// No link is known.
  public static final Interconnect NONE = new Interconnect(List.of());

  public Interconnect {
    links = bundled(links);
  }

  private static List<Link> bundled(List<Link> links) {
    SortedMap<Ends, Long> sums = new TreeMap<>();
    long total = 0;
    for (Link link : links) {
      sums.merge(new Ends(link.a(), link.b()), link.bandwidthMbps(), Long::sum);
      total += link.bandwidthMbps();
      if (total > MAX_TOTAL_MBPS) {
        throw new IllegalArgumentException(
            "The links up to %s sum to %d Mbit/s, more than %d. Maybe bandwidths are given in bit/s."
                .formatted(link, total, MAX_TOTAL_MBPS));
      }
    }
    return sums.entrySet().stream()
        .map(e -> new Link(e.getKey().a, e.getKey().b, e.getValue()))
        .sorted()
        .toList();
  }

  private record Ends(Vertex a, Vertex b) implements Comparable<Ends> {
    @Override
    public int compareTo(Ends other) {
      int first = a.compareTo(other.a);
      return first != 0 ? first : b.compareTo(other.b);
    }
  }

  /// The tree of the topology: each labelled domain is a switch; nodes and domains hang on the
  /// nearest labelled domain around them by a link of that domain's level.
  public static Interconnect ofLevels(LevelBandwidths levels, Map<String, DomainPath> nodes) {
    SortedSet<Link> uplinks = new TreeSet<>();
    new TreeMap<>(nodes)
        .forEach((name, path) -> {
          Vertex below = new Vertex.Node(name);
          for (int depth = path.depth(); depth >= 0; depth--) {
            if (path.isLabelledAt(depth)) {
              Vertex above = new Vertex.Domain(path.upTo(depth));
              uplinks.add(new Link(below, above, levels.at(depth)));
              below = above;
            }
          }
        });
    return new Interconnect(List.copyOf(uplinks));
  }

  /// These links and more: rails, rings, second uplinks.
  public Interconnect plus(Collection<Link> more) {
    List<Link> all = new ArrayList<>(links);
    all.addAll(more);
    return new Interconnect(all);
  }

  /// The narrowest link that the members need to reach one another, when each pair takes its widest
  /// path: the least edge of the maximum spanning tree between them. [#UNBOUNDED] for fewer than
  /// two members; 0 when some are not joined, or only by links of unknown bandwidth.
  ///
  /// Algorithm: a path of the maximum spanning tree is a widest path between its ends (T. C. Hu,
  /// "The maximum capacity route problem", Operations Research 9, 1961). Kruskal's algorithm (1956)
  /// grows that tree from the widest link down; the link that first joins all members is the one
  /// sought. O(L log V) for L links.
  public long bottleneck(Set<? extends Vertex> members) {
    if (members.size() < 2) {
      return UNBOUNDED;
    }
    SortedSet<Vertex> sorted = new TreeSet<>(members);
    List<Link> usable = usableBy(sorted);
    UnionFind<Vertex> trees = new UnionFind<>(touched(sorted, usable));
    for (int i = 0; i < usable.size(); i++) {
      Link link = usable.get(i);
      trees.union(link.a(), link.b());
      boolean lastOfItsWidth =
          i + 1 == usable.size() || usable.get(i + 1).bandwidthMbps() < link.bandwidthMbps();
      if (lastOfItsWidth && joined(trees, sorted)) {
        return link.bandwidthMbps();
      }
    }
    return 0;
  }

  private static SortedSet<Vertex> touched(SortedSet<Vertex> members, List<Link> links) {
    SortedSet<Vertex> touched = new TreeSet<>(members);
    for (Link link : links) {
      touched.add(link.a());
      touched.add(link.b());
    }
    return touched;
  }

  private static boolean joined(UnionFind<Vertex> trees, SortedSet<Vertex> members) {
    Vertex root = trees.find(members.first());
    return members.stream().allMatch(member -> trees.find(member).equals(root));
  }

  private List<Link> usableBy(SortedSet<Vertex> members) {
    Predicate<Vertex> passes = vertex -> vertex.relays() || members.contains(vertex);
    return links.stream().filter(link -> passes.test(link.a()) && passes.test(link.b())).toList();
  }

  /// The most that one part of a gang can send to the other at a time, by all paths together: the
  /// least cut that separates them (Ford & Fulkerson 1956; found by Edmonds & Karp 1972).
  ///
  /// @throws IllegalArgumentException when a part is empty or a member is in both
  public long between(Set<? extends Vertex> left, Set<? extends Vertex> right) {
    if (left.isEmpty() || right.isEmpty() || !Collections.disjoint(left, right)) {
      throw new IllegalArgumentException(
          "No cut separates %s from %s. Maybe a member is in both parts or in none."
              .formatted(new TreeSet<>(left), new TreeSet<>(right)));
    }
    SortedSet<Vertex> members = new TreeSet<>(left);
    members.addAll(right);
    return Math.round(
        new EdmondsKarpMFImpl<>(contracted(members, left)).calculateMaximumFlow(0, 1));
  }

  /// The network with one part of the members drawn together in place 0 and the others in place 1.
  private Graph<Integer, DefaultWeightedEdge> contracted(
      SortedSet<Vertex> members, Set<? extends Vertex> left) {
    Graph<Integer, DefaultWeightedEdge> graph =
        new SimpleWeightedGraph<>(DefaultWeightedEdge.class);
    graph.addVertex(0);
    graph.addVertex(1);
    SortedMap<Vertex, Integer> places = new TreeMap<>();
    members.forEach(member -> places.put(member, left.contains(member) ? 0 : 1));
    for (Link link : usableBy(members)) {
      int a = places.computeIfAbsent(link.a(), _ -> graph.vertexSet().size());
      graph.addVertex(a);
      int b = places.computeIfAbsent(link.b(), _ -> graph.vertexSet().size());
      graph.addVertex(b);
      widen(graph, a, b, link.bandwidthMbps());
    }
    return graph;
  }

  private static void widen(Graph<Integer, DefaultWeightedEdge> graph, int a, int b, long mbps) {
    if (a == b) {
      return;
    }
    DefaultWeightedEdge edge = graph.getEdge(a, b);
    if (edge == null) {
      graph.setEdgeWeight(graph.addEdge(a, b), (double) mbps);
    } else {
      graph.setEdgeWeight(edge, graph.getEdgeWeight(edge) + (double) mbps);
    }
  }

  /// What the first half of the ranks can send to the second half at a time. [#UNBOUNDED] for fewer
  /// than two.
  ///
  /// This bounds the bisection bandwidth proper, the least over all ways to halve the gang, from
  /// above. That one is NP-hard to find (Garey, Johnson & Stockmeyer 1976), and with ranks laid
  /// along the topology the cut between their halves is the one that the gang's traffic meets.
  ///
  /// @param ranks the members in rank order, each once; of an odd number the middle one is in the
  ///   second half
  public long bisection(List<? extends Vertex> ranks) {
    if (ranks.size() < 2) {
      return UNBOUNDED;
    }
    int half = ranks.size() / 2;
    return between(
        new TreeSet<>(ranks.subList(0, half)), new TreeSet<>(ranks.subList(half, ranks.size())));
  }
}
