package dev.muster.core.cluster;

import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import java.util.Optional;

/// The reservations of a [ClusterBuilder], kept consistent with the promises on its nodes.
final class ReservationBook {
  private final NodeInventory nodes;
  private SortedTable<GangId, Reservation> reservations;

  ReservationBook(NodeInventory nodes, SortedTable<GangId, Reservation> reservations) {
    this.nodes = nodes;
    this.reservations = reservations;
  }

  SortedTable<GangId, Reservation> byGang() {
    return reservations;
  }

  Optional<Reservation> get(GangId gang) {
    return reservations.get(gang);
  }

  Optional<Promise> promise(Member member) {
    return promises(member.gang()).get(member.id());
  }

  SortedTable<MemberId, Promise> promises(GangId gang) {
    return reservations.get(gang).map(Reservation::promises).orElse(SortedTable.empty());
  }

  /// Makes a reservation. It replaces any other one of its gang.
  ///
  /// Promises that both contain stay unchanged. Among the new ones, large fractions of GPUs come
  /// first, as in the search.
  void put(Reservation reservation, Gang gang) {
    SortedTable<MemberId, Promise> dropped = promises(gang.id());
    drop(dropped, reservation.promises());
    for (Promise promise : reservation.beyond(dropped, gang)) {
      Member member = gang.members().get(promise.member()).orElseThrow();
      nodes.change(promise.node(), state -> state.promising(member));
    }
    note(reservation);
  }

  /// Ends the gang's reservation, if any.
  void end(GangId gang) {
    drop(promises(gang), SortedTable.empty());
    reservations = reservations.without(gang);
  }

  /// Changes a reservation's bookkeeping. Its members and nodes must be unchanged.
  void note(Reservation reservation) {
    reservations = reservations.with(reservation.gang(), reservation);
  }

  /// Ends the promise to a member that is bound, leaves or is gone.
  void endPromise(GangId gang, MemberId member) {
    Optional<Promise> promise = promises(gang).get(member);
    if (promise.isPresent()) {
      nodes.change(promise.get().node(), state -> state.unpromisedTo(member));
      bound(gang, member);
    }
  }

  /// Ends the promise of a member that was bound to it. Its node was changed before.
  void bound(GangId gang, MemberId member) {
    note(reservations.get(gang).orElseThrow().without(member));
  }

  private void drop(SortedTable<MemberId, Promise> old, SortedTable<MemberId, Promise> kept) {
    for (Promise promise : old) {
      if (!promise.isAmong(kept)) {
        nodes.change(promise.node(), state -> state.unpromisedTo(promise.member()));
      }
    }
  }
}
