package dev.muster.server.http.page;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.admission.FairShare;
import dev.muster.core.admission.Rank;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.decision.ReasonText;
import dev.muster.core.gang.GangId;
import dev.muster.core.state.State;
import dev.muster.core.state.WaitClass;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// All waiting gangs of one image, in the order in which they are tried.
///
/// First come those that released capacity or quota could start. These have a position. The others
/// lack members, or would not start whatever became free. It is computed once for an image, so that
/// no filter and no page sorts again.
///
/// *Example:* `ml/a` and `bio/b` wait for capacity, and `ml/c` lacks members. `ml/a` is first of
/// all and first of its queue, `bio/b` is second of all and first of its queue, and `ml/c` has no
/// position.
///
/// @param places the gangs in their order
public record WaitingOrder(List<Place> places) {
  /// A waiting gang with its position.
  ///
  /// @param rank its rank among all gangs
  /// @param position position among all gangs that can start, from 1; 0 without a position
  /// @param inQueue position among those of its queue, from 1; 0 without a position
  /// @param reason token of the reason for which it waits
  /// @param gpus GPUs requested by its pods without a promise
  public record Place(Gang gang, Rank rank, int position, int inQueue, String reason, long gpus) {
    /// True if the gang is in the line of those that can start.
    boolean inLine() {
      return position > 0;
    }

    /// Adds the positions, if the gang has them.
    public void addTo(ObjectNode json) {
      if (inLine()) {
        json.put("position", position).put("positionInQueue", inQueue);
      }
    }
  }

  public WaitingOrder {
    places = List.copyOf(places);
  }

  /// Computes the order of an image.
  public static WaitingOrder of(State state, FairShare order) {
    Ranking ranking = new Ranking(state.cluster(), order);
    List<Ranked> line = new ArrayList<>();
    List<Ranked> rest = new ArrayList<>();
    for (WaitClass waits : state.waiting().classes()) {
      List<Ranked> part = waits.hasHope() ? line : rest;
      Optional<String> reason = waits.why().main().map(ReasonText::token);
      for (GangId id : waits.gangs()) {
        Gang gang = state.cluster().gang(id);
        part.add(ranking.of(gang, reason.orElseGet(() -> GangView.reason(gang, state))));
      }
    }
    for (Gang gang : state.cluster().gangs()) {
      if (!isSeated(state, gang.id()) && GangOutlook.waitsAsWhole(state, gang)) {
        rest.add(ranking.of(gang, GangView.reason(gang, state)));
      }
    }
    line.sort(Comparator.comparing(Ranked::rank));
    rest.sort(Comparator.comparing(Ranked::rank));
    List<Place> places = new ArrayList<>(line.size() + rest.size());
    Map<String, Integer> inQueues = new HashMap<>();
    for (Ranked each : line) {
      int inQueue = inQueues.merge(each.gang().queue(), 1, Integer::sum);
      places.add(place(state, each, places.size() + 1, inQueue));
    }
    rest.forEach(each -> places.add(place(state, each, 0, 0)));
    return new WaitingOrder(places);
  }

  /// Returns the place of a gang; empty if it does not wait.
  public Optional<Place> of(GangId gang) {
    return places.stream().filter(place -> place.gang().id().equals(gang)).findFirst();
  }

  private static boolean isSeated(State state, GangId gang) {
    return state.waiting().seats().contains(gang);
  }

  private static Place place(State state, Ranked each, int position, int inQueue) {
    Gang gang = each.gang();
    return new Place(
        gang,
        each.rank(),
        position,
        inQueue,
        each.reason(),
        GangShape.wantedGpus(state.cluster(), gang));
  }

  /// A gang, its rank, and the token of its reason.
  private record Ranked(Gang gang, Rank rank, String reason) {}

  /// Ranks gangs; the share of each queue is computed once.
  private record Ranking(Cluster cluster, FairShare order, Map<String, Long> shares) {
    Ranking(Cluster cluster, FairShare order) {
      this(cluster, order, new HashMap<>());
    }

    Ranked of(Gang gang, String reason) {
      long share = shares.computeIfAbsent(gang.queue(), queue -> order.share(cluster, queue));
      return new Ranked(gang, order.standing(gang).at(share), reason);
    }
  }
}
