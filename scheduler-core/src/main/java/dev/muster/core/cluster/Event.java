package dev.muster.core.cluster;

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

/// All that can happen. Facts say how an object stands now and may come late, twice or in any
/// order; outcomes say what became of something that we asked for; time itself comes as a [Tick].
public sealed interface Event {
  /// When it happened, by the world's clock: the only clock there is.
  Instant at();

  /// A node stands like this.
  record NodeSeen(Instant at, Node node) implements Event {}

  /// A node is no more.
  record NodeGone(Instant at, NodeId node) implements Event {}

  /// Something is said of a gang and its members.
  sealed interface OfGang extends Event {
    /// The gang.
    GangId gang();

    /// What is said, in order; at least one.
    List<GangFact> facts();
  }

  /// One thing is said of a gang, or of one of its members.
  sealed interface GangFact extends OfGang {
    @Override
    default List<GangFact> facts() {
      return List.of(this);
    }
  }

  /// The object that declares a gang stands like this.
  record GangSeen(Instant at, GangSpec spec) implements GangFact {
    @Override
    public GangId gang() {
      return spec.id();
    }
  }

  /// The object that declares a gang is no more. Its pods may live on.
  record GangGone(Instant at, GangId gang) implements GangFact {}

  /// A member stands like this.
  record MemberSeen(Instant at, Member member) implements GangFact {
    @Override
    public GangId gang() {
      return member.gang();
    }
  }

  /// A member is no more.
  record MemberGone(Instant at, GangId gang, MemberId member) implements GangFact {}

  /// Several things are said of a gang at once: nothing is decided before all of them are known.
  /// What comes of them is what would come of one after the other, had nothing been decided in
  /// between. But a gang that is gone and there again never was gone, nor without what it gives
  /// back and gets again.
  record GangChanged(Instant at, GangId gang, List<GangFact> facts) implements OfGang {
    public GangChanged {
      facts = List.copyOf(facts);
      if (facts.isEmpty()) {
        throw new IllegalArgumentException("Of the gang %s nothing is said.".formatted(gang));
      }
      for (GangFact fact : facts) {
        if (!fact.gang().equals(gang)) {
          throw new IllegalArgumentException(
              "Of the gang %s something is said that is about %s. Maybe it is an event of its own."
                  .formatted(gang, fact.gang()));
        }
      }
    }
  }

  /// A pod that is none of our business takes this much of a node.
  record StrangerSeen(Instant at, MemberId pod, NodeId node, Resources resources, int gpus)
      implements Event {}

  /// A pod that is none of our business has left its node.
  record StrangerGone(Instant at, MemberId pod) implements Event {}

  /// All objects that exist were seen once; before that nothing is decided.
  record Synced(Instant at) implements Event {}

  /// Time has passed.
  ///
  /// @param lost how much of it before this nobody lived through: the cluster was out of sight, the
  ///   machine was asleep or its clock was set ahead; longer than zero. What was to happen or to be
  ///   done in time has as much longer.
  record Tick(Instant at, Optional<Duration> lost) implements Event {
    /// Time has passed as it should.
    public Tick(Instant at) {
      this(at, Optional.empty());
    }
  }

  /// Another preemption policy is in force from now on.
  ///
  /// @param revision what tells it from others
  record PolicyChanged(Instant at, String revision) implements Event {}

  /// What became of something that we asked for.
  sealed interface Outcome extends Event {}

  /// This edition of the reservation now stands on the gang's object.
  record ReservationWritten(Instant at, GangId gang, int edition) implements Outcome {}

  /// The reservation could not be written to the gang's object.
  record ReservationNotWritten(Instant at, GangId gang, String problem) implements Outcome {}

  /// The pod's gate is off, and it was nominated to its node if that was needed.
  record MemberStarted(Instant at, GangId gang, MemberId member, NodeId node) implements Outcome {}

  /// The pod could not be nominated, or its gate not removed.
  record MemberNotStarted(Instant at, GangId gang, MemberId member, NodeId node, String problem)
      implements Outcome {}

  /// The victims of the gang's preemption now stand on its object.
  record VictimsRecorded(Instant at, GangId gang) implements Outcome {}

  /// The victims could not be written to the gang's object.
  record VictimsNotRecorded(Instant at, GangId gang, String problem) implements Outcome {}

  /// The gang was told that it is to be stopped, and nothing forbids to evict its members.
  record VictimTold(Instant at, GangId gang) implements Outcome {}

  /// The member could not be evicted, or would not be.
  ///
  /// @param forbidden whether a disruption budget forbids it for now
  record MemberNotEvicted(
      Instant at, GangId gang, MemberId member, boolean forbidden, String problem)
      implements Outcome {}
}
