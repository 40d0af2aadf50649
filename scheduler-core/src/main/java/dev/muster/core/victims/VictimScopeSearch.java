package dev.muster.core.victims;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.node.DomainCapacity;
import dev.muster.core.node.NodeState;
import dev.muster.core.node.TopologyDomain;
import dev.muster.core.topology.Topology;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;

/// Finds the [VictimScope]s on which a preemptor may find room.
///
/// Domains are taken from the narrowest level that could hold the gang up to the one that it
/// requires; on each level those with the most free GPUs come first, until [#NODES] nodes were
/// looked at.
final class VictimScopeSearch {
  /// So many nodes are looked at.
  static final int NODES = 512;

  private final Preemptor preemptor;
  private final UnitDemand demand;
  private final VictimCandidates candidates;

  /// The GPU models in the cluster that would do.
  private final TreeSet<String> models = new TreeSet<>();

  private int nodesLeft = NODES;

  VictimScopeSearch(Preemptor preemptor, UnitDemand demand) {
    this.preemptor = preemptor;
    this.demand = demand;
    this.candidates = new VictimCandidates(preemptor, demand);
    GpuModelPreference choice = preemptor.gang().constraints().gpus();
    for (DomainCapacity.Histogram nodes : preemptor.image().fabric().capacity().byKind()) {
      String model = nodes.kind().model();
      if (choice.accepts(model)) {
        models.add(model);
      }
    }
  }

  /// The grounds, narrow ones first.
  List<VictimScope> scopes() {
    Topology topology = preemptor.image().topology();
    int required = topology.requiredDepth(preemptor.gang().constraints().topology().required());
    List<VictimScope> scopes = new ArrayList<>();
    if (required == topology.nodeDepth()) {
      for (List<NodeState> alike : byModel(preemptor.image().fabric())) {
        tenancies(alike).forEach(node -> add(List.of(node), scopes));
      }
    }
    for (int depth = topology.nodeDepth() - 1; depth >= required; depth--) {
      for (TopologyDomain domain : domains(preemptor.image(), depth)) {
        if (nodesLeft > 0 && mayHold(domain)) {
          byModel(domain).forEach(alike -> add(tenancies(alike), scopes));
        }
      }
    }
    return scopes;
  }

  /// The domains of the level, those with the most free GPUs first; equal ones as they lie.
  private static List<TopologyDomain> domains(Cluster image, int depth) {
    TreeMap<Long, List<TopologyDomain>> byFree = new TreeMap<>(Comparator.reverseOrder());
    for (TopologyDomain domain : image.fabric().atDepth(depth)) {
      if (depth == 0 || domain.path().isLabelled()) {
        byFree.computeIfAbsent(domain.capacity().freeMilli(), _ -> new ArrayList<>()).add(domain);
      }
    }
    return byFree.values().stream().flatMap(List::stream).toList();
  }

  /// Whether the domain's nodes, those of one model or of all, would hold the gang if they were
  /// empty, as far as GPUs go.
  private boolean mayHold(TopologyDomain domain) {
    boolean mixed = preemptor.gang().constraints().gpus().mixed();
    TreeMap<String, Long> held = new TreeMap<>();
    for (DomainCapacity.Histogram nodes : domain.capacity().byKind()) {
      String model = nodes.kind().model();
      if (models.contains(model)) {
        held.merge(mixed ? "" : model, heldByEmpty(nodes), Long::sum);
      }
    }
    return held.values().stream().anyMatch(units -> units >= demand.units());
  }

  private long heldByEmpty(DomainCapacity.Histogram nodes) {
    return nodes.nodes() * demand.heldByEmpty(nodes.kind().gpus());
  }

  /// The nodes of the domain, those with the most free GPUs first, by model where the gang takes
  /// one model for all its members.
  private Collection<List<NodeState>> byModel(TopologyDomain domain) {
    List<NodeState> nodes = domain.allNodes();
    nodes.sort(Comparator.comparingInt(NodeState::freeGpus).reversed());
    TreeMap<String, List<NodeState>> byModel = new TreeMap<>();
    for (NodeState node : nodes) {
      String model = preemptor.gang().constraints().gpus().mixed() ? "" : node.node().model().name();
      byModel.computeIfAbsent(model, _ -> new ArrayList<>()).add(node);
    }
    return byModel.values();
  }

  /// The first of the nodes that take a member when all have left that may, no more than may still
  /// be looked at.
  private List<NodeVictims> tenancies(List<NodeState> nodes) {
    List<NodeVictims> found = new ArrayList<>();
    for (NodeState node : nodes) {
      if (found.size() == nodesLeft) {
        break;
      }
      candidates.on(node).ifPresent(found::add);
    }
    return found;
  }

  /// Adds the nodes if the gang may find room there.
  private void add(List<NodeVictims> nodes, List<VictimScope> scopes) {
    boolean mayHold = nodes.stream().mapToLong(node -> node.most).sum() >= demand.units();
    if (mayHold && nodes.size() <= nodesLeft) {
      nodesLeft -= nodes.size();
      scopes.add(new VictimScope(demand, nodes));
    }
  }
}
