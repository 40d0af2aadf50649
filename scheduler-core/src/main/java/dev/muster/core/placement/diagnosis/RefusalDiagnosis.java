package dev.muster.core.placement.diagnosis;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.Request;
import dev.muster.core.node.FreeCapacity;
import dev.muster.core.node.NodeState;
import dev.muster.core.node.TopologyDomain;
import dev.muster.core.placement.request.KindCounts;
import dev.muster.core.placement.request.PlacedMembers;
import dev.muster.core.placement.request.PlacementRequest;
import dev.muster.core.placement.request.SearchResult;
import dev.muster.core.topology.DomainPath;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/// Finds the main reason of a failed placement search.
///
/// The first reason that applies is given: constraints that can never be met, then a shortage in
/// the cluster, then a shortage in each domain, then fragmentation.
///
/// A refusal must not cost more than a search, so its numbers are sums that [MatchingNodes]
/// provides. Single nodes are examined only if there are enough GPUs and another resource is short.
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
      if ((all.some() & MatchingNodes.bit(kind)) == 0) {
        return noTaker(kind);
      }
    }
    return membersApart()
        .or(this::tooBig)
        .or(this::shortInAll)
        .or(this::shortInModel)
        .or(this::shortInDomain)
        .or(this::otherResource)
        .orElseGet(this::fragmented);
  }

  private Optional<Veto> membersApart() {
    // for level node, members must at least share an innermost domain
    int labelled = Math.min(required, cluster.topology().depth());
    PlacedMembers placed = query.placed();
    return placed.areSomewhere() && placed.common().depth() < labelled
        ? Optional.of(new Veto.MatesApart(cluster.topology().nameAt(required)))
        : Optional.empty();
  }

  private Veto noTaker(int kind) {
    Request request = kindCounts.kinds().get(kind);
    Optional<Veto.NodeTooSmall> small = matching.tally().example(Veto.NodeTooSmall.class);
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
    return new Veto.NoMatchingNodes(cluster.nodes().size(), matching.tally().counts());
  }

  /// Returns a veto if the installed GPUs of every domain are too few for the gang. All nodes that
  /// take members of any kind are counted. A gang with this veto is not woken when others leave, so
  /// a gang that would fit then must not get it.
  private Optional<Veto> tooBig() {
    Installed most = installed(cluster.fabric(), Installed.NOTHING);
    String level = cluster.topology().nameAt(required);
    if (kindCounts.gpus() > most.gpus()) {
      return Optional.of(new Veto.TooBig(level, kindCounts.gpus(), most.gpus()));
    }
    return isEnough(most)
        ? Optional.empty()
        : Optional.of(
            new Veto.TooBigForModels(level, most.model(), kindCounts.gpus(), most.ofModel()));
  }

  /// The most installed GPUs of one domain at the required level, and the most of one model.
  private record Installed(long gpus, String model, long ofModel) {
    static final Installed NOTHING = new Installed(0, "", 0);

    Installed or(Map<String, Long> byModel) {
      Installed most = this;
      long all = 0;
      for (Map.Entry<String, Long> each : byModel.entrySet()) {
        all += each.getValue();
        most =
            each.getValue() > most.ofModel
                ? new Installed(gpus, each.getKey(), each.getValue())
                : most;
      }
      return new Installed(Math.max(gpus, all), most.model, most.ofModel);
    }
  }

  private boolean isEnough(Installed most) {
    boolean mixed = query.constraints().gpus().mixed();
    return (mixed ? most.gpus() : most.ofModel()) >= kindCounts.gpus();
  }

  /// Returns the maximum of `before` and the domains below this one. The search ends at the first
  /// domain with enough GPUs.
  private Installed installed(TopologyDomain domain, Installed before) {
    int depth = domain.path().depth();
    if (depth == required) {
      return before.or(matching.in(domain).installed());
    }
    if (domain.children().isEmpty()) { // only nodes follow below, and each has one model
      return before.or(Collections.singletonMap("", matching.in(domain).largestNode()));
    }
    Installed most = before;
    for (TopologyDomain child : domain.children()) {
      most = isEnough(most) ? most : installed(child, most);
    }
    return most;
  }

  private Optional<Veto> shortInAll() {
    boolean takeEverything = Long.bitCount(all.every()) >= Math.min(63, kindCounts.kinds().size());
    if (!takeEverything) { // sums over all members count only if each matching node takes all kinds
      return Optional.empty();
    }
    for (Map.Entry<String, Long> want : kindCounts.resources().asMap().entrySet()) {
      long has = all.resources().get(want.getKey());
      if (has < want.getValue()) {
        return Optional.of(new Veto.NotEnoughFree(want.getKey(), want.getValue(), has));
      }
    }
    return Optional.empty();
  }

  /// Returns a veto if no single GPU model has enough free GPUs for a gang that needs one model. It
  /// names the model with the most free GPUs. If some members are placed, only their models count.
  private Optional<Veto> shortInModel() {
    if (query.constraints().gpus().mixed() || all.freeByModel().size() < 2) {
      return Optional.empty();
    }
    TreeMap<String, Long> free = new TreeMap<>(all.freeByModel());
    SortedSet<String> begun = query.placed().models();
    if (!begun.isEmpty()) {
      free.keySet().retainAll(begun);
      begun.forEach(model -> free.putIfAbsent(model, 0L));
    }
    return free.entrySet().stream()
        .max(Map.Entry.comparingByValue())
        .filter(best -> best.getValue() < kindCounts.gpus())
        .map(best -> new Veto.NoModelHolds(best.getKey(), kindCounts.gpus(), best.getValue()));
  }

  /// A domain or node with its free GPUs.
  private record Found(DomainPath place, long free) {
    static final Found NOTHING = new Found(DomainPath.ROOT, -1);
  }

  private Optional<Veto> shortInDomain() {
    if (required == 0) {
      return Optional.empty();
    }
    Found best =
        required > cluster.topology().depth()
            ? query.placed().onlyNode().map(this::on).orElseGet(this::best)
            : best();
    return best.free() < kindCounts.gpus()
        ? Optional.of(
            new Veto.NoDomainHolds(
                cluster.topology().nameAt(required),
                best.place().toString(),
                kindCounts.gpus(),
                best.free()))
        : Optional.empty();
  }

  private Found on(NodeState node) {
    return new Found(node.place(required), matching.on(node).free());
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
      long free = matching.freeIn(domain);
      return free > before.free() ? new Found(domain.path(), free) : before;
    }
    if (required <= cluster.topology().depth()
        && 1000 * before.free() >= domain.maxFree(required).freeMilli()) {
      return before;
    }
    Found best = before;
    if (matching.in(domain).largest() > best.free()) {
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

  /// Returns a veto if nodes have the free GPUs for a member, but lack another resource.
  private Optional<Veto> otherResource() {
    Shortage shortage = new Shortage();
    if (matching.areAlike()) {
      shortage.lookAtOffers(home);
    } else {
      shortage.look(home);
    }
    return shortage.holders < kindCounts.counts().getFirst() ? shortage.example : Optional.empty();
  }

  /// Count of nodes that hold a member of the biggest kind, among those with enough free GPUs. The
  /// example is the resource that the last of the other nodes lacks.
  private final class Shortage {
    private final Request biggest = kindCounts.kinds().getFirst();
    private int holders;
    private Optional<Veto> example = Optional.empty();

    /// Counts by free capacities instead of nodes, if all nodes of a kind give one answer.
    void lookAtOffers(TopologyDomain fabric) {
      TreeSet<FreeCapacity> lacking = new TreeSet<>();
      for (FreeCapacity each : fabric.capacity().vacancies().keys()) {
        if (each.gpus() >= biggest.gpus() && matching.takesBiggest(each.kind())) {
          boolean holds = each.free().covers(biggest.resources());
          holders += holds ? fabric.capacity().vacancies().get(each).orElse(0) : 0;
          if (!holds) {
            lacking.add(each);
          }
        }
      }
      if (holders < kindCounts.counts().getFirst()) {
        last(fabric, lacking).ifPresent(this::look);
      }
    }

    private Optional<NodeState> last(TopologyDomain domain, Set<FreeCapacity> offering) {
      if (offering.stream().noneMatch(domain.capacity().vacancies()::contains)) {
        return Optional.empty();
      }
      for (TopologyDomain child : domain.children().values().reversed()) {
        Optional<NodeState> found = last(child, offering);
        if (found.isPresent()) {
          return found;
        }
      }
      return domain.nodes().values().reversed().stream()
          .filter(node -> offering.contains(node.freeCapacity()))
          .findFirst();
    }

    void look(TopologyDomain domain) {
      if (holders >= kindCounts.counts().getFirst()
          || matching.in(domain).largest() < biggest.gpus()) {
        return;
      }
      for (NodeState node : domain.nodes()) {
        if (node.freeGpus() >= biggest.gpus() && query.rules().takes(node, 0)) {
          look(node);
        }
      }
      domain.children().forEach(this::look);
    }

    private void look(NodeState node) {
      String shortOf = node.free().firstShort(biggest.resources());
      if (shortOf == null) {
        holders++;
      } else {
        example = Optional.of(tooLittle(node, biggest, shortOf));
      }
    }
  }

  private static Veto tooLittle(NodeState node, Request request, String resource) {
    long asked = request.resources().get(resource);
    long free = Math.max(0, node.free().get(resource));
    boolean withoutPromises = node.free().plus(node.promised()).get(resource) >= asked;
    return withoutPromises
        ? new Veto.Promised(resource, asked, free)
        : new Veto.TooLittleFree(resource, asked, free);
  }

  private Veto fragmented() {
    MatchingCapacity there = matching.in(home);
    return new Veto.Fragmented(
        kindCounts.total(),
        kindCounts.kinds().getFirst().gpus(),
        there.free(),
        there.nodesWithFree(),
        there.largest());
  }
}
