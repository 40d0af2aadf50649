package dev.muster.core.victims;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.UsageLedger;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.node.DomainCapacity;
import dev.muster.core.node.NodeState;
import dev.muster.core.node.TopologyDomain;
import dev.muster.core.topology.Topology;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/// Finds the [VictimScope]s in which a preemptor may fit.
///
/// Levels are examined from the narrowest that could hold the gang up to the level it requires. On
/// each level, domains with the most free GPUs come first. The search ends after [#NODES] nodes.
final class VictimScopeSearch {
  /// Limit on the nodes of all scopes; a node in several scopes counts several times.
  static final int NODES = 512;

  /// The number of candidates of other nodes that count as one node. The first [VictimScope#EXACT]
  /// of a scope do not count.
  private static final int ELSEWHERE = 8;

  private final Preemptor preemptor;
  private final UnitDemand demand;
  private final VictimCandidates candidates;

  /// The GPU models in the cluster that the gang accepts.
  private final TreeSet<String> models = new TreeSet<>();

  private final Map<SortedSet<String>, Optional<List<QuotaShortage>>> shortages =
      new LinkedHashMap<>();

  /// The candidates of the preemptor's own queue that reduce some of these shortages, cheapest
  /// first.
  private final Map<List<QuotaShortage>, List<VictimCandidate>> reducing = new LinkedHashMap<>();

  private Optional<List<VictimCandidate>> own = Optional.empty();
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

  /// Returns the scopes, narrow ones first.
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

  /// Returns the domains of the level, most free GPUs first; equal ones keep topology order.
  private static List<TopologyDomain> domains(Cluster image, int depth) {
    TreeMap<Long, List<TopologyDomain>> byFree = new TreeMap<>(Comparator.reverseOrder());
    for (TopologyDomain domain : image.fabric().atDepth(depth)) {
      if (depth == 0 || domain.path().isLabelled()) {
        byFree.computeIfAbsent(domain.capacity().freeMilli(), _ -> new ArrayList<>()).add(domain);
      }
    }
    return byFree.values().stream().flatMap(List::stream).toList();
  }

  /// True if the domain's empty nodes would have enough GPUs for the gang.
  ///
  /// Nodes of different models count together only if the gang accepts a mix.
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

  /// Returns the nodes of the domain, most free GPUs first, grouped by GPU model. If the gang
  /// accepts a mix of models, all nodes form one group.
  private Collection<List<NodeState>> byModel(TopologyDomain domain) {
    List<NodeState> nodes = domain.allNodes();
    nodes.sort(Comparator.comparingInt(NodeState::freeGpus).reversed());
    TreeMap<String, List<NodeState>> byModel = new TreeMap<>();
    for (NodeState node : nodes) {
      String model =
          preemptor.gang().constraints().gpus().mixed() ? "" : node.node().model().name();
      byModel.computeIfAbsent(model, _ -> new ArrayList<>()).add(node);
    }
    return byModel.values();
  }

  /// Returns the first nodes that take a member after all candidates have left. Their number is
  /// limited by the nodes that are left for the search.
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

  /// Adds a scope of the nodes if the gang may fit there.
  private void add(List<NodeVictims> nodes, List<VictimScope> scopes) {
    boolean mayHold = nodes.stream().mapToLong(node -> node.most).sum() >= demand.units();
    Optional<List<QuotaShortage>> shortages =
        mayHold && nodes.size() <= nodesLeft ? shortages(nodes) : Optional.empty();
    if (shortages.isPresent()) {
      nodesLeft -= nodes.size();
      VictimScope scope = new VictimScope(preemptor, demand, nodes, shortages.get());
      if (!shortages.get().isEmpty()) {
        int before = scope.candidateCount();
        scope.addForQuota(reducing.computeIfAbsent(shortages.get(), this::reducing));
        int many = Math.max(0, scope.candidateCount() - before - VictimScope.EXACT);
        nodesLeft = Math.max(0, nodesLeft - many / ELSEWHERE);
      }
      scopes.add(scope);
    }
  }

  /// Returns the shortages of quota on the models of the nodes; empty if no victims end them.
  private Optional<List<QuotaShortage>> shortages(List<NodeVictims> nodes) {
    TreeSet<String> here = new TreeSet<>();
    nodes.forEach(node -> here.add(node.model));
    here.retainAll(models);
    return shortages.computeIfAbsent(here, preemptor::shortages);
  }

  private List<VictimCandidate> reducing(List<QuotaShortage> shortages) {
    UsageLedger ledger = preemptor.image().ledger();
    return ownCandidates().stream()
        .filter(one -> shortages.stream().anyMatch(shortage -> shortage.reducedBy(one, ledger) > 0))
        .toList();
  }

  /// Returns the candidates of the preemptor's own queue, cheapest first.
  private List<VictimCandidate> ownCandidates() {
    if (own.isEmpty()) {
      List<VictimCandidate> all = new ArrayList<>(preemptor.ownCandidates());
      all.sort(Comparator.comparing(VictimCandidate::order));
      own = Optional.of(all);
    }
    return own.get();
  }
}
