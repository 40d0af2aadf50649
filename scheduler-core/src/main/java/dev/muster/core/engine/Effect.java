package dev.muster.core.engine;

import dev.muster.core.cluster.Reservation;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import java.util.Optional;

/// What we ask of the world. Every effect may be performed twice without harm, and may be lost: the
/// engine asks again until it sees the fact.
public sealed interface Effect {
  /// The gang it concerns; effects of one gang are performed in the order given.
  GangId gang();

  /// Write the reservation on the gang's object, in one patch. Answered by `ReservationWritten` or
  /// `ReservationNotWritten`.
  record WriteReservation(GangId gang, Reservation reservation) implements Effect {}

  /// Nominate the pod to the node and remove its gate. Answered by `MemberStarted` or
  /// `MemberNotStarted`.
  record StartMember(GangId gang, MemberId member, NodeId node) implements Effect {}

  /// Remove the record of the reservation from the gang's object.
  record ClearReservation(GangId gang) implements Effect {}

  /// Evict the pod: it runs without its mates.
  record Evict(GangId gang, MemberId member, String reason, String message) implements Effect {}

  /// Show where the gang stands, on its object and by an Event where the reason is new.
  ///
  /// @param gang the gang
  /// @param spec its specification as known, absent when its object was never seen
  /// @param status what to show
  record Publish(GangId gang, Optional<GangSpec> spec, GangStatus status) implements Effect {}
}
