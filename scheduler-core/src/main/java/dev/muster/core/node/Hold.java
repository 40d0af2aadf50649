package dev.muster.core.node;

import dev.muster.core.collect.SortedKeys;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.NodeState.NodeShare;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/// Capacity that is kept for a gang that cannot use it yet.
///
/// It is the place where the gang is planned to start, or the place of a member that it lost. The
/// first is a backfill reservation (Lifka 1995); Slurm calls such nodes planned. Other gangs may
/// use the capacity as long as this delays no gang that has a hold there.
///
/// *Example:* a pod uses 6 of the 8 GPUs of a node, and two gangs have a share of 8 there. `a` is
/// planned to start when the pod ends, and relies on that end. `b` drains the node and relies on no
/// end. `a` lacks 8 - 6 = 2 and `b` lacks 8, but only 2 are there.
///
/// | seen by | withheld for | free now | once the pod has ended |
/// | --- | --- | --- | --- |
/// | other gangs | `a`, `b` | 0 | 0 |
/// | `b`, which is served after `a` ([HoldOrder]) | `a` | 0 | 0 |
/// | `a`, which is served first ([Cluster#openedTo]) | | 2 | 8 |
///
/// @param gang the owner
/// @param kind reason for the hold
/// @param start time at which the capacity is expected to be complete; also the time by which gangs
///   that pass must end. Absent if it is unknown, or if no gang may pass.
/// @param since time since when the gang has had a hold
/// @param shares capacity kept on each node
public record Hold(
    GangId gang,
    Kind kind,
    Optional<Instant> start,
    Instant since,
    SortedTable<NodeId, Share> shares) {
  /// Time for which capacity of the first ended members of a gang is kept until the last have
  /// ended.
  ///
  /// It is longer than the pods of one job take to end after each other, and too short to be
  /// missed.
  public static final Duration ENDING_WITHIN = Duration.ofSeconds(10);

  private static final int VACATED = 1;
  private static final int OTHER = 2;
  private static final int HOLE = 4;

  /// The reason for a hold, in the order of [HoldOrder].
  public enum Kind {
    /// A member of the running gang failed, and its replacement is expected.
    HOLE,
    /// Victims are being stopped there for a gang within its queue's guarantee.
    ///
    /// Gangs of higher priority do not pass. Otherwise one that borrows could start where another
    /// borrower was just stopped, and be the next victim.
    RECLAIMING,
    /// Victims are being stopped there for a gang that uses the rest of its queue's guarantee and
    /// borrows more.
    ///
    /// Gangs of higher priority do not pass. Otherwise one of another queue could start where a
    /// gang of this queue was stopped, and that one would get the GPUs back.
    EXCEEDING,
    /// Victims are being stopped there for a gang whose queue has no guarantee left for it.
    VACATING,
    /// Some members of the gang have ended or are deleted, and the others are expected to follow.
    ///
    /// The capacity is kept until all of it is free, so that it becomes free in one piece.
    ENDING,
    /// The gang is planned to start there. Gangs that end before that may pass.
    PLANNED,
    /// The gang waited too long, so all capacity that becomes free there is kept for it.
    ///
    /// Gangs pass only if they are expected to end before the place is expected to be empty. In the
    /// end none passes.
    DRAINING;

    /// True if gangs of higher priority may use the capacity.
    boolean yieldsToHigher() {
      return this != HOLE && this != RECLAIMING && this != EXCEEDING;
    }
  }

  /// The capacity kept on one node.
  ///
  /// @param needs capacity that the gang's members need there
  /// @param leavers pods whose end the plan relies on; capacity that they will release is not
  ///   withheld while they run
  public record Share(NodeShare needs, SortedKeys<MemberId> leavers) {
    /// Returns the sum of two shares. It relies on the end of the pods of both.
    public Share and(Share other) {
      return new Share(needs.plus(other.needs), leavers.withAll(other.leavers));
    }

    /// Returns the GPUs of the share beyond those for which its leavers are charged.
    ///
    /// @param charged GPUs for which a pod is charged
    public int uncharged(ToIntFunction<MemberId> charged) {
      int gpus = needs.gpus();
      for (MemberId pod : leavers) {
        gpus -= charged.applyAsInt(pod);
      }
      return Math.max(0, gpus);
    }

    private Share plus(NodeShare more) {
      return new Share(needs.plus(more), leavers);
    }
  }

  /// Returns the share of a placement on each of its nodes.
  ///
  /// @param leavers pods on a node whose end the plan relies on
  public static SortedTable<NodeId, Share> shares(
      Placement placement, Function<NodeId, SortedKeys<MemberId>> leavers) {
    SortedTable<NodeId, Share> shares = SortedTable.empty();
    for (Assignment assignment : placement.assignments()) {
      NodeId node = assignment.node();
      Share before =
          shares.get(node).orElseGet(() -> new Share(NodeShare.NONE, leavers.apply(node)));
      shares = shares.with(node, before.plus(NodeShare.of(assignment.member().request())));
    }
    return shares;
  }

  /// True if victims are being stopped there for the gang.
  public boolean isVacated() {
    return kind == Kind.VACATING || kind == Kind.EXCEEDING || kind == Kind.RECLAIMING;
  }

  /// Returns the holds for whose gangs victims are being stopped. Others cost no time here.
  public static Iterable<Hold> vacated(SortedTable<GangId, Hold> holds) {
    return holds.marked(VACATED, Hold::mark);
  }

  /// Returns all holds but holes. Holes may be many, and cost no time here.
  public static Iterable<Hold> besideHoles(SortedTable<GangId, Hold> holds) {
    return holds.marked(VACATED | OTHER, Hold::mark);
  }

  private int mark() {
    return isVacated() ? VACATED : kind == Kind.HOLE ? HOLE : OTHER;
  }

  /// True if the capacity is for the gang itself. Capacity that a gang leaves at its end is for
  /// all.
  public boolean isForItself() {
    return kind != Kind.ENDING;
  }

  /// True if gangs of higher priority may use the capacity.
  public boolean yieldsToHigher() {
    return kind.yieldsToHigher();
  }

  /// Returns the hold's position among all holds on a node, for this priority of its gang.
  public HoldOrder holdOrder(int priority) {
    return new HoldOrder(kind, priority, since, gang);
  }

  /// True if a gang that ends at this time may use the capacity until then.
  public boolean lets(Optional<Instant> end) {
    return (kind == Kind.PLANNED || kind == Kind.DRAINING)
        && start.isPresent()
        && end.isPresent()
        && !end.get().isAfter(start.get());
  }

  /// Returns the start promised to the gang. Draining has none, since its start is an estimate.
  public Optional<Instant> promised() {
    return start.filter(_ -> kind == Kind.PLANNED);
  }

  /// Returns this hold with another time at which the capacity is expected to be complete.
  public Hold startingAt(Optional<Instant> other) {
    return new Hold(gang, kind, other, since, shares);
  }

  /// Returns this hold as if it had existed since this time.
  public Hold keptSince(Instant other) {
    return new Hold(gang, kind, start, other, shares);
  }

  /// Returns this hold with other shares.
  public Hold with(SortedTable<NodeId, Share> other) {
    return new Hold(gang, kind, start, since, other);
  }
}
