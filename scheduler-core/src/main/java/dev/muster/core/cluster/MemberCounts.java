package dev.muster.core.cluster;

import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import java.util.Optional;

/// Numbers of a gang's members by state, updated member by member.
///
/// An event about one pod of a thousand must not cost a look at all of them.
///
/// @param bound members bound to a node
/// @param wanting members that wait for a node
/// @param heldByOthers members with a gate of another controller
/// @param succeeded members that ended with success
/// @param failed members that ended with a failure
/// @param priority the lowest priority; 0 without members
/// @param atPriority members with that priority
/// @param first the first member by rank
public record MemberCounts(
    int bound,
    int wanting,
    int heldByOthers,
    int succeeded,
    int failed,
    int priority,
    int atPriority,
    Optional<Member> first) {
  static final MemberCounts NONE = new MemberCounts(0, 0, 0, 0, 0, 0, 0, Optional.empty());

  static MemberCounts of(SortedTable<?, Member> members) {
    MemberCounts count = NONE;
    for (Member member : members) {
      count = count.plus(member);
    }
    return count;
  }

  /// Returns the counts after a member came, went or changed.
  ///
  /// The result is empty if the lowest priority or the first rank of the rest is unknown. Then all
  /// members must be counted.
  Optional<MemberCounts> after(Optional<Member> before, Optional<Member> now) {
    if (before.isEmpty()) {
      return Optional.of(now.isPresent() ? plus(now.get()) : this);
    }
    if (now.isEmpty()) {
      return minus(before.get());
    }
    return hasSamePlace(before.get(), now.get())
        ? Optional.of(counting(before.get(), -1).counting(now.get(), 1).remembering(now.get()))
        : minus(before.get()).map(rest -> rest.plus(now.get()));
  }

  private static boolean hasSamePlace(Member before, Member now) {
    return before.rank() == now.rank() && before.priority() == now.priority();
  }

  private MemberCounts plus(Member member) {
    MemberCounts count = counting(member, 1);
    boolean lower = first.isEmpty() || member.priority() < priority;
    int at = lower ? 1 : atPriority + (member.priority() == priority ? 1 : 0);
    boolean earlier = first.isEmpty() || Member.BY_RANK.compare(member, first.get()) < 0;
    return count.led(
        lower ? member.priority() : priority, at, earlier ? Optional.of(member) : first);
  }

  private Optional<MemberCounts> minus(Member member) {
    boolean lowest = member.priority() == priority;
    return isFirst(member) || (lowest && atPriority == 1)
        ? Optional.empty()
        : Optional.of(counting(member, -1).led(priority, atPriority - (lowest ? 1 : 0), first));
  }

  private MemberCounts remembering(Member member) {
    return isFirst(member) ? led(priority, atPriority, Optional.of(member)) : this;
  }

  private boolean isFirst(Member member) {
    return first.isPresent() && first.get().id().equals(member.id());
  }

  private MemberCounts led(int lowest, int at, Optional<Member> leader) {
    return new MemberCounts(bound, wanting, heldByOthers, succeeded, failed, lowest, at, leader);
  }

  private MemberCounts counting(Member member, int times) {
    boolean held = member.state() instanceof MemberState.Held && !member.wantsNode();
    boolean well = member.hasSucceeded();
    boolean ended = member.state() instanceof MemberState.Ended;
    return new MemberCounts(
        bound + (member.isBound() ? times : 0),
        wanting + (member.wantsNode() ? times : 0),
        heldByOthers + (held ? times : 0),
        succeeded + (well ? times : 0),
        failed + (ended && !well ? times : 0),
        priority,
        atPriority,
        first);
  }
}
