package dev.muster.core.placement.diagnosis;

import dev.muster.core.fit.Veto;
import dev.muster.core.gang.Request;
import dev.muster.core.node.NodeState;
import dev.muster.core.node.TopologyDomain;
import dev.muster.core.placement.request.ModelFilter;
import dev.muster.core.placement.request.PlacementRequest;
import dev.muster.core.placement.request.SliceLayout;
import dev.muster.core.topology.DomainPath;
import dev.muster.core.topology.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/// A place shortage is a lack of nodes for single members, although enough is free in sum.
///
/// Places are counted where the search looks: in each domain of the required level, for each model
/// that all members may get. The reason names the best of these, and as few resources as explain
/// the lack.
///
/// Example: nodes with 4 GPUs each, 3 of them. A gang has four members of 3 GPUs. Each node has a
/// place for one, so there are 3 places for 4 members.
final class PlaceShortage {
  private final PlacementRequest query;
  private final MatchingNodes matching;
  private final TopologyDomain home;
  private final int required;
  private final List<ModelFilter> models;

  /// @param home domain in which all members must be placed
  /// @param required depth of the required level
  PlaceShortage(PlacementRequest query, MatchingNodes matching, TopologyDomain home, int required) {
    this.query = query;
    this.matching = matching;
    this.home = home;
    this.required = required;
    this.models = models();
  }

  private List<ModelFilter> models() {
    if (query.constraints().gpus().mixed()) {
      return List.of(ModelFilter.ANY);
    }
    SortedSet<String> names = query.placed().models();
    if (names.isEmpty()) {
      names = new TreeSet<>(matching.in(query.cluster().fabric()).gpusByModel().keySet());
    }
    List<ModelFilter> each = new ArrayList<>();
    names.forEach(name -> each.add(new ModelFilter(Optional.of(name))));
    return each.isEmpty() ? List.of(ModelFilter.ANY) : each;
  }

  // ---- The best choice ----

  /// The choice with the most places.
  ///
  /// @param count number of places or slices
  private record Best(DomainPath domain, ModelFilter models, long count) {
    Best or(DomainPath other, ModelFilter otherModels, long more) {
      return more > count ? new Best(other, otherModels, more) : this;
    }
  }

  /// Counts what one domain holds.
  @FunctionalInterface
  private interface Count {
    long in(TopologyDomain domain, ModelFilter models);
  }

  /// Counts what one node holds.
  @FunctionalInterface
  private interface CountOnNode {
    long on(NodeState node);
  }

  private Best best(Seat seat, long enough, Count inDomain, CountOnNode onNode) {
    List<ModelFilter> choice =
        query.demand().kind(seat.kind()).wantsGpu() ? models : List.of(ModelFilter.ANY);
    Best best = new Best(home.path(), choice.getFirst(), -1);
    for (ModelFilter each : choice) {
      if (required > topology().depth()) {
        for (NodeState node : nodes()) {
          if (matching.mayTake(node, seat.kind(), each)) {
            best = best.or(node.place(required), each, onNode.on(node));
          }
        }
      } else {
        for (TopologyDomain domain : home.atDepth(required)) {
          boolean real = domain.path().isLabelled() && best.count() < enough;
          best = real ? best.or(domain.path(), each, inDomain.in(domain, each)) : best;
        }
      }
    }
    return best.count() < 0 ? new Best(best.domain(), best.models(), 0) : best;
  }

  private List<NodeState> nodes() {
    Optional<NodeState> only = query.placed().onlyNode();
    return only.isPresent() ? List.of(only.get()) : home.allNodes();
  }

  private Topology topology() {
    return query.topology();
  }

  private Veto.Confines where(Best best) {
    boolean begun = !query.placed().models().isEmpty();
    boolean several = models.size() > 1 || (begun && !query.constraints().gpus().mixed());
    return new Veto.Confines(
        topology().nameAt(required),
        required == 0 ? "" : best.domain().toString(),
        several ? best.models().only().orElse("") : "",
        query.placed().areSomewhere() && required > 0,
        begun);
  }

  // ---- Members ----

  /// Returns a veto if one kind of members alone has too few places.
  Optional<Veto> ofMembers() {
    for (int kind = 0; kind < query.demand().kinds(); kind++) {
      int count = query.demand().count(kind);
      if (best(Seat.whole(query.demand(), kind), count).count() < count) {
        return Optional.of(promised(kind).orElse(tooFew(kind)));
      }
    }
    return Optional.empty();
  }

  private Best best(Seat seat, int count) {
    return best(
        seat,
        count,
        (domain, filter) -> places(domain, filter, seat, count),
        node -> seat.on(node.freeCapacity(), count));
  }

  private Veto tooFew(int kind) {
    int count = query.demand().count(kind);
    for (Seat seat : Seat.parts(query.demand(), kind)) {
      Best best = best(seat, count);
      if (best.count() < count) {
        return new Veto.TooFewPlaces(seat.of(count), where(best), best.count());
      }
    }
    throw new IllegalStateException(
        "There are places for the members of kind (%d).".formatted(kind));
  }

  /// Returns the number of members that find a place in the domain, at most `limit`.
  private long places(TopologyDomain domain, ModelFilter filter, Seat seat, int limit) {
    long[] places = new long[1];
    matching.visit(
        domain,
        seat.kind(),
        filter,
        (offer, nodes) -> {
          places[0] += (long) nodes * seat.on(offer, limit);
          return places[0] < limit;
        });
    return Math.min(limit, places[0]);
  }

  /// Returns a veto if promises to starting gangs alone leave too little of a resource other than
  /// GPUs.
  private Optional<Veto> promised(int kind) {
    Request request = query.demand().kind(kind);
    int missing = query.demand().count(kind);
    Optional<Veto> example = Optional.empty();
    if (query.cluster().reservations().isEmpty()) {
      return example;
    }
    for (NodeState node : home.allNodes()) {
      if (node.freeGpus() >= request.gpus() && query.rules().takes(node, kind)) {
        String lacking = node.free().firstShort(request.resources());
        boolean after = node.free().plus(node.promised()).covers(request.resources());
        missing -= lacking == null || after ? 1 : 0;
        if (lacking != null && after) {
          example =
              Optional.of(
                  new Veto.Promised(
                      lacking,
                      request.resources().get(lacking),
                      Math.max(0, node.free().get(lacking))));
        }
      }
    }
    return missing <= 0 ? example : Optional.empty();
  }

  // ---- Slices ----

  /// Returns a veto if there are places for the members, but not inside domains for their slices.
  ///
  /// Only slices of equal members are counted.
  Optional<Veto> ofSlices() {
    Optional<SliceLayout> cut = query.slicing().filter(_ -> query.demand().kinds() == 1);
    if (cut.isEmpty()) {
      return Optional.empty();
    }
    return cut.get().hasPins() ? besideOthers(cut.get()) : inSlices(cut.get());
  }

  private Optional<Veto> besideOthers(SliceLayout cut) {
    for (SliceLayout.SliceClass sort : cut.sorts()) {
      int members = 0;
      for (SliceLayout.SliceClass other : cut.sorts()) {
        boolean there = sort.pin().isPresent() && other.pin().equals(sort.pin());
        members += there ? other.slices().stream().mapToInt(List::size).sum() : 0;
      }
      for (Seat seat : members == 0 ? List.<Seat>of() : Seat.parts(query.demand(), 0)) {
        DomainPath pin = sort.pin().orElseThrow();
        Best best = inPin(pin, seat, members, cut.depth());
        if (best.count() < members) {
          return Optional.of(
              new Veto.TooFewPlaces(
                  seat.of(members),
                  new Veto.Confines(
                      topology().nameAt(cut.depth()),
                      pin.toString(),
                      where(best).model(),
                      true,
                      where(best).begun()),
                  best.count()));
        }
      }
    }
    return Optional.empty();
  }

  private Best inPin(DomainPath pin, Seat seat, int members, int depth) {
    List<ModelFilter> choice =
        query.demand().kind(0).wantsGpu() ? models : List.of(ModelFilter.ANY);
    Best best = new Best(pin, choice.getFirst(), 0);
    for (ModelFilter each : choice) {
      long places = 0;
      for (NodeState node : home.allNodes()) {
        if (node.place(depth).equals(pin) && matching.mayTake(node, 0, each)) {
          places += seat.on(node.freeCapacity(), members);
        }
      }
      best = best.or(pin, each, Math.min(places, members));
    }
    return best;
  }

  private Optional<Veto> inSlices(SliceLayout cut) {
    int slices = 0;
    int size = 0;
    for (SliceLayout.SliceClass sort : cut.sorts()) {
      slices += sort.slices().size();
      size = Math.max(size, sort.slices().getFirst().size());
    }
    int full = size;
    int rest = query.demand().count(0) - (slices - 1) * size;
    for (Seat seat : Seat.parts(query.demand(), 0)) {
      SliceRoom room = new SliceRoom(full, rest, slices);
      Best best =
          best(
              seat,
              slices,
              (domain, filter) -> fitting(domain, filter, seat, cut.depth(), room),
              node -> room.empty().with(1, seat.on(node.freeCapacity(), full * room.slices)).sum());
      if (best.count() < slices) {
        return Optional.of(
            new Veto.TooFewSlices(
                slices, topology().nameAt(cut.depth()), seat.of(full), where(best), best.count()));
      }
    }
    return Optional.empty();
  }

  /// Returns the number of slices that fit in the domain.
  private long fitting(
      TopologyDomain domain, ModelFilter filter, Seat seat, int depth, SliceRoom room) {
    int limit = room.full * room.slices;
    SliceRoom here = room.empty();
    if (depth > topology().depth()) {
      matching.visit(
          domain,
          seat.kind(),
          filter,
          (offer, nodes) -> {
            here.with(nodes, seat.on(offer, limit));
            return true;
          });
    } else {
      for (TopologyDomain each : domain.atDepth(depth)) {
        if (each.path().isLabelled()) {
          here.with(1, places(each, filter, seat, limit));
        }
      }
    }
    return here.sum();
  }

  /// The slices that fit in some domains: all are of equal size, except that the last has the rest.
  private static final class SliceRoom {
    private final int full;
    private final int rest;
    private final int slices;
    private long wholes;
    private boolean forRest;

    SliceRoom(int full, int rest, int slices) {
      this.full = full;
      this.rest = rest;
      this.slices = slices;
    }

    SliceRoom empty() {
      return new SliceRoom(full, rest, slices);
    }

    /// Adds domains with this number of places each.
    SliceRoom with(long domains, long places) {
      wholes += domains * (places / full);
      forRest |= domains > 0 && places % full >= rest;
      return this;
    }

    /// Returns the number of slices that fit.
    long sum() {
      long most = wholes + (forRest && rest < full && wholes < slices ? 1 : 0);
      return Math.min(slices, most);
    }
  }
}
