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
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// An effect is a write that the engine requests. Every effect may be performed twice without harm,
/// and may be lost: the engine requests it again until it sees the fact.
public sealed interface Effect {
  /// The reason token of an eviction that frees capacity for another gang.
  String PREEMPTED = "Preempted";

  /// Returns the gang of the effect. Effects of one gang are performed in the order given.
  GangId gang();

  /// Writes the reservation to the gang's object, in one patch. Unless the gang runs, the patch
  /// also removes the minimum with which it last ran. Answered by `ReservationWritten` or
  /// `ReservationNotWritten`.
  record WriteReservation(GangId gang, Reservation reservation) implements Effect {}

  /// Lets the pod start on the node: removes its gate, and nominates the node where that is needed.
  /// Answered by `MemberStarted` or `MemberNotStarted`.
  record StartMember(GangId gang, MemberId member, NodeId node) implements Effect {}

  /// Removes the record of the reservation from the gang's object, and writes with which minimum it
  /// runs, in one patch.
  ///
  /// @param ranWith the minimum with which it runs whole; absent if it never did since its start
  record ClearReservation(GangId gang, Optional<Integer> ranWith) implements Effect {}

  /// Writes the victims of the gang to its object, in one patch. An empty table removes the record.
  /// Answered by `VictimsRecorded` or `VictimsNotRecorded`, unless the table is empty.
  record RecordVictims(GangId gang, SortedTable<GangId, Victim> victims) implements Effect {}

  /// Tests whether the victim's members could be evicted, and notifies the victim. Answered by
  /// `VictimTold` or `MemberNotEvicted`.
  ///
  /// @param gang the victim
  /// @param notice content of the notification
  record TellVictim(GangId gang, Notice notice) implements Effect {}

  /// A notice is the content of a victim's notification.
  ///
  /// @param by the preemptor
  /// @param victim members that leave, rule that permits it, and lost work
  /// @param revision revision of the policy
  /// @param deadline latest time of the eviction; absent: at once
  /// @param stopped times of the gang's preemptions, this one included, oldest first
  /// @param overBudgets true if it is preempted although a disruption budget forbids it
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

  /// Notifies the gang that it is not preempted after all.
  ///
  /// @param stopped times of its preemptions, oldest first; the cancelled one counts only if some
  ///   of its members left
  record Reprieve(GangId gang, GangId by, List<Instant> stopped) implements Effect {
    public Reprieve {
      stopped = List.copyOf(stopped);
    }
  }

  /// Evicts the pod: it runs without the rest of its gang, or its capacity is needed for another
  /// gang. Answered by `MemberNotEvicted` if that fails.
  ///
  /// @param ending how the pod ends
  record Evict(GangId gang, MemberId member, String reason, String message, Ending ending)
      implements Effect {}

  /// An ending states how an evicted pod ends.
  ///
  /// @param grace grace period of the pod; absent: the period that the pod itself states
  /// @param overBudgets true if the pod is deleted when a disruption budget forbids its eviction
  record Ending(Optional<Duration> grace, boolean overBudgets) {
    /// The grace period of the pod itself, if disruption budgets allow the eviction.
    public static final Ending PLAIN = new Ending(Optional.empty(), false);
  }

  /// Reports a problem by an Event on the gang's object, or on a node.
  ///
  /// It is requested once, and never again: an Event is a notice, not a state.
  ///
  /// @param node the node that has the problem; absent if the Event is about the gang
  /// @param reason a stable CamelCase token
  record Report(GangId gang, Optional<NodeId> node, String reason, String message)
      implements Effect, Comparable<Report> {
    private static final Comparator<Report> ORDER =
        Comparator.comparing(Report::gang)
            .thenComparing(report -> report.node.map(NodeId::name).orElse(""))
            .thenComparing(Report::reason)
            .thenComparing(Report::message);

    /// Orders by gang, node, reason, message.
    @Override
    public int compareTo(Report other) {
      return ORDER.compare(this, other);
    }
  }

  /// Publishes the status of the gang on its object, and by an Event when the reason is new.
  ///
  /// @param gang the gang
  /// @param spec its last known specification; absent when its object was never seen
  /// @param status the status to publish
  record Publish(GangId gang, Optional<GangSpec> spec, GangStatus status) implements Effect {}
}
