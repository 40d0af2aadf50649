package dev.muster.core.placement.diagnosis;

import dev.muster.core.fit.Veto;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Resources;
import dev.muster.core.node.FreeCapacity;
import dev.muster.core.placement.request.KindDemand;
import dev.muster.core.placement.request.TrialNode;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/// A seat is what one member needs on a node, or the part of it that a reason names.
///
/// @param demand demand of all kinds
/// @param kind the kind of the member
/// @param gpus whether its GPUs count
/// @param others its other resources that count
/// @param whole whether everything counts that it needs
record Seat(KindDemand demand, int kind, boolean gpus, Resources others, boolean whole) {
  /// Returns the seat with all needs of the member.
  static Seat whole(KindDemand demand, int kind) {
    TreeMap<String, Long> others = others(demand.kind(kind));
    return new Seat(demand, kind, true, Resources.of(others), true);
  }

  private static TreeMap<String, Long> others(Request request) {
    TreeMap<String, Long> others = new TreeMap<>(request.resources().asMap());
    others.values().removeIf(amount -> amount <= 0);
    others.keySet().removeIf(name -> request.gpus() > 0 && isOfGpus(name));
    return others;
  }

  /// True if the resource counts whole GPUs. Names of devices with conditions have spaces.
  static boolean isOfGpus(String resource) {
    return resource.contains("gpu") && !resource.contains(" ");
  }

  /// Returns parts of the needs, those with the fewest resources first. The last one is whole.
  static List<Seat> parts(KindDemand demand, int kind) {
    Request request = demand.kind(kind);
    List<Seat> parts = new ArrayList<>();
    if (request.gpus() > 0) {
      parts.add(new Seat(demand, kind, true, Resources.NONE, false));
    }
    for (boolean gpus : request.gpus() > 0 ? List.of(false, true) : List.of(false)) {
      others(request)
          .forEach((name, amount) ->
              parts.add(new Seat(demand, kind, gpus, Resources.of(name, amount), false)));
    }
    parts.add(whole(demand, kind));
    return parts;
  }

  /// Returns the number of members that have this on a node with the free capacity, at most
  /// `limit`.
  int on(FreeCapacity offer, int limit) {
    if (whole) {
      return TrialNode.of(offer, demand).fill(kind, limit);
    }
    Request request = demand.kind(kind);
    int most = request.onePerNode() ? Math.min(1, limit) : limit;
    most = gpus ? Math.min(most, offer.gpus() / request.gpus()) : most;
    return offer.free().holds(others, most);
  }

  /// Returns the needs of this number of members as part of a reason.
  Veto.Seats of(int members) {
    Request request = demand.kind(kind);
    return new Veto.Seats(
        members,
        gpus ? request.gpus() : 0,
        whole ? request.gpuMilli() : 0,
        others,
        request.onePerNode());
  }
}
