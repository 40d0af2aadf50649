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

/// A rating of how well the places of a gang are joined. It ranks candidates of equal span:
/// candidates whose narrowest domains are of one level. Across spans the level decides, as unknown
/// bandwidths count 0.
public final class Locality {
  /// No known bandwidths. All candidates of equal span rank alike, except candidates on one machine
  /// of a known model.
  public static final Locality UNKNOWN = new Locality(LevelBandwidths.UNKNOWN, Interconnect.NONE);

  private final LevelBandwidths levels;
  private final Interconnect links;
  private final List<SortedSet<Vertex>> unions;

  /// For each end of a link, all links connected to it directly or through other links.
  private final SortedMap<Vertex, Interconnect> nets = new TreeMap<>();

  /// Creates a rating from known bandwidths.
  ///
  /// @param levels the bandwidths of the topology levels
  /// @param links links that the tree of the levels does not contain: rings of racks, second
  ///   uplinks, rails; [Interconnect#NONE] if there are none
  public Locality(LevelBandwidths levels, Interconnect links) {
    this.levels = levels;
    this.links = links;
    this.unions = links.unions();
    for (SortedSet<Vertex> union : unions.reversed()) { // largest sets first
      if (!nets.containsKey(union.first())) {
        Interconnect net =
            new Interconnect(
                links.links().stream().filter(link -> union.contains(link.a())).toList());
        union.forEach(end -> nets.put(end, net));
      }
    }
  }

  /// Returns the bandwidths of the topology levels.
  public LevelBandwidths levels() {
    return levels;
  }

  /// Returns the links that are not part of the levels.
  public Interconnect links() {
    return links;
  }

  /// Returns the sets of places that links [join][Interconnect#unions], for the widest links first.
  public List<SortedSet<Vertex>> unions() {
    return unions;
  }

  /// The share of one node that a gang would use.
  ///
  /// @param node the node's name
  /// @param path the domain of the node
  /// @param machine the links between its GPUs, if known
  /// @param gpus number of GPUs that the gang would use; 0 for a node with members that need none
  /// @param free GPUs of the node that are free before the gang starts
  public record Segment(
      String node, DomainPath path, Optional<MachineModel> machine, int gpus, FreeGpus free) {
    /// Returns the bottleneck within the node. It is the gang's bottleneck if the gang uses no
    /// other node. It is 0 when the machine is not known or has fewer GPUs.
    public long inside() {
      if (gpus < 2) {
        return Interconnect.UNBOUNDED;
      }
      return machine.isPresent() && gpus <= machine.get().gpus()
          ? machine.get().bandwidthOf(gpus, free)
          : 0;
    }
  }

  /// Returns the gang's bottleneck in Mbit/s, higher is better; 0 when not known. It is
  /// [Interconnect#UNBOUNDED] when fewer than two GPUs are used.
  ///
  /// On one node it is the bottleneck within the node. On several nodes it is the least bandwidth
  /// of the levels and links that the traffic must cross, or of a node in use if that is narrower.
  /// A node of an unknown machine is assumed to be wider inside than the network.
  ///
  /// @param parts one for each node in use
  public long score(List<Segment> parts) {
    if (parts.size() == 1) {
      return parts.getFirst().inside();
    }
    List<Segment> computing = new ArrayList<>(parts.size());
    TreeSet<String> nodes = new TreeSet<>();
    long known = Interconnect.UNBOUNDED;
    for (Segment part : parts) {
      if (part.gpus > 0) {
        computing.add(part);
        nodes.add(part.node);
        long inside = part.inside();
        known = inside > 0 ? Math.min(known, inside) : known;
      }
    }
    if (nodes.size() < computing.size()) {
      throw new IllegalArgumentException("A node is listed twice: %s.".formatted(computing));
    }
    return switch (computing.size()) {
      case 0 -> Interconnect.UNBOUNDED;
      case 1 -> computing.getFirst().inside();
      default -> Math.min(known, across(computing));
    };
  }

  private long across(List<Segment> parts) {
    List<DomainPath> paths = parts.stream().map(Segment::path).toList();
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

  /// Returns the links that can offer a wider path. These are connected to a node of the gang, or
  /// to a domain around such a node and inside the domain around all.
  private List<Link> linksNear(List<Segment> parts, List<DomainPath> paths) {
    int top = paths.stream().reduce(DomainPath::common).orElse(DomainPath.ROOT).depth();
    SortedMap<Vertex, Interconnect> found = new TreeMap<>();
    for (Segment part : parts) {
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
      found.put(net.links().getFirst().a(), net); // each end is in one net only
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
