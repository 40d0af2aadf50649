package dev.muster.core.cluster;

import dev.muster.core.cluster.Seats.Seat;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.NodeState;
import dev.muster.core.node.NodeState.Occupant;
import java.util.Optional;

/// The seats of a [Draft], kept in step with what its nodes hold.
///
/// A pod may sit on a node that was not seen yet: what it takes is kept until the node appears.
final class PodLocations {
  private final NodeInventory nodes;
  private Seats seats;

  PodLocations(NodeInventory nodes, Seats seats) {
    this.nodes = nodes;
    this.seats = seats;
  }

  Seats seats() {
    return seats;
  }

  Optional<Seat> get(MemberId pod) {
    return seats.get(pod);
  }

  /// Moves the pod to the seat, or off its node if there is none.
  void move(MemberId pod, Optional<Seat> seat) {
    Optional<Seat> before = seats.get(pod);
    if (!before.equals(seat)) {
      if (before.isPresent()) {
        leave(pod, before.get().node());
      }
      if (seat.isPresent()) {
        occupy(pod, seat.get());
      }
      seats = seats.with(pod, seat);
    }
  }

  private void leave(MemberId pod, NodeId node) {
    if (!nodes.change(node, state -> state.leftBy(pod))) {
      seats = seats.unhousedLeft(pod, node);
    }
  }

  private void occupy(MemberId pod, Seat seat) {
    if (!nodes.change(seat.node(), state -> state.occupiedBy(pod, seat.share()))) {
      seats = seats.unhousing(pod, seat);
    }
  }

  /// Gives the pod the seat that was promised to it: one change of the node, which leaves free what
  /// was.
  void bindAsPromised(MemberId pod, Seat seat) {
    nodes.change(seat.node(), state -> state.settledBy(pod, seat.share()));
    seats = seats.with(pod, Optional.of(seat));
  }

  /// Takes the pod's seat away. Its node, if it is there, was changed before.
  void release(MemberId pod) {
    Optional<Seat> seat = seats.get(pod);
    if (seat.isPresent() && !nodes.contains(seat.get().node())) {
      seats = seats.unhousedLeft(pod, seat.get().node());
    }
    seats = seats.with(pod, Optional.empty());
  }

  /// Gives the pod back the seat that it had. Its node, if it is there, was changed before.
  void restore(MemberId pod, Optional<Seat> seat) {
    if (seat.isPresent() && !nodes.contains(seat.get().node())) {
      seats = seats.unhousing(pod, seat.get());
    }
    seats = seats.with(pod, seat);
  }

  // ---- Nodes that appear and go ----

  /// The new node with the pods that were bound to it before it was seen.
  NodeState withPods(NodeState bare) {
    NodeState state = bare;
    for (var pod : seats.pods(bare.id()).entries()) {
      state = state.occupiedBy(pod.key(), pod.value());
    }
    return state;
  }

  /// The node is there, so it keeps its pods itself.
  void nodeAppeared(NodeId node) {
    seats = seats.unhousing(node, SortedTable.empty());
  }

  /// The node is gone: what its pods take is kept in case it comes back.
  void nodeGone(NodeId node, SortedTable<MemberId, Occupant> pods) {
    seats = seats.unhousing(node, pods);
  }
}
