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
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What of the cluster a gang may use, given the room that is held for others.
///
/// A gang heeds what is held for others, except most of what is held for gangs of lower priority,
/// and what is planned to be needed only after it is expected to have ended. Where room is held for
/// itself, too, and not enough for all has come free, those before it come first, and it comes
/// before the others ([HoldOrder]): what came free for one is not to be taken by the next, nor are
/// two to wait for each other.
///
/// @param image the cluster as far as the gang may use it
/// @param heeded what is held that it must heed, what comes before its own first
/// @param images where images are remembered
public record VisibleCapacity(Cluster image, List<Hold> heeded, Images images) {
  /// Images of one cluster as far as some may use it: gangs that are tried one after the other
  /// mostly see the same, and with much held an image costs more than a search.
  public static final class Images {
    private Optional<Cluster> cluster = Optional.empty();
    private final Map<Sight, Cluster> known = new LinkedHashMap<>();

    @SuppressWarnings("ReferenceEquality") // an unchanged cluster is the same object
    private Cluster of(Sight sight, Cluster now) {
      if (cluster.filter(before -> before == now).isEmpty()) {
        known.clear();
        cluster = Optional.of(now);
      }
      return known.computeIfAbsent(sight, _ -> sight.of(now));
    }

    /// The image last asked for, without anything held.
    private Cluster withoutAny() {
      Cluster last = cluster.orElseThrow();
      return of(new Sight(last.holds().keys(), Optional.empty(), List.of()), last);
    }
  }

  /// What somebody sees of a cluster.
  ///
  /// @param unheeded for whom room is held that it need not heed
  /// @param own the gang itself, if room is held for it and for others behind it
  /// @param behind those others
  private record Sight(List<GangId> unheeded, Optional<GangId> own, List<GangId> behind) {
    Cluster of(Cluster cluster) {
      Cluster image = cluster;
      for (GangId held : unheeded) {
        image = image.withoutHold(held);
      }
      return own.isPresent() ? image.openedTo(own.get(), behind) : image;
    }
  }

  public static VisibleCapacity of(State state, Gang gang, FairShare order) {
    return of(state, gang, order, new Images());
  }

  /// The same, with images that may be known already.
  public static VisibleCapacity of(State state, Gang gang, FairShare order, Images images) {
    return state.cluster().holds().isEmpty()
        ? new VisibleCapacity(state.cluster(), List.of(), images)
        : of(
            state,
            gang,
            order,
            state.cluster().holds().get(gang.id()).filter(Hold::isForItself),
            end(state, gang),
            guessed(state, gang),
            images);
  }

  /// The same for a gang that will start one day, wherever room is held for it now: it is taken to
  /// need its place for long.
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
    List<GangId> unheeded = new ArrayList<>();
    List<Hold> heeded = new ArrayList<>();
    List<Hold> behind = new ArrayList<>();
    for (Hold hold : state.cluster().holds()) {
      int other = order.standing(state.cluster().gang(hold.gang())).priority();
      Optional<Instant> until = hold.kind() == Hold.Kind.DRAINING ? guessed : end;
      if (!isHeeded(hold, gang, priority > other, until)) {
        unheeded.add(hold.gang());
      } else if (mine.filter(it -> it.compareTo(hold.holdOrder(other)) < 0).isPresent()) {
        behind.add(hold);
      } else {
        heeded.add(hold);
      }
    }
    Sight sight = sight(gang.id(), unheeded, behind);
    heeded.addAll(behind);
    return new VisibleCapacity(images.of(sight, state.cluster()), heeded, images);
  }

  /// If nobody is behind it, what is held for the gang itself is just not there.
  private static Sight sight(GangId gang, List<GangId> unheeded, List<Hold> behind) {
    if (behind.isEmpty()) {
      return new Sight(unheeded, Optional.empty(), List.of());
    }
    unheeded.remove(gang);
    return new Sight(unheeded, Optional.of(gang), behind.stream().map(Hold::gang).toList());
  }

  private static Optional<Instant> end(State state, Gang gang) {
    return state.history().expected(gang).map(state.cluster().now()::plus);
  }

  /// The same; one of which nothing is known is taken to run no longer than nine of ten do.
  private static Optional<Instant> guessed(State state, Gang gang) {
    Optional<Duration> usual = state.history().usual();
    return end(state, gang).or(() -> usual.map(state.cluster().now()::plus));
  }

  private static boolean isHeeded(Hold hold, Gang gang, boolean above, Optional<Instant> end) {
    boolean outranked = above && hold.yieldsToHigher();
    return !hold.gang().equals(gang.id()) && !outranked && !hold.lets(end);
  }

  /// The cluster as if nothing were held; empty when nothing is that the gang must heed.
  public Optional<Cluster> withoutHolds() {
    return heeded.isEmpty() ? Optional.empty() : Optional.of(images.withoutAny());
  }

  /// The first for whom some of the nodes are held.
  public Optional<Hold> holder(Placement placement) {
    return heeded.stream()
        .filter(hold ->
            placement.assignments().stream()
                .anyMatch(assignment -> hold.shares().contains(assignment.node())))
        .findFirst();
  }

  /// The image after the gang took its places: of the room held for itself what it took is given
  /// up; plans that let it pass count on its end.
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
