package dev.muster.core.cluster;

import dev.muster.core.budget.SpentBudget;
import dev.muster.core.gang.Discrepancies;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Resources;
import dev.muster.core.node.Node;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// One input of the engine.
///
/// - Facts state the current form of an object. They may come late, twice or in any order.
/// - Outcomes state the result of an effect that the engine requested.
/// - Time itself comes as a [Tick].
public sealed interface Event {
  /// Returns the time of the event by the world's clock: the only clock there is.
  Instant at();

  /// A node exists in this form.
  record NodeSeen(Instant at, Node node) implements Event {}

  /// A node no longer exists.
  record NodeGone(Instant at, NodeId node) implements Event {}

  /// Facts about one gang and its members.
  sealed interface OfGang extends Event {
    /// Returns the gang.
    GangId gang();

    /// Returns the facts in order, at least one.
    List<GangFact> facts();
  }

  /// One fact about a gang or one of its members.
  sealed interface GangFact extends OfGang {
    @Override
    default List<GangFact> facts() {
      return List.of(this);
    }
  }

  /// The object that declares a gang exists in this form.
  record GangSeen(Instant at, GangSpec spec) implements GangFact {
    @Override
    public GangId gang() {
      return spec.id();
    }
  }

  /// The object that declares a gang no longer exists. Its pods may still exist.
  record GangGone(Instant at, GangId gang) implements GangFact {}

  /// A member exists in this form.
  ///
  /// A pod on a node that was in another gang leaves that one at once, so its capacity is never
  /// free in between.
  record MemberSeen(Instant at, Member member) implements GangFact {
    @Override
    public GangId gang() {
      return member.gang();
    }
  }

  /// A member no longer exists.
  record MemberGone(Instant at, GangId gang, MemberId member) implements GangFact {}

  /// These objects of a gang do not count; they replace those of the last such fact.
  record DiscrepanciesSeen(Instant at, GangId gang, Discrepancies found) implements GangFact {}

  /// Several facts about one gang, all applied before anything is decided.
  ///
  /// The result equals that of single events, had nothing been decided in between. There is one
  /// exception: a gang that is gone and back within the event was never gone. Capacity that it
  /// gives back and gets again within the event was never free.
  record GangChanged(Instant at, GangId gang, List<GangFact> facts) implements OfGang {
    public GangChanged {
      facts = List.copyOf(facts);
      if (facts.isEmpty()) {
        throw new IllegalArgumentException("Event of gang %s has no facts.".formatted(gang));
      }
      for (GangFact fact : facts) {
        if (!fact.gang().equals(gang)) {
          throw new IllegalArgumentException(
              "Event of gang %s has a fact about gang %s.".formatted(gang, fact.gang()));
        }
      }
    }
  }

  /// An unmanaged pod uses these resources of a node.
  record UnmanagedPodSeen(Instant at, MemberId pod, NodeId node, Resources resources, int gpus)
      implements Event {}

  /// An unmanaged pod has left its node.
  record UnmanagedPodGone(Instant at, MemberId pod) implements Event {}

  /// All existing objects were seen once. Before this event nothing is decided.
  record Synced(Instant at) implements Event {}

  /// Time has passed.
  ///
  /// @param lost duration of an outage before this event, greater than zero: the cluster was not
  ///   visible, the machine was asleep or its clock was set ahead. All deadlines move by it.
  record Tick(Instant at, Optional<Duration> lost) implements Event {
    /// Time has passed without an outage.
    public Tick(Instant at) {
      this(at, Optional.empty());
    }
  }

  /// Another preemption policy is in force from now on.
  ///
  /// @param revision identifier of the policy
  record PolicyChanged(Instant at, String revision) implements Event {}

  /// These budgets are used up from now on, and no others. Gangs that they cover do not start.
  ///
  /// @param budgets budgets that keep gangs from starting
  record BudgetsSpent(Instant at, List<SpentBudget> budgets) implements Event {
    public BudgetsSpent {
      budgets = List.copyOf(budgets);
    }
  }

  /// The result of an effect that the engine requested.
  sealed interface Outcome extends Event {}

  /// This edition of the reservation is recorded on the gang's object.
  record ReservationWritten(Instant at, GangId gang, int edition) implements Outcome {}

  /// The reservation could not be written to the gang's object.
  ///
  /// @param refusal HTTP status with which the object refuses it for good; absent if a retry may
  ///   succeed
  record ReservationNotWritten(Instant at, GangId gang, String problem, Optional<Integer> refusal)
      implements Outcome {
    /// The write may succeed later.
    public ReservationNotWritten(Instant at, GangId gang, String problem) {
      this(at, gang, problem, Optional.empty());
    }
  }

  /// The pod's gate is removed, and the pod was nominated to its node if that was needed.
  record MemberStarted(Instant at, GangId gang, MemberId member, NodeId node) implements Outcome {}

  /// The pod could not be nominated, its gate not removed, or its start switch not turned on.
  ///
  /// @param refusal HTTP status with which the start switch is refused for good; absent if a retry
  ///   may succeed
  record MemberNotStarted(
      Instant at,
      GangId gang,
      MemberId member,
      NodeId node,
      String problem,
      Optional<Integer> refusal)
      implements Outcome {
    /// The start may succeed later.
    public MemberNotStarted(Instant at, GangId gang, MemberId member, NodeId node, String problem) {
      this(at, gang, member, node, problem, Optional.empty());
    }
  }

  /// kube-scheduler came late to the members of a starting gang.
  ///
  /// @param asked time of its first question about the member to which it came last; now if it has
  ///   not come to one of them, because it is busy with other pods
  record StartDelayed(Instant at, GangId gang, Instant asked) implements Outcome {}

  /// The victims of the gang's preemption are recorded on its object.
  record VictimsRecorded(Instant at, GangId gang) implements Outcome {}

  /// The victims could not be written to the gang's object.
  ///
  /// @param refusal HTTP status with which the object refuses them for good; absent if a retry may
  ///   succeed
  record VictimsNotRecorded(Instant at, GangId gang, String problem, Optional<Integer> refusal)
      implements Outcome {
    /// The write may succeed later.
    public VictimsNotRecorded(Instant at, GangId gang, String problem) {
      this(at, gang, problem, Optional.empty());
    }
  }

  /// The victim was notified, and nothing forbids the eviction of its members.
  record VictimTold(Instant at, GangId gang) implements Outcome {}

  /// The member could not be evicted, or must not be evicted now.
  ///
  /// @param forbidden whether a disruption budget forbids it for now, the pod refuses it, or the
  ///   budgets cannot be read for a reason that may last
  record MemberNotEvicted(
      Instant at, GangId gang, MemberId member, boolean forbidden, String problem)
      implements Outcome {}
}
