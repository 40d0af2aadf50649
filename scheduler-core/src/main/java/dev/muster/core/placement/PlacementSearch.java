package dev.muster.core.placement;

import dev.muster.core.cluster.Assignment;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.NodeState;
import dev.muster.core.cluster.Placement;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.fit.Ask;
import dev.muster.core.fit.LastingRules;
import dev.muster.core.fit.Tally;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Wishes;
import dev.muster.core.topology.DomainPath;
import dev.muster.core.topology.Locality;
import dev.muster.core.topology.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeSet;

/// Finds the best place for members of a gang, all of them or none.
///
/// Goals: the members near each other, in the narrowest topology domain that has room; within it
/// few domains, few nodes, and what is left over useful to others.
///
/// Constraints: what each member asks of a node; the level that the gang requires; one GPU model
/// for all unless a mix will do; near the mates that have places already.
///
/// Algorithm: (1) look at every node once: who would take which kind of member. (2) From the nodes
/// up over the levels to the required one, or to the whole cluster: pack the gang into every domain
/// of the level, and take the best-scored packing of the first level at which there is one. (3)
/// Members take their places in rank order along the fabric, so that neighbours in rank are
/// neighbours there.
///
/// Example: racks A (nodes with 8, 8, 4 GPUs free) and B (8, 8, 8, 8); a gang of 2 x 8. No node has
/// 16. Both racks hold it on two nodes; A has 4 left over, B 16: A it is, and B stays whole for a
/// gang of 4 x 8.
public final class PlacementSearch {
  private final Cluster cluster;
  private final Gang gang;
  private final Wishes wishes;
  private final List<Member> members;
  private final SortedTable<NodeId, NodeId> shunned;
  private final Needs needs;
  private final Topology topology;
  private Tally tally = Tally.NONE;

  private PlacementSearch(
      Cluster cluster, Gang gang, List<Member> members, SortedTable<NodeId, NodeId> shunned) {
    this.cluster = cluster;
    this.gang = gang;
    this.wishes = gang.wishes();
    this.members = members;
    this.shunned = shunned;
    this.needs = Needs.of(members);
    this.topology = cluster.topology();
  }

  /// Searches a place for the members, given in rank order, of a gang whose specification is known.
  /// Nodes that are shunned are not used.
  public static SearchResult search(
      Cluster cluster, Gang gang, List<Member> members, SortedTable<NodeId, NodeId> shunned) {
    return new PlacementSearch(cluster, gang, members, shunned).search();
  }

  private SearchResult search() {
    for (Optional<String> level :
        List.of(wishes.topology().required(), wishes.topology().preferred())) {
      if (level.isPresent() && topology.depthOf(level.get()).isEmpty()) {
        return notFound(new Veto.UnknownLevel(level.get(), knownLevels()));
      }
    }
    int required = requiredDepth();
    List<Offer> offers = offers(wishes.topology().required().flatMap(topology::labelOf));
    List<NodeState> anchors = anchors();
    for (int depth = widestStart(anchors); depth >= required; depth--) {
      Optional<Placement> best = bestAt(depth, offers, anchors);
      if (best.isPresent()) {
        return new SearchResult.Found(best.get(), cluster.nodes().size(), tally);
      }
    }
    return notFound(new WhyNot(cluster, wishes, needs, offers, tally).main(required));
  }

  private SearchResult.NotFound notFound(Veto main) {
    return new SearchResult.NotFound(main, cluster.nodes().size(), tally);
  }

  private List<String> knownLevels() {
    List<String> known = new ArrayList<>();
    topology.levels().forEach(level -> known.add(level.name()));
    known.add("node");
    return known;
  }

  private int requiredDepth() {
    return wishes.topology().required().map(topology::depthOf).orElse(OptionalInt.of(0)).orElse(0);
  }

  // ---- Who would take which kind of member ----

  private List<Offer> offers(Optional<String> requiredLabel) {
    List<Offer> offers = new ArrayList<>();
    for (NodeState state : cluster.nodes()) {
      List<Boolean> takes = new ArrayList<>();
      for (int kind = 0; kind < needs.kinds().size(); kind++) {
        Optional<Veto> veto = veto(state, needs.kinds().get(kind), requiredLabel);
        takes.add(veto.isEmpty());
        if (kind == 0 && veto.isPresent()) {
          tally = tally.plus(veto.get());
        }
      }
      if (takes.contains(true)) {
        offers.add(new Offer(state, state.free(), List.copyOf(takes)));
      }
    }
    return offers;
  }

  private Optional<Veto> veto(NodeState state, Request request, Optional<String> requiredLabel) {
    Optional<Veto> lasting =
        LastingRules.veto(new Ask(request, wishes.gpus(), requiredLabel), state.node());
    if (lasting.isPresent()) {
      return lasting;
    }
    if (shunned.contains(state.id())) {
      return Optional.of(new Veto.RefusedBefore());
    }
    return request.onePerNode() && hasLonelyMate(state.id())
        ? Optional.of(new Veto.MateOnNode())
        : Optional.empty();
  }

  private boolean hasLonelyMate(NodeId node) {
    return gang.members()
        .any(mate -> mate.request().onePerNode() && place(mate).filter(node::equals).isPresent());
  }

  // ---- Mates with places: the newcomers must be near them ----

  private Optional<NodeId> place(Member mate) {
    return mate.isBound() ? mate.node() : cluster.promise(mate).map(promise -> promise.node());
  }

  private List<NodeState> anchors() {
    List<NodeState> anchors = new ArrayList<>();
    for (Member mate : gang.members()) {
      place(mate).flatMap(cluster.nodes()::get).ifPresent(anchors::add);
    }
    return anchors;
  }

  private int widestStart(List<NodeState> anchors) {
    return anchors.isEmpty() || onOneNode(anchors) ? topology.nodeDepth() : common(anchors).depth();
  }

  private static boolean onOneNode(List<NodeState> anchors) {
    return anchors.stream().map(NodeState::id).distinct().count() == 1;
  }

  /// Whether the mates that have places already lie in the site too, nodes being sites of their
  /// own.
  private static boolean holds(Site site, int depth, List<NodeState> anchors) {
    return anchors.isEmpty()
        || site.offer()
            .map(offer -> anchors.stream().allMatch(a -> a.id().equals(offer.node().id())))
            .orElseGet(() -> site.path().equals(common(anchors).upTo(depth)));
  }

  private static DomainPath common(List<NodeState> anchors) {
    DomainPath common = anchors.getFirst().path();
    for (NodeState anchor : anchors) {
      common = common.common(anchor.path());
    }
    return common;
  }

  // ---- The best packing of one level ----

  private Optional<Placement> bestAt(int depth, List<Offer> offers, List<NodeState> anchors) {
    Optional<Candidate> best = Optional.empty();
    for (String model : models(offers)) {
      Site fabric = Site.of(offersFor(model, offers), topology.depth());
      for (Site site : fabric.atDepth(depth)) {
        if (holds(site, depth, anchors)) {
          Optional<Candidate> candidate = candidate(site, model);
          best =
              candidate.isPresent() && (best.isEmpty() || candidate.get().isBetterThan(best.get()))
                  ? candidate
                  : best;
        }
      }
    }
    return best.map(candidate -> placement(candidate.packing()));
  }

  private static final String ALL_MODELS = "*";

  /// The models to try, one after the other; one entry that means all where a mix will do.
  private List<String> models(List<Offer> offers) {
    if (wishes.gpus().mixed() || needs.gpus() == 0) {
      return List.of(ALL_MODELS);
    }
    TreeSet<String> models = new TreeSet<>();
    for (Member mate : gang.members()) {
      if (mate.request().gpus() > 0) {
        place(mate)
            .flatMap(cluster.nodes()::get)
            .ifPresent(n -> models.add(n.node().model().name()));
      }
    }
    if (models.isEmpty()) {
      offers.forEach(offer -> models.add(offer.node().node().model().name()));
    }
    return List.copyOf(models);
  }

  private List<Offer> offersFor(String model, List<Offer> offers) {
    return model.equals(ALL_MODELS)
        ? offers
        : offers.stream()
            .map(offer -> offer.forModel(model, needs))
            .filter(offer -> !offer.takesNothing())
            .toList();
  }

  private record Candidate(Packing packing, Score score) {
    boolean isBetterThan(Candidate other) {
      return score.compareTo(other.score) < 0;
    }
  }

  private Optional<Candidate> candidate(Site site, String model) {
    if (site.freeGpus() < needs.gpus()) {
      return Optional.empty();
    }
    return Optional.of(Packing.into(site, needs))
        .filter(Packing::isWhole)
        .or(() -> needs.kinds().size() > 1 ? ExactPacking.into(site, needs) : Optional.empty())
        .map(packing -> new Candidate(packing, score(site, packing, model)));
  }

  private Score score(Site site, Packing packing, String model) {
    List<Long> terms = new ArrayList<>();
    terms.add((long) wishes.gpus().rank(model));
    for (int depth = 1; depth <= topology.depth(); depth++) {
      terms.add(spanned(packing, depth));
    }
    terms.add((long) packing.parts().size());
    terms.add(-topology.locality().score(packing.parts().stream().map(this::part).toList()));
    terms.add(site.freeGpus() - needs.gpus());
    return new Score(terms);
  }

  private Locality.Part part(Packing.Part part) {
    NodeState node = part.node().offer().orElseThrow().node();
    return new Locality.Part(
        node.id().name(), node.path(), node.machine(), gpus(part), node.freeGpuSet());
  }

  private int gpus(Packing.Part part) {
    int gpus = 0;
    for (int kind = 0; kind < needs.kinds().size(); kind++) {
      gpus += needs.kinds().get(kind).gpus() * part.taken().get(kind);
    }
    return gpus;
  }

  private static long spanned(Packing packing, int depth) {
    return packing.parts().stream().map(part -> part.node().path().upTo(depth)).distinct().count();
  }

  // ---- Members to places, in rank order along the fabric ----

  private Placement placement(Packing packing) {
    List<Packing.Part> parts = new ArrayList<>(packing.parts());
    parts.sort((a, b) -> Site.IN_ORDER.compare(a.node(), b.node()));
    List<Assignment> assignments = new ArrayList<>();
    for (int kind = 0; kind < needs.kinds().size(); kind++) {
      seat(kind, parts, assignments);
    }
    assignments.sort((a, b) -> Member.BY_RANK.compare(a.member(), b.member()));
    List<NodeState> nodes =
        parts.stream().map(part -> part.node().offer().orElseThrow().node()).toList();
    return new Placement(assignments, common(nodes));
  }

  private void seat(int kind, List<Packing.Part> parts, List<Assignment> assignments) {
    var queue =
        members.stream().filter(m -> m.request().equals(needs.kinds().get(kind))).iterator();
    for (Packing.Part part : parts) {
      for (int i = 0; i < part.taken().get(kind); i++) {
        assignments.add(
            new Assignment(queue.next(), part.node().offer().orElseThrow().node().id()));
      }
    }
  }
}
