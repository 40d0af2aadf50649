package dev.muster.core.topology;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// How well the places in which a gang would run are joined. It ranks candidates of equal span:
/// those whose narrowest domain is of the same level. (Across spans the level decides, as unknown
/// bandwidths count 0.)
public final class Locality {
  /// Nothing is known: all candidates of equal span rank alike, but for those on one machine that
  /// is known.
  public static final Locality UNKNOWN = new Locality(LevelBandwidths.UNKNOWN, Interconnect.NONE);

  private final LevelBandwidths levels;
  private final Interconnect links;
  private final List<SortedSet<Vertex>> unions;

  /// For each end of a link the links that hang together with it.
  private final SortedMap<Vertex, Interconnect> nets = new TreeMap<>();

  /// @param levels the bandwidths of the topology levels
  /// @param links what the tree of the levels does not tell: rings of racks, second uplinks, rails;
  ///   [Interconnect#NONE] where the levels say it all
  public Locality(LevelBandwidths levels, Interconnect links) {
    this.levels = levels;
    this.links = links;
    this.unions = links.unions();
    for (SortedSet<Vertex> union : unions.reversed()) { // the widest of all sets first
      if (!nets.containsKey(union.first())) {
        Interconnect net =
            new Interconnect(
                links.links().stream().filter(link -> union.contains(link.a())).toList());
        union.forEach(end -> nets.put(end, net));
      }
    }
  }

  /// The bandwidths of the topology levels.
  public LevelBandwidths levels() {
    return levels;
  }

  /// The links beside the levels.
  public Interconnect links() {
    return links;
  }

  /// The places that links [join][Interconnect#unions], those first that the widest do.
  public List<SortedSet<Vertex>> unions() {
    return unions;
  }

  /// What a gang would use of one node.
  ///
  /// @param node the node's name
  /// @param path where it lies
  /// @param machine how its GPUs are joined, if known
  /// @param gpus how many of them the gang would use; 0 for a node with members that need none
  /// @param free the GPUs of the node that are free before
  public record Part(
      String node, DomainPath path, Optional<MachineModel> machine, int gpus, FreeGpus free) {
    /// The bottleneck within the node, which is the gang's if it uses no other; 0 when its machine
    /// is not known or has fewer GPUs.
    public long inside() {
      if (gpus < 2) {
        return Interconnect.UNBOUNDED;
      }
      return machine.isPresent() && gpus <= machine.get().gpus()
          ? machine.get().bandwidthOf(gpus, free)
          : 0;
    }
  }

  /// The gang's bottleneck in Mbit/s, the higher the better; 0 when not known;
  /// [Interconnect#UNBOUNDED] when no two GPUs are used.
  ///
  /// On one node: the bottleneck within it. On several: the narrowest that must be crossed of the
  /// levels and of the links beside them; less if a node in use is narrower still. Nodes of unknown
  /// machine are taken to be wider inside than the network.
  ///
  /// @param parts one for each node in use
  public long score(List<Part> parts) {
    if (parts.size() == 1) {
      return parts.getFirst().inside();
    }
    List<Part> computing = new ArrayList<>(parts.size());
    TreeSet<String> nodes = new TreeSet<>();
    long known = Interconnect.UNBOUNDED;
    for (Part part : parts) {
      if (part.gpus > 0) {
        computing.add(part);
        nodes.add(part.node);
        long inside = part.inside();
        known = inside > 0 ? Math.min(known, inside) : known;
      }
    }
    if (nodes.size() < computing.size()) {
      throw new IllegalArgumentException(
          "A node is listed twice: %s. Maybe its members were not summed up.".formatted(computing));
    }
    return switch (computing.size()) {
      case 0 -> Interconnect.UNBOUNDED;
      case 1 -> computing.getFirst().inside();
      default -> Math.min(known, across(computing));
    };
  }

  private long across(List<Part> parts) {
    List<DomainPath> paths = parts.stream().map(Part::path).toList();
    List<Link> near = nets.isEmpty() ? List.of() : linksNear(parts, paths);
    if (near.isEmpty()) {
      return levels.across(paths);
    }
    SortedMap<String, DomainPath> nodes = new TreeMap<>();
    parts.forEach(part -> nodes.put(part.node, part.path));
    TreeSet<Vertex> members =
        nodes.keySet().stream()
            .map(Vertex.Node::new)
            .collect(Collectors.toCollection(TreeSet::new));
    return new Interconnect(near).over(levels, nodes).bottleneck(members);
  }

  /// The links that can shorten the way: those that hang together with a node of the gang, or with
  /// a domain around one and within the domain around all.
  private List<Link> linksNear(List<Part> parts, List<DomainPath> paths) {
    int top = paths.stream().reduce(DomainPath::common).orElse(DomainPath.ROOT).depth();
    SortedMap<Vertex, Interconnect> found = new TreeMap<>();
    for (Part part : parts) {
      addNet(new Vertex.Node(part.node), found);
      for (int depth = part.path.depth(); depth > top; depth--) {
        addNet(new Vertex.Domain(part.path.upTo(depth)), found);
      }
    }
    return found.values().stream().flatMap(net -> net.links().stream()).toList();
  }

  private void addNet(Vertex end, SortedMap<Vertex, Interconnect> found) {
    Interconnect net = nets.get(end);
    if (net != null) {
      found.put(net.links().getFirst().a(), net); // no end lies in two nets
    }
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Locality that && levels.equals(that.levels) && links.equals(that.links);
  }

  @Override
  public int hashCode() {
    return Objects.hash(levels, links);
  }

  @Override
  public String toString() {
    return "Locality[levels=" + levels + ", links=" + links + "]";
  }
}
