package dev.muster.core.node;

import dev.muster.core.collect.SortedKeys;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.NodeState.Occupant;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;

/// Room that is kept for a gang that cannot use it yet: where it is planned to start (a backfill
/// reservation, Lifka 1995; Slurm calls such nodes planned), or what a member that it lost leaves
/// open. Others may use the room as far as that keeps nobody waiting.
///
/// Example: on a node of 8 GPUs a pod uses 6, and two gangs have a claim of 8 there: `a` is planned
/// to start when the pod ends, and counts on that; `b` drains the node, and counts on nobody. `a`
/// lacks 8 - 6 = 2 and `b` 8, but only 2 are there.
///
/// | who looks | withheld for | free now | once the pod has ended |
/// | --- | --- | --- | --- |
/// | others | `a`, `b` | 0 | 0 |
/// | `b`, which comes behind ([HoldOrder]) | `a` | 0 | 0 |
/// | `a`, before which nobody comes ([TestCluster#openedTo]) | | 2 | 8 |
///
/// @param gang whose it is
/// @param kind why it is kept
/// @param start when the room is expected to be complete, or until when those may pass that end
///   before; absent when nobody knows, or nobody may
/// @param since when the gang was first held room for
/// @param claims what is kept on each node
public record Hold(
    GangId gang,
    Kind kind,
    Optional<Instant> start,
    Instant since,
    SortedTable<NodeId, Share> shares) {
  /// How long what the first members of a gang leave is kept until the last have left: longer than
  /// the pods of one job take to end after each other, too short to be missed.
  public static final Duration ENDING_WITHIN = Duration.ofSeconds(10);

  /// Why room is kept, in the order of [HoldOrder].
  public enum Kind {
    /// A member of the running gang failed; its replacement is expected.
    HOLE,
    /// Others are being stopped there for a gang that is within what its queue is guaranteed: those
    /// of higher priority do not pass, else one that borrows would start where another that borrows
    /// was just stopped, and be stopped in its turn.
    RECLAIMING,
    /// The same for any other gang.
    VACATING,
    /// Members of the gang are done or deleted, and the others are expected to be at once: what it
    /// leaves comes free in one piece.
    ENDING,
    /// The gang is planned to start there. Gangs that end before may pass.
    PLANNED,
    /// The gang waited too long: whatever comes free there is kept for it. Gangs pass only as long
    /// as they are expected to end before the place is expected to be empty, and at last none.
    DRAINING;

    /// Whether gangs of higher priority may use the room.
    boolean yieldsToHigher() {
      return this != HOLE && this != RECLAIMING;
    }
  }

  /// What is kept on one node.
  ///
  /// @param needs what the gang's members need there
  /// @param leavers the pods whose end the plan counts on: as long as they are there, what they
  ///   will leave need not be kept free
  public record Share(Occupant needs, SortedKeys<MemberId> leavers) {
    /// What both need, once all have left whose end either counts on.
    public Share and(Share other) {
      return new Share(needs.plus(other.needs), leavers.withAll(other.leavers));
    }

    private Share plus(Occupant more) {
      return new Share(needs.plus(more), leavers);
    }
  }

  /// What a placement needs on each of its nodes.
  ///
  /// @param leavers the pods on a node whose end the plan counts on
  public static SortedTable<NodeId, Share> shares(
      Placement placement, Function<NodeId, SortedKeys<MemberId>> leavers) {
    SortedTable<NodeId, Share> shares = SortedTable.empty();
    for (Assignment assignment : placement.assignments()) {
      NodeId node = assignment.node();
      Share before =
          shares.get(node).orElseGet(() -> new Share(Occupant.NONE, leavers.apply(node)));
      shares = shares.with(node, before.plus(Occupant.of(assignment.member().request())));
    }
    return shares;
  }

  /// Whether others are being stopped there for the gang.
  public boolean isVacated() {
    return kind == Kind.VACATING || kind == Kind.RECLAIMING;
  }

  /// Whether the gang itself is to have the room: what it leaves at its end is for all alike.
  public boolean isForItself() {
    return kind != Kind.ENDING;
  }

  /// Whether gangs of higher priority may use the room.
  public boolean yieldsToHigher() {
    return kind.yieldsToHigher();
  }

  /// Where it stands among all that is held on a node, if its gang has this priority.
  public HoldOrder holdOrder(int priority) {
    return new HoldOrder(kind, priority, since, gang);
  }

  /// Whether a gang that ends by then may use the room meanwhile.
  public boolean lets(Optional<Instant> end) {
    return (kind == Kind.PLANNED || kind == Kind.DRAINING)
        && start.isPresent()
        && end.isPresent()
        && !end.get().isAfter(start.get());
  }

  /// The start that the gang was promised: of a place that drains the start is a guess.
  public Optional<Instant> promised() {
    return start.filter(_ -> kind == Kind.PLANNED);
  }

  /// The same room, expected to be complete at another time.
  public Hold startingAt(Optional<Instant> other) {
    return new Hold(gang, kind, other, since, shares);
  }

  /// The same room, as if it had been held since then.
  public Hold keptSince(Instant other) {
    return new Hold(gang, kind, start, other, shares);
  }

  /// The same room, held with other claims.
  public Hold with(SortedTable<NodeId, Share> other) {
    return new Hold(gang, kind, start, since, other);
  }
}
