package dev.muster.core.topology;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jgrapht.alg.util.UnionFind;

/// The links of a network with their bandwidths. It may be any graph: a tree of switches, rails,
/// rings, cube meshes, leaves with several uplinks.
///
/// A gang's traffic passes through its own members and through places that [relay][Vertex#relays]
/// traffic. It never passes through a node or GPU of another gang. Therefore a further member can
/// connect parts that were separate. Where only switches relay traffic, a further member never
/// makes a gang better connected.
///
/// All figures are Mbit/s in one direction.
///
/// @param links widest first; parallel links between two places are merged into one with the sum of
///   their bandwidths, at most [#MAX_MBPS]
public record Interconnect(List<Link> links) {
  /// The bandwidth of a gang that crosses no link.
  public static final long UNBOUNDED = Long.MAX_VALUE;

  /// The greatest bandwidth of a link. Readers of a journal that use `double` still hold it
  /// exactly.
  public static final long MAX_MBPS = (1L << 53) - 1;

  /// No known links.
  public static final Interconnect NONE = new Interconnect(List.of());

  public Interconnect {
    links = bundled(links);
  }

  private static List<Link> bundled(List<Link> links) {
    SortedMap<Ends, Long> sums = new TreeMap<>();
    for (Link link : links) {
      sums.merge(
          new Ends(link.a(), link.b()),
          link.bandwidthMbps(),
          (one, other) -> Math.min(one + other, MAX_MBPS));
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

  /// Returns these links combined with the tree that the topology levels form. Each labelled domain
  /// is a switch. Each node, and each domain at an end of a link, has a link to the nearest
  /// labelled domain around it, with the bandwidth of that domain's level. Where these links join
  /// such a pair too, theirs is a second uplink and both count.
  public Interconnect over(LevelBandwidths levels, Map<String, DomainPath> nodes) {
    SortedSet<Link> tree = new TreeSet<>();
    nodes.forEach((name, path) -> hang(new Vertex.Node(name), path, path.depth(), levels, tree));
    links.stream()
        .flatMap(link -> Stream.of(link.a(), link.b()))
        .forEach(end -> {
          if (end instanceof Vertex.Domain(DomainPath path)) {
            hang(end, path, path.depth() - 1, levels, tree);
          }
        });
    return new Interconnect(Stream.concat(tree.stream(), links.stream()).toList());
  }

  private static void hang(
      Vertex place, DomainPath path, int deepest, LevelBandwidths levels, Set<Link> tree) {
    Vertex below = place;
    for (int depth = deepest; depth >= 0; depth--) {
      if (path.isLabelledAt(depth)) {
        Vertex above = new Vertex.Domain(path.upTo(depth));
        tree.add(new Link(below, above, levels.at(depth)));
        below = above;
      }
    }
  }

  /// Returns the bandwidth of the narrowest link between the members, if each pair uses its widest
  /// path. This is the least edge of the maximum spanning tree between them. It is [#UNBOUNDED] for
  /// fewer than two members. It is 0 when some members are not joined, or only by links of unknown
  /// bandwidth.
  ///
  /// Algorithm: a path of the maximum spanning tree is a widest path between its ends (T. C. Hu,
  /// "The maximum capacity route problem", Operations Research 9, 1961). Kruskal's algorithm (1956)
  /// grows that tree from the widest link down. The first link that joins all members is the
  /// result. O(L log V) for L links.
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
      if (isLastOfItsWidth(usable, i) && joined(trees, sorted)) {
        return link.bandwidthMbps();
      }
    }
    return 0;
  }

  /// Returns the sets of places that links of at least some bandwidth join, for the widest links
  /// first. Each set occurs once. They are the trees that Kruskal's algorithm has grown after each
  /// bandwidth. Two sets are disjoint, or one contains the other.
  public List<SortedSet<Vertex>> unions() {
    List<SortedSet<Vertex>> found = new ArrayList<>();
    SortedMap<Vertex, SortedSet<Vertex>> trees = new TreeMap<>();
    SortedSet<Vertex> grown = new TreeSet<>();
    UnionFind<Vertex> roots = new UnionFind<>(touched(new TreeSet<>(), links));
    for (int i = 0; i < links.size(); i++) {
      Vertex a = roots.find(links.get(i).a());
      Vertex b = roots.find(links.get(i).b());
      if (!a.equals(b)) {
        roots.union(a, b);
        SortedSet<Vertex> tree = new TreeSet<>();
        for (Vertex old : List.of(a, b)) {
          SortedSet<Vertex> part = trees.remove(old);
          tree.addAll(part == null ? List.of(old) : part);
          grown.remove(old);
        }
        trees.put(roots.find(a), tree);
        grown.add(roots.find(a));
      }
      if (isLastOfItsWidth(links, i)) {
        grown.forEach(root -> found.add(Objects.requireNonNull(trees.get(root))));
        grown.clear();
      }
    }
    return found;
  }

  private static boolean isLastOfItsWidth(List<Link> links, int i) {
    return i + 1 == links.size() || links.get(i + 1).bandwidthMbps() < links.get(i).bandwidthMbps();
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
}
