package dev.muster.core.state;

import dev.muster.core.cluster.Reservation;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Victim;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// What we ask of the world. Every effect may be performed twice without harm, and may be lost: the
/// engine asks again until it sees the fact.
public sealed interface Effect {
  /// The reason of an eviction that makes room for others.
  String PREEMPTED = "Preempted";

  /// The gang it concerns; effects of one gang are performed in the order given.
  GangId gang();

  /// Write the reservation on the gang's object, in one patch. Answered by `ReservationWritten` or
  /// `ReservationNotWritten`.
  record WriteReservation(GangId gang, Reservation reservation) implements Effect {}

  /// Let the pod go to the node: remove its gate, and nominate it where that is needed. Answered by
  /// `MemberStarted` or `MemberNotStarted`.
  record StartMember(GangId gang, MemberId member, NodeId node) implements Effect {}

  /// Remove the record of the reservation from the gang's object.
  record ClearReservation(GangId gang) implements Effect {}

  /// Write on the gang's object who is stopped for it, in one patch; nobody: remove what is written
  /// there. Answered by `VictimsRecorded` or `VictimsNotRecorded`, unless there is nobody.
  record RecordVictims(GangId gang, SortedTable<GangId, Victim> victims) implements Effect {}

  /// Try whether the victim's members could be evicted, and tell it that they will be. Answered by
  /// `VictimTold` or `MemberNotEvicted`.
  ///
  /// @param gang the victim
  /// @param notice what it is told
  record TellVictim(GangId gang, Notice notice) implements Effect {}

  /// What a victim is told.
  ///
  /// @param by the gang that it is stopped for
  /// @param victim which members leave, by which rule, and what is lost
  /// @param revision of the policy
  /// @param deadline when they are evicted at the latest; absent: at once
  /// @param stopped when it was stopped before and is now, oldest first
  /// @param overBudgets whether it is stopped although a disruption budget forbids it
  record Notice(
      GangId by,
      Victim victim,
      String revision,
      Optional<Instant> deadline,
      List<Instant> stopped,
      boolean overBudgets) {
    public Notice {
      stopped = List.copyOf(stopped);
    }
  }

  /// Tell the gang that it is not stopped after all.
  ///
  /// @param stopped when it was stopped, oldest first: that it was to be does not count
  record Reprieve(GangId gang, GangId by, List<Instant> stopped) implements Effect {
    public Reprieve {
      stopped = List.copyOf(stopped);
    }
  }

  /// Evict the pod: it runs without its mates, or its room is taken for others. Answered by
  /// `MemberNotEvicted` if that fails.
  ///
  /// @param ending how it ends
  record Evict(GangId gang, MemberId member, String reason, String message, Ending ending)
      implements Effect {}

  /// How a pod ends that is evicted.
  ///
  /// @param grace how long it has to end; absent: what it says itself
  /// @param overBudgets whether it is deleted when a disruption budget forbids to evict it
  record Ending(Optional<Duration> grace, boolean overBudgets) {
    /// As the pod says, if disruption budgets allow it.
    public static final Ending PLAIN = new Ending(Optional.empty(), false);
  }

  /// Show where the gang stands, on its object and by an Event where the reason is new.
  ///
  /// @param gang the gang
  /// @param spec its specification as known, absent when its object was never seen
  /// @param status what to show
  record Publish(GangId gang, Optional<GangSpec> spec, GangStatus status) implements Effect {}
}
