package dev.muster.core.engine;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.NodeState;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;

/// Whose turn it is: the gangs that the event itself concerns, and the classes of waiting gangs
/// whose remedy it brings. No other gang can start now that could not before: a class waits for
/// room on some node, for its quota, or for what is planned to change.
///
/// @param own gangs to try whatever they wait for
/// @param classes classes of which the first gang is to be tried, and the next as long as they fit
record Turn(NavigableSet<GangId> own, NavigableSet<WaitClass.Key> classes) {
  boolean isEmpty() {
    return own.isEmpty() && classes.isEmpty();
  }

  /// The turn that an event brings.
  ///
  /// @param facts the image with the event's facts applied and nothing else
  /// @param kept the state after upkeep
  static Turn after(Event event, State before, Cluster facts, Keeping.Kept kept) {
    State state = kept.state();
    TreeSet<GangId> own = new TreeSet<>(kept.touched());
    own(event).ifPresent(own::add);
    if (event instanceof Event.Synced) {
      own.addAll(state.cluster().gangs().keys());
    }
    own.removeIf(gang -> rests(gang, state));
    if (event instanceof Event.Tick(Instant now)) {
      due(now, state.waiting(), own);
    }
    kept.releases().forEach(release -> own.remove(release.gang()));
    List<NodeState> roomier = touched(event, before.cluster(), facts);
    roomier.addAll(roomier(facts, state.cluster()));
    return new Turn(own, woken(roomier, before.cluster(), state));
  }

  /// The turn of those that wait for the room that the turn just taken gave back: plans that were
  /// lost or moved. No gang loses its whole plan twice in one step, so these turns end.
  static Turn again(State before, State after) {
    List<NodeState> roomier = roomier(before.cluster(), after.cluster());
    return new Turn(new TreeSet<>(), woken(roomier, before.cluster(), after));
  }

  private static Optional<GangId> own(Event event) {
    return switch (event) {
      case Event.GangSeen(_, GangSpec spec) -> Optional.of(spec.id());
      case Event.GangGone(_, GangId gang) -> Optional.of(gang);
      case Event.MemberSeen(_, Member member) -> Optional.of(member.gang());
      case Event.MemberGone(_, GangId gang, _) -> Optional.of(gang);
      case Event.NodeSeen _,
          Event.NodeGone _,
          Event.StrangerSeen _,
          Event.StrangerGone _,
          Event.Synced _,
          Event.Tick _,
          Event.ReservationWritten _,
          Event.ReservationNotWritten _,
          Event.MemberStarted _,
          Event.MemberNotStarted _ ->
          Optional.empty();
    };
  }

  // ---- Time ----

  /// A gang that was released rests, whatever is seen of it meanwhile.
  private static boolean rests(GangId gang, State state) {
    return state
        .waiting()
        .timed()
        .get(gang)
        .filter(at -> state.isReleased(gang) && state.cluster().now().isBefore(at))
        .isPresent();
  }

  private static void due(Instant now, Waiting waiting, NavigableSet<GangId> own) {
    for (GangId gang : waiting.timed().keys()) {
      if (!now.isBefore(waiting.timed().get(gang).orElseThrow())) {
        own.add(gang);
      }
    }
  }

  // ---- Room ----

  /// Of the nodes that the event's own facts are about, those that offer more than before.
  private static List<NodeState> touched(Event event, Cluster before, Cluster facts) {
    TreeSet<NodeId> nodes = new TreeSet<>();
    switch (event) {
      case Event.NodeSeen(_, var node) -> nodes.add(node.id());
      case Event.MemberSeen(_, Member member) -> left(before, member.gang(), member.id(), nodes);
      case Event.MemberGone(_, GangId gang, MemberId pod) -> left(before, gang, pod, nodes);
      case Event.StrangerSeen(_, MemberId pod, _, _, _) -> seat(before, pod, nodes);
      case Event.StrangerGone(_, MemberId pod) -> seat(before, pod, nodes);
      case Event.NodeGone _,
          Event.GangSeen _,
          Event.GangGone _,
          Event.Synced _,
          Event.Tick _,
          Event.ReservationWritten _,
          Event.ReservationNotWritten _,
          Event.MemberStarted _,
          Event.MemberNotStarted _ -> {}
    }
    List<NodeState> roomier = new ArrayList<>();
    for (NodeId id : nodes) {
      Optional<NodeState> old = before.nodes().get(id);
      facts
          .nodes()
          .get(id)
          .filter(now -> old.isEmpty() || offersMore(old.get(), now))
          .ifPresent(roomier::add);
    }
    return roomier;
  }

  private static void left(Cluster before, GangId gang, MemberId pod, NavigableSet<NodeId> nodes) {
    seat(before, pod, nodes);
    before
        .reservations()
        .get(gang)
        .flatMap(reservation -> reservation.promises().get(pod))
        .ifPresent(promise -> nodes.add(promise.node()));
  }

  private static void seat(Cluster before, MemberId pod, NavigableSet<NodeId> nodes) {
    before.seats().get(pod).ifPresent(seat -> nodes.add(seat.node()));
  }

  /// The nodes that offer more than in the earlier image of the same nodes.
  private static List<NodeState> roomier(Cluster earlier, Cluster later) {
    return later.nodes().changed(earlier.nodes(), Turn::offersMore);
  }

  /// Binding a pod where it was promised to go frees nothing.
  private static boolean offersMore(NodeState old, NodeState now) {
    return !old.node().equals(now.node())
        || !old.unpromised().covers(now.unpromised())
        || !old.free().covers(now.free());
  }

  /// The classes that may find room on one of the nodes; where plans changed, also those that they
  /// kept from starting; where quota came free, those of the queues.
  private static NavigableSet<WaitClass.Key> woken(
      List<NodeState> roomier, Cluster earlier, State state) {
    TreeSet<WaitClass.Key> woken = new TreeSet<>();
    boolean replanned = !state.cluster().holds().equals(earlier.holds());
    if (roomier.isEmpty() && !replanned) {
      return woken;
    }
    for (WaitClass waits : state.waiting().classes()) {
      boolean held = waits.why().main().filter(Veto.WouldDelay.class::isInstance).isPresent();
      if ((replanned && held) || roomier.stream().anyMatch(waits::findsRoomOn)) {
        woken.add(waits.key());
      }
    }
    return woken;
  }
}
