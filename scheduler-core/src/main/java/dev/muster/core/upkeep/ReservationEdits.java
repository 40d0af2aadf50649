package dev.muster.core.upkeep;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Promise;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.cycle.Cycle;
import dev.muster.core.cycle.CycleResult;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.node.AvoidedNodes;
import java.util.Optional;

/// Reservation edits change the reservations of one image, and touch the gangs concerned.
///
/// All components of [ReservationUpkeep] share them, so each sees the changes of the others.
final class ReservationEdits {
  private final Cluster before;
  private final CycleResult result;
  private Cluster cluster;

  ReservationEdits(Cycle cycle) {
    this.before = cycle.before().cluster();
    this.cluster = cycle.state().cluster();
    this.result = cycle.result();
  }

  /// Returns the image before the event.
  Cluster before() {
    return before;
  }

  /// Returns the image with all edits so far.
  Cluster cluster() {
    return cluster;
  }

  Optional<Reservation> of(GangId gang) {
    return cluster.reservations().get(gang);
  }

  /// Returns the member before the event.
  Optional<Member> earlier(Member member) {
    return before.gang(member.gang()).members().get(member.id());
  }

  void touch(GangId gang) {
    result.touch(gang);
  }

  /// Replaces the image and touches the gang.
  void set(Cluster image, GangId gang) {
    cluster = image;
    touch(gang);
  }

  /// Notes progress of a reservation, which keeps its promises.
  void note(Reservation reservation) {
    set(cluster.noted(reservation), reservation.gang());
  }

  /// Notes progress of a reservation without touching its gang, where no action is due for it.
  void noteSilently(Reservation reservation) {
    cluster = cluster.noted(reservation);
  }

  void put(Reservation reservation) {
    set(cluster.with(reservation), reservation.gang());
  }

  void end(GangId gang) {
    set(cluster.without(gang), gang);
  }

  /// Removes a promise that kube-scheduler refused, and lets the gang avoid the node.
  void refused(Reservation reservation, Promise promise, Optional<String> message) {
    GangId gang = reservation.gang();
    cluster =
        AvoidanceUpkeep.failed(
            cluster, gang, promise.node(), AvoidedNodes.Cause.REFUSED, message, result);
    drop(reservation, promise);
  }

  /// Removes a promise, so that the member is placed again.
  void drop(Reservation reservation, Promise promise) {
    put(reservation.without(promise.member()).replanned(cluster.now()));
  }
}
