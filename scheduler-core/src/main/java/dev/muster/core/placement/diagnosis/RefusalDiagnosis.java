package dev.muster.core.placement.diagnosis;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.fit.Veto;
import dev.muster.core.fit.VetoCounts;
import dev.muster.core.gang.Request;
import dev.muster.core.node.NodeState;
import dev.muster.core.node.TopologyDomain;
import dev.muster.core.placement.request.KindCounts;
import dev.muster.core.placement.request.PlacedMembers;
import dev.muster.core.placement.request.PlacementRequest;
import dev.muster.core.placement.request.SearchResult;
import dev.muster.core.topology.DomainPath;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;

/// Finds the main reason of a failed placement search.
///
/// The first reason that applies is given: constraints that no node meets, then sums that are too
/// small (in the cluster, of one model, in one domain), then places on single nodes, then slices.
///
/// Numbers are those of what the search was confined to: the domain, the model, and the nodes that
/// take the members. Whoever counts the same nodes gets the same numbers.
///
/// A refusal must not cost more than a search, so its numbers come from [MatchingNodes]. That
/// examines single nodes only where they must be asked one by one.
public final class RefusalDiagnosis {
  private final PlacementRequest query;
  private final Cluster cluster;
  private final KindCounts kindCounts;
  private final int required;
  private final MatchingNodes matching;
  private final MatchingCapacity all;
  private final TopologyDomain home;

  private RefusalDiagnosis(PlacementRequest query, int required) {
    this.query = query;
    this.cluster = query.cluster();
    this.kindCounts = query.kindCounts();
    this.required = required;
    this.matching = new MatchingNodes(query);
    this.all = matching.in(cluster.fabric());
    this.home = home();
  }

  /// Returns the domain in which all members must be placed. It is the cluster if no level is
  /// required or no member is placed.
  private TopologyDomain home() {
    if (required == 0 || !query.placed().areSomewhere()) {
      return cluster.fabric();
    }
    DomainPath common = query.placed().common();
    return cluster
        .fabric()
        .at(common.upTo(Math.min(required, common.depth())))
        .orElse(cluster.fabric());
  }

  /// Returns the reason why a search found no placement in one domain of the required depth.
  public static SearchResult.NotFound of(PlacementRequest query, int required) {
    RefusalDiagnosis why = new RefusalDiagnosis(query, required);
    return new SearchResult.NotFound(
        why.main(), query.cluster().nodes().size(), why.matching.tally());
  }

  private Veto main() {
    for (int kind = 0; kind < kindCounts.kinds().size(); kind++) {
      if ((all.some() & AskedResources.bit(kind)) == 0) {
        return noTaker(kind);
      }
    }
    PlaceShortage places = new PlaceShortage(query, matching, home, required);
    return membersApart()
        .or(this::shortInAll)
        .or(this::shortInModel)
        .or(this::shortInDomain)
        .or(this::shortInModelOfDomain)
        .or(this::fragmented)
        .or(places::ofMembers)
        .or(places::ofSlices)
        .orElseGet(this::apart);
  }

  private Optional<Veto> membersApart() {
    // for level node, members must at least share an innermost domain
    int labelled = Math.min(required, cluster.topology().depth());
    PlacedMembers placed = query.placed();
    boolean apart =
        placed.areSomewhere()
            && (placed.common().depth() < labelled
                || (required > labelled && placed.onlyNode().isEmpty()));
    return apart
        ? Optional.of(new Veto.MatesApart(cluster.topology().nameAt(required)))
        : Optional.empty();
  }

  private Veto noTaker(int kind) {
    Request request = kindCounts.kinds().get(kind);
    VetoCounts tally = matching.tally(kind);
    Optional<Veto.NodeTooSmall> small = tally.example(Veto.NodeTooSmall.class);
    boolean gpusShort =
        small.isPresent() && request.gpus() > 0 && request.gpus() == small.get().asked();
    if (gpusShort) {
      long largest = 0;
      long largestThatMatches = 0;
      for (NodeState state : cluster.nodes()) {
        long has = state.node().allocatable().get(small.get().resource());
        largest = Math.max(largest, has);
        boolean matches = query.rules().veto(state, kind).orElse(null) instanceof Veto.NodeTooSmall;
        largestThatMatches = matches ? Math.max(largestThatMatches, has) : largestThatMatches;
      }
      if (largest < request.gpus() && largestThatMatches > 0) {
        return new Veto.TooBig("node", request.gpus(), largestThatMatches);
      }
    }
    int leaving = matching.beingLeft(kind);
    return leaving > 0
        ? new Veto.MatesLeaving(leaving, cluster.nodes().size())
        : new Veto.NoMatchingNodes(cluster.nodes().size(), tally.counts());
  }

  /// Returns a veto if the members together need more of a resource than is free. Only nodes that
  /// take a member with this resource count.
  private Optional<Veto> shortInAll() {
    for (Map.Entry<String, Long> want : kindCounts.resources().asMap().entrySet()) {
      long has = all.free(want.getKey());
      if (has < want.getValue()) {
        return Optional.of(new Veto.NotEnoughFree(want.getKey(), want.getValue(), has));
      }
    }
    return Optional.empty();
  }

  /// Returns a veto if no single GPU model has enough free GPUs for a gang that needs one model. It
  /// names the model with the most free GPUs. If some members are placed, only their models count.
  private Optional<Veto> shortInModel() {
    if (query.constraints().gpus().mixed()) {
      return Optional.empty();
    }
    Map<String, Long> free = permitted(all);
    boolean begun = !query.placed().models().isEmpty();
    return free.entrySet().stream()
        .filter(_ -> begun || free.size() > 1)
        .max(Map.Entry.comparingByValue())
        .filter(best -> best.getValue() < kindCounts.gpus())
        .map(best -> new Veto.NoModelHolds(best.getKey(), kindCounts.gpus(), best.getValue()));
  }

  /// Returns the free GPUs of the models that all members may get.
  private Map<String, Long> permitted(MatchingCapacity there) {
    TreeMap<String, Long> free = new TreeMap<>(there.gpusByModel());
    SortedSet<String> begun = query.placed().models();
    if (!begun.isEmpty()) {
      free.keySet().retainAll(begun);
      begun.forEach(model -> free.putIfAbsent(model, 0L));
    }
    return free;
  }

  /// A domain or node with its free GPUs.
  private record Found(DomainPath place, long free) {
    static final Found NOTHING = new Found(DomainPath.ROOT, -1);
  }

  private Optional<Veto> shortInDomain() {
    if (required == 0 || kindCounts.gpus() == 0) {
      return Optional.empty();
    }
    Found best =
        required > cluster.topology().depth()
            ? query.placed().onlyNode().map(this::on).orElseGet(this::best)
            : best();
    long free = Math.max(0, best.free());
    return free < kindCounts.gpus()
        ? Optional.of(
            new Veto.NoDomainHolds(
                cluster.topology().nameAt(required),
                best.place().toString(),
                kindCounts.gpus(),
                free))
        : Optional.empty();
  }

  private Found on(NodeState node) {
    return new Found(node.place(required), matching.on(node).gpus());
  }

  private Found best() {
    return best(home, Found.NOTHING);
  }

  /// Returns the domain of the required level with the most free GPUs, the first of equal ones. The
  /// search ends at the first domain with enough.
  private Found best(TopologyDomain domain, Found before) {
    if (before.free() >= kindCounts.gpus()) {
      return before;
    }
    if (domain.path().depth() == required) {
      long free = domain.path().isLabelled() ? matching.in(domain).gpus() : -1;
      return free > before.free() ? new Found(domain.path(), free) : before;
    }
    if (required <= cluster.topology().depth()
        && 1000 * before.free() >= domain.maxFree(required).freeMilli()) {
      return before;
    }
    Found best = before;
    if (!domain.nodes().isEmpty() && matching.in(domain).gpus() > best.free()) {
      for (NodeState node : domain.nodes()) {
        Found found = on(node);
        best = found.free() > best.free() ? found : best;
      }
    }
    for (TopologyDomain child : domain.children()) {
      best = best(child, best);
    }
    return best;
  }

  /// Returns a veto if no domain of the required level has enough free GPUs of one model.
  private Optional<Veto> shortInModelOfDomain() {
    boolean applies =
        required > 0
            && required <= cluster.topology().depth()
            && kindCounts.gpus() > 0
            && !query.constraints().gpus().mixed()
            && permitted(all).size() > 1;
    String model = "";
    Found best = Found.NOTHING;
    for (TopologyDomain domain : applies ? home.atDepth(required) : List.<TopologyDomain>of()) {
      Map<String, Long> free =
          domain.path().isLabelled() ? permitted(matching.in(domain)) : Map.<String, Long>of();
      for (Map.Entry<String, Long> each : free.entrySet()) {
        if (each.getValue() > best.free()) {
          best = new Found(domain.path(), each.getValue());
          model = each.getKey();
        }
      }
    }
    return applies && best.free() < kindCounts.gpus()
        ? Optional.of(
            new Veto.NoModelInDomainHolds(
                cluster.topology().nameAt(required),
                best.place().toString(),
                model,
                kindCounts.gpus(),
                Math.max(0, best.free())))
        : Optional.empty();
  }

  /// Returns a veto if no node has the free GPUs for one of the biggest members.
  private Optional<Veto> fragmented() {
    int biggest = kindCounts.kinds().getFirst().gpus();
    return all.gpusForBiggest() > 0 && all.largest() < biggest
        ? Optional.of(
            new Veto.Fragmented(
                kindCounts.total(),
                biggest,
                all.gpusForBiggest(),
                all.nodesWithFree(),
                all.largest()))
        : Optional.empty();
  }

  private Veto apart() {
    return new Veto.NotTogether(
        kindCounts.total(),
        kindCounts.kinds().size(),
        cluster.topology().nameAt(required),
        query.isSmall() || (kindCounts.kinds().size() == 1 && query.slicing().isEmpty()));
  }
}
