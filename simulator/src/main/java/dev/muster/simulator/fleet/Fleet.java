package dev.muster.simulator.fleet;

import dev.muster.core.cluster.Node;
import dev.muster.core.gang.NodeId;
import dev.muster.core.topology.DomainPath;
import dev.muster.core.topology.Topology;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/// The machines that a simulation runs on.
///
/// @param name how the user called it: a file name, or the short form
/// @param nodes all nodes, in the order in which lists of them are shown; names are unique
/// @param topology the levels of the fabric; the labels of the nodes say where each lies
/// @param terms on what terms nodes can be had, where that is known
/// @param assumptions what was assumed about what the description does not say, a sentence each
public record Fleet(
    String name,
    List<Node> nodes,
    Topology topology,
    Map<NodeId, Terms> terms,
    List<String> assumptions) {
  public Fleet {
    nodes = List.copyOf(nodes);
    terms = Map.copyOf(terms);
    assumptions = List.copyOf(assumptions);
    TreeSet<String> names = new TreeSet<>();
    for (Node node : nodes) {
      if (!names.add(node.id().name())) {
        throw new IllegalArgumentException(
            "Fleet %s has two nodes named %s.".formatted(name, node.id().name()));
      }
    }
  }

  /// A fleet of which no prices are known, and all of which is there from the start.
  public Fleet(String name, List<Node> nodes, Topology topology, List<String> assumptions) {
    this(name, nodes, topology, Map.of(), assumptions);
  }

  /// What a node costs and when it comes; free and at once where nothing is known.
  public Terms terms(NodeId node) {
    return terms.getOrDefault(node, Terms.NONE);
  }

  /// Whether the node at this place of the list is a cloud node, which comes when it is asked for.
  public boolean isOnDemand(int node) {
    return terms(nodes.get(node).id()).isOnDemand();
  }

  /// Whether some of its nodes come only when they are asked for.
  public boolean hasCloudNodes() {
    return terms.values().stream().anyMatch(Terms::isOnDemand);
  }

  /// Its nodes, then those of another, on the fabric of this one.
  ///
  /// @throws IllegalArgumentException if two nodes have one name
  public Fleet and(Fleet other) {
    List<Node> all = new ArrayList<>(nodes);
    all.addAll(other.nodes);
    Map<NodeId, Terms> known = new HashMap<>(terms);
    known.putAll(other.terms);
    List<String> said = new ArrayList<>(assumptions);
    other.assumptions.stream().filter(each -> !said.contains(each)).forEach(said::add);
    return new Fleet("%s and %s".formatted(name, other.name), all, topology, known, said);
  }

  /// The same, each node at this price for an hour.
  public Fleet priced(double perHour) {
    Map<NodeId, Terms> known = new HashMap<>();
    nodes.forEach(node -> known.put(node.id(), Terms.ofPrice(perHour)));
    return new Fleet(name, nodes, topology, known, assumptions);
  }

  /// GPUs of all nodes.
  public int gpus() {
    return nodes.stream().mapToInt(Node::gpus).sum();
  }

  /// GPUs by the name of their model; the empty name where a node does not say.
  public SortedMap<String, Integer> models() {
    TreeMap<String, Integer> gpus = new TreeMap<>();
    for (Node node : nodes) {
      gpus.merge(node.model().name(), node.gpus(), Integer::sum);
    }
    return gpus;
  }

  /// How many domains each level has, outermost level first; unlabelled nodes are in none.
  public List<Integer> domains() {
    List<Integer> counts = new ArrayList<>();
    for (int depth = 1; depth <= topology.depth(); depth++) {
      TreeSet<DomainPath> paths = new TreeSet<>();
      for (Node node : nodes) {
        DomainPath path = topology.locate(node.labels()).upTo(depth);
        if (path.isLabelled()) {
          paths.add(path);
        }
      }
      counts.add(paths.size());
    }
    return counts;
  }
}
