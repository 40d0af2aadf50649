package dev.muster.simulator.fleet;

import dev.muster.core.gang.NodeId;
import dev.muster.core.node.Node;
import dev.muster.core.topology.DomainPath;
import dev.muster.core.topology.Topology;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/// The nodes of a simulation.
///
/// @param name name by the user: a file name, or the short form
/// @param nodes all nodes, in the order of lists; names are unique
/// @param topology topology levels; the labels of a node give its domains
/// @param terms price and delays of nodes, where known
/// @param assumptions assumptions about values missing in the description, one sentence each
public record Fleet(
    String name,
    List<Node> nodes,
    Topology topology,
    Map<NodeId, NodeTerms> terms,
    List<String> assumptions) {
  public Fleet {
    nodes = List.copyOf(nodes);
    terms = Map.copyOf(terms);
    assumptions = List.copyOf(assumptions);
    if (nodes.size() > FleetNotation.MOST_NODES) {
      throw new IllegalArgumentException(
          "Fleet %s has %d nodes; the maximum is %d."
              .formatted(name, nodes.size(), FleetNotation.MOST_NODES));
    }
    TreeSet<String> names = new TreeSet<>();
    for (Node node : nodes) {
      if (!names.add(node.id().name())) {
        throw new IllegalArgumentException(
            "Fleet %s has two nodes named %s.".formatted(name, node.id().name()));
      }
    }
  }

  /// Creates a fleet without prices, with all nodes available from the start.
  public Fleet(String name, List<Node> nodes, Topology topology, List<String> assumptions) {
    this(name, nodes, topology, Map.of(), assumptions);
  }

  /// Returns the price and delays of a node; free and immediate where unknown.
  public NodeTerms terms(NodeId node) {
    return terms.getOrDefault(node, NodeTerms.NONE);
  }

  /// True if the node at this index is a cloud node, which is created on demand.
  public boolean isOnDemand(int node) {
    return terms(nodes.get(node).id()).isOnDemand();
  }

  /// True if some of its nodes are created on demand.
  public boolean hasCloudNodes() {
    return terms.values().stream().anyMatch(NodeTerms::isOnDemand);
  }

  /// Returns these nodes followed by those of another fleet, with the topology of this one.
  ///
  /// @throws IllegalArgumentException if two nodes have one name
  public Fleet and(Fleet other) {
    List<Node> all = new ArrayList<>(nodes);
    all.addAll(other.nodes);
    Map<NodeId, NodeTerms> known = new HashMap<>(terms);
    known.putAll(other.terms);
    List<String> said = new ArrayList<>(assumptions);
    other.assumptions.stream().filter(each -> !said.contains(each)).forEach(said::add);
    return new Fleet("%s and %s".formatted(name, other.name), all, topology, known, said);
  }

  /// Returns this fleet with one price per hour for all nodes.
  public Fleet priced(double perHour) {
    Map<NodeId, NodeTerms> known = new HashMap<>();
    nodes.forEach(node -> known.put(node.id(), NodeTerms.ofPrice(perHour)));
    return new Fleet(name, nodes, topology, known, assumptions);
  }

  /// The GPUs of all nodes.
  public int gpus() {
    return nodes.stream().mapToInt(Node::gpus).sum();
  }

  /// The GPUs by model name; the empty name for nodes without one.
  public SortedMap<String, Integer> models() {
    TreeMap<String, Integer> gpus = new TreeMap<>();
    for (Node node : nodes) {
      gpus.merge(node.model().name(), node.gpus(), Integer::sum);
    }
    return gpus;
  }

  /// The number of domains of each level, outermost level first; unlabelled nodes are in none.
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
