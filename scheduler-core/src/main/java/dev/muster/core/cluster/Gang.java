package dev.muster.core.cluster;

import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The unit of decision: members that start all or none. Either part may be seen first: the pods or
/// the object that declares the gang.
///
/// @param id the gang
/// @param spec what its object declares; absent until that was seen
/// @param members its pods
/// @param headcount how many of them stand where
/// @param staying the queue that it stays in while it holds GPUs, though its object named another
///   one since, or is gone
public record Gang(
    GangId id,
    Optional<GangSpec> spec,
    SortedTable<MemberId, Member> members,
    MemberCounts memberCounts,
    Optional<String> staying) {
  /// A gang whose members are counted here.
  public Gang(GangId id, Optional<GangSpec> spec, SortedTable<MemberId, Member> members) {
    this(id, spec, members, MemberCounts.of(members), Optional.empty());
  }

  static Gang unseen(GangId id) {
    return new Gang(id, Optional.empty(), SortedTable.empty());
  }

  /// Its priority: its own, else the lowest of its members', so that one pod cannot lift its mates;
  /// 0 without members.
  public int priority() {
    return spec.flatMap(GangSpec::priority).orElse(memberCounts.priority());
  }

  /// The queue it is accounted to: its object's, its namespace while that was not seen. While it
  /// holds GPUs it stays where it got them: a label carries none past another queue's limits.
  public String queue() {
    if (staying.isPresent()) {
      return staying.get();
    }
    return spec.isPresent() ? spec.get().queue() : id.namespace();
  }

  /// What is wished for it: by its object, and where that says nothing by its first member in rank
  /// order, since many job controllers make the object and let users annotate only the pods.
  public GangConstraints constraints() {
    GangConstraints own = spec.isPresent() ? spec.get().wishes() : GangConstraints.NONE;
    return memberCounts.first().isPresent() ? own.or(memberCounts.first().get().wishes()) : own;
  }

  /// How many members must start together; 0 while nothing declares it.
  public int minCount() {
    return spec.map(GangSpec::minCount).orElse(0);
  }

  /// How many members may run at once: as its object says, and where that says nothing as its first
  /// member in rank order does, but never fewer than must start together.
  public int maxCount() {
    Optional<Integer> most = spec.flatMap(GangSpec::maxCount);
    if (most.isEmpty() && memberCounts.first().isPresent()) {
      most = memberCounts.first().get().wishes().maxCount();
    }
    return most.isEmpty() ? Integer.MAX_VALUE : Math.max(Math.max(1, minCount()), most.get());
  }

  /// The same gang, its object wishing for these models and for all else that is wished for it.
  public Gang wishing(GpuModelPreference gpus) {
    GangConstraints all = constraints();
    GangConstraints other = new GangConstraints(all.topology(), gpus, all.runtime(), all.stopping(), all.maxCount());
    return new Gang(id, spec.map(declared -> declared.wishing(other)), members, memberCounts, staying);
  }

  /// Members that wait for a node, by rank.
  public List<Member> waiting() {
    List<Member> waiting = new ArrayList<>();
    for (Member member : members) {
      if (member.wantsNode()) {
        waiting.add(member);
      }
    }
    waiting.sort(Member.BY_RANK);
    return waiting;
  }

  /// Members that are bound to a node, by id.
  public List<Member> bound() {
    List<Member> bound = new ArrayList<>();
    for (Member member : members) {
      if (member.isBound()) {
        bound.add(member);
      }
    }
    return bound;
  }

  public int boundCount() {
    return memberCounts.bound();
  }

  /// Members that wait for a node.
  public int wantingCount() {
    return memberCounts.wanting();
  }

  /// Members on their way out.
  public int leavingCount() {
    return members.size()
        - memberCounts.bound()
        - memberCounts.wanting()
        - memberCounts.heldByOthers()
        - memberCounts.succeeded()
        - memberCounts.failed();
  }

  public int succeededCount() {
    return memberCounts.succeeded();
  }

  public int failedCount() {
    return memberCounts.failed();
  }

  /// Members that count towards the minimum: bound, waiting for a node, or done with success.
  public int presentCount() {
    return memberCounts.bound() + memberCounts.wanting() + memberCounts.succeeded();
  }

  /// Members that run, are done with success, or have a promise: what counts towards the minimum.
  public int servedCount(Optional<Reservation> held) {
    return runningCount(held) + memberCounts.succeeded();
  }

  /// How many members it lacks to its minimum; 0 or less once it has that.
  public int lacking(Optional<Reservation> held) {
    return minCount() - servedCount(held);
  }

  /// Members that run or have a promise: what counts towards the maximum.
  public int runningCount(Optional<Reservation> held) {
    int promised = held.map(reservation -> reservation.promises().size()).orElse(0);
    return promised + memberCounts.bound();
  }

  /// Whether enough members are here for its minimum.
  public boolean isComplete() {
    return spec.isPresent() && presentCount() >= spec.get().minCount();
  }

  /// Where the gang stands, given whether a reservation is held for it.
  public GangPhase phase(boolean reserved) {
    if (spec.isEmpty() && members.isEmpty()) {
      return GangPhase.GONE;
    }
    if (reserved) {
      return GangPhase.RESERVED;
    }
    if (memberCounts.bound() > 0) {
      return GangPhase.BOUND;
    }
    if (memberCounts.wanting() == 0) {
      return members.isEmpty() || memberCounts.heldByOthers() > 0
          ? GangPhase.GATHERING
          : GangPhase.LEAVING;
    }
    return isComplete() ? GangPhase.PENDING : GangPhase.GATHERING;
  }

  /// The gang as its object says now, or without one.
  ///
  /// @param holds whether it holds GPUs
  Gang with(Optional<GangSpec> said, boolean holds) {
    Optional<String> stays = spec.isPresent() && holds ? Optional.of(queue()) : staying;
    return new Gang(id, said, members, memberCounts, stays);
  }

  /// The gang in the queue that its object names.
  Gang moved() {
    return new Gang(id, spec, members, memberCounts, Optional.empty());
  }

  Gang with(Member member) {
    return with(members.with(member.id(), member), member.id());
  }

  Gang without(MemberId member) {
    return with(members.without(member), member);
  }

  private Gang with(SortedTable<MemberId, Member> after, MemberId changed) {
    Optional<MemberCounts> counted = memberCounts.after(members.get(changed), after.get(changed));
    MemberCounts count = counted.isPresent() ? counted.get() : MemberCounts.of(after);
    return new Gang(id, spec, after, count, staying);
  }

  /// The member made of the very parts that the gang knows already, wherever they are equal: a
  /// cluster's pods repeat a few requests and names many times.
  Member sharing(Member member) {
    Optional<Member> mate = members.get(member.id());
    mate = mate.isPresent() ? mate : memberCounts.first();
    return mate.isPresent() ? member.sharing(mate.get()) : member;
  }
}
