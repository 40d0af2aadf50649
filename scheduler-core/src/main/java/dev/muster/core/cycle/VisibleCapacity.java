package dev.muster.core.cycle;

import dev.muster.core.admission.FairShare;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.Assignment;
import dev.muster.core.node.Hold;
import dev.muster.core.node.HoldOrder;
import dev.muster.core.node.Placement;
import dev.muster.core.state.State;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Visible capacity is the cluster without the capacity held for other gangs, as one gang sees it.
///
/// A gang respects every hold of another gang, with these exceptions:
///
/// - most holds for gangs of lower priority;
/// - plans that need the capacity only after the gang is expected to have ended.
///
/// If capacity is held for the gang itself and not all of it is free yet, holds on one node are
/// served in the order of [HoldOrder]. So capacity released for one gang is not taken by the next,
/// and no two gangs wait for each other.
///
/// @param image the cluster that the gang may use
/// @param holds all holds of the cluster
/// @param unheeded gangs with holds that the gang need not respect
/// @param behind gangs with holds that are served after its own
/// @param images cache of images
public record VisibleCapacity(
    Cluster image,
    SortedTable<GangId, Hold> holds,
    Set<GangId> unheeded,
    Set<GangId> behind,
    Images images) {
  /// Images is a cache of one cluster's images, by the holds that they leave out.
  ///
  /// Gangs that are tried one after another usually see equal images. With many holds, an image
  /// costs more than a search.
  public static final class Images {
    private Optional<Cluster> cluster = Optional.empty();
    private final Map<Sight, Cluster> known = new LinkedHashMap<>();

    @SuppressWarnings("ReferenceEquality") // an unchanged cluster is identical
    private Cluster of(Sight sight, Cluster now) {
      if (cluster.filter(before -> before == now).isEmpty()) {
        known.clear();
        cluster = Optional.of(now);
      }
      return known.computeIfAbsent(sight, _ -> sight.of(now));
    }

    /// Returns the image of the last cluster without any hold.
    private Cluster withoutAny() {
      Cluster last = cluster.orElseThrow();
      return of(new Sight(last.holds().keys(), Optional.empty(), List.of()), last);
    }
  }

  /// A sight states which holds of a cluster a gang sees.
  ///
  /// @param unheeded gangs with holds that it need not respect
  /// @param own the gang itself, if it has a hold with others behind it
  /// @param behind the gangs with those later holds
  private record Sight(List<GangId> unheeded, Optional<GangId> own, List<GangId> behind) {
    Cluster of(Cluster cluster) {
      Cluster image = unheeded.isEmpty() ? cluster : cluster.withoutHolds(unheeded);
      return own.isPresent() ? image.openedTo(own.get(), behind) : image;
    }
  }

  public static VisibleCapacity of(State state, Gang gang, FairShare order) {
    return of(state, gang, order, new Images());
  }

  /// Returns the capacity that the gang may use now, with cached images.
  public static VisibleCapacity of(State state, Gang gang, FairShare order, Images images) {
    Set<GangId> none = Collections.emptySortedSet();
    return state.cluster().holds().isEmpty()
        ? new VisibleCapacity(state.cluster(), SortedTable.empty(), none, none, images)
        : of(
            state,
            gang,
            order,
            state.cluster().holds().get(gang.id()).filter(Hold::isForItself),
            end(state, gang),
            guessed(state, gang),
            images);
  }

  /// Returns the capacity for a gang that will start at an unknown time. Its own hold is ignored,
  /// and its runtime is assumed to be long.
  public static VisibleCapacity forLong(State state, Gang gang, FairShare order) {
    Optional<Hold> none = Optional.empty();
    return of(state, gang, order, none, Optional.empty(), Optional.empty(), new Images());
  }

  private static VisibleCapacity of(
      State state,
      Gang gang,
      FairShare order,
      Optional<Hold> own,
      Optional<Instant> end,
      Optional<Instant> guessed,
      Images images) {
    int priority = order.standing(gang).priority();
    Optional<HoldOrder> mine = own.map(hold -> hold.holdOrder(priority));
    SortedTable<GangId, Hold> holds = state.cluster().holds();
    Set<GangId> unheeded = new LinkedHashSet<>();
    Set<GangId> behind = new LinkedHashSet<>();
    holds.get(gang.id()).ifPresent(itsOwn -> unheeded.add(itsOwn.gang()));
    for (Hold hold : mine.isPresent() ? holds : Hold.besideHoles(holds)) {
      int other = order.standing(state.cluster().gang(hold.gang())).priority();
      Optional<Instant> until = hold.kind() == Hold.Kind.DRAINING ? guessed : end;
      if (!isHeeded(hold, gang, priority > other, until)) {
        unheeded.add(hold.gang());
      } else if (mine.filter(it -> it.compareTo(hold.holdOrder(other)) < 0).isPresent()) {
        behind.add(hold.gang());
      }
    }
    Sight sight = sight(gang.id(), unheeded, behind);
    Cluster image = images.of(sight, state.cluster());
    return new VisibleCapacity(image, holds, unheeded, behind, images);
  }

  /// Returns the sight of the gang. Without a hold behind it, the hold of the gang itself is left
  /// out.
  private static Sight sight(GangId gang, Set<GangId> unheeded, Set<GangId> behind) {
    if (behind.isEmpty()) {
      return new Sight(List.copyOf(unheeded), Optional.empty(), List.of());
    }
    List<GangId> others = unheeded.stream().filter(other -> !other.equals(gang)).toList();
    return new Sight(others, Optional.of(gang), List.copyOf(behind));
  }

  private static Optional<Instant> end(State state, Gang gang) {
    return state.history().expected(gang).map(state.cluster().now()::plus);
  }

  /// Returns the expected end of the gang, or one by the runtime that nine of ten gangs do not
  /// exceed.
  private static Optional<Instant> guessed(State state, Gang gang) {
    Optional<Duration> usual = state.history().usual();
    return end(state, gang).or(() -> usual.map(state.cluster().now()::plus));
  }

  private static boolean isHeeded(Hold hold, Gang gang, boolean above, Optional<Instant> end) {
    boolean outranked = above && hold.yieldsToHigher();
    return !hold.gang().equals(gang.id()) && !outranked && !hold.lets(end);
  }

  /// Returns the cluster without any hold; empty when the gang need not respect any.
  public Optional<Cluster> withoutHolds() {
    boolean isFree = unheeded.size() == holds.size();
    return isFree ? Optional.empty() : Optional.of(images.withoutAny());
  }

  /// Returns the first respected hold on one of the nodes, before those behind the gang's own.
  public Optional<Hold> holder(Placement placement) {
    return holder(placement, false).or(() -> holder(placement, true));
  }

  private Optional<Hold> holder(Placement placement, boolean isBehind) {
    return holds.first(hold ->
        !unheeded.contains(hold.gang())
            && behind.contains(hold.gang()) == isBehind
            && placement.assignments().stream()
                .anyMatch(assignment -> hold.shares().contains(assignment.node())));
  }

  /// Returns the image after the gang took its places. Its own hold gives up the taken shares.
  /// Plans that the gang does not delay rely on its end.
  public static Cluster taken(State before, Gang gang, Placement placement, Cluster reserved) {
    if (reserved.holds().isEmpty()) {
      return reserved;
    }
    Cluster image = reserved;
    Optional<Instant> end = end(before, gang);
    for (Hold hold : reserved.holds()) {
      if (hold.gang().equals(gang.id())) {
        image = fulfilled(image, hold, gang, placement);
      } else if (hold.kind() == Hold.Kind.PLANNED && hold.lets(end)) {
        image = image.with(counting(hold, placement));
      }
    }
    return image;
  }

  private static Cluster fulfilled(Cluster image, Hold hold, Gang gang, Placement placement) {
    SortedTable<NodeId, Hold.Share> open = hold.shares();
    for (Assignment assignment : placement.assignments()) {
      open = open.without(assignment.node());
    }
    boolean over = open.isEmpty() || image.lacking(gang) <= 0;
    return over ? image.withoutHold(gang.id()) : image.with(hold.with(open));
  }

  private static Hold counting(Hold hold, Placement placement) {
    SortedTable<NodeId, Hold.Share> shares = hold.shares();
    for (Assignment assignment : placement.assignments()) {
      Optional<Hold.Share> share = shares.get(assignment.node());
      MemberId pod = assignment.member().id();
      shares =
          share.isPresent()
              ? shares.with(
                  assignment.node(),
                  new Hold.Share(share.get().needs(), share.get().leavers().with(pod)))
              : shares;
    }
    return hold.with(shares);
  }
}
