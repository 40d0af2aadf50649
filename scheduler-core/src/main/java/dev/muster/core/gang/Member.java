package dev.muster.core.gang;

import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;

/// One pod of a gang.
///
/// @param id the pod
/// @param gang the gang of the pod
/// @param rank position in the gang's order, smallest first; members with neighbouring ranks are
///   placed near each other
/// @param priority the pod's Kubernetes priority; greater is more important
/// @param request resources and conditions that the pod needs of a node
/// @param wishes constraints that the pod's own annotations set for its gang; used where the gang's
///   object leaves them open
/// @param state scheduling state of the pod
/// @param createdAt creation time of the pod
/// @param report annotations that the running pod sets about itself
public record Member(
    MemberId id,
    GangId gang,
    long rank,
    int priority,
    Request request,
    GangConstraints wishes,
    MemberState state,
    Instant createdAt,
    MemberReport report) {
  /// Creates a pod without a report about itself.
  public Member(
      MemberId id,
      GangId gang,
      long rank,
      int priority,
      Request request,
      GangConstraints wishes,
      MemberState state,
      Instant createdAt) {
    this(id, gang, rank, priority, request, wishes, state, createdAt, MemberReport.NONE);
  }

  /// Orders by rank, then by id: the order in which members take their places along the fabric.
  public static final Comparator<Member> BY_RANK =
      Comparator.comparingLong(Member::rank).thenComparing(Member::id);

  /// Returns the node whose resources the member holds, if any.
  public Optional<NodeId> node() {
    return state.occupies();
  }

  /// True if the member holds resources of this node.
  public boolean isOn(NodeId node) {
    return node().isPresent() && node().get().equals(node);
  }

  /// True if it waits for a node. It is not bound, not being deleted, not finished, and held by no
  /// other scheduling gate.
  public boolean wantsNode() {
    return state instanceof MemberState.Waiting
        || (state instanceof MemberState.Held(boolean byOthers) && !byOthers);
  }

  /// True if it has ended. It holds no node any more, and wants none.
  public boolean isOver() {
    return state instanceof MemberState.Ended
        || (state instanceof MemberState.Leaving(var node, _) && node.isEmpty());
  }

  public boolean isBound() {
    return state instanceof MemberState.Bound;
  }

  public boolean hasSucceeded() {
    return state instanceof MemberState.Ended(boolean succeeded, _) && succeeded;
  }

  /// Returns a copy of the pod in another state.
  public Member as(MemberState other) {
    return new Member(id, gang, rank, priority, request, wishes, other, createdAt, report);
  }

  /// Returns a copy of the pod with these constraints for its gang.
  public Member wishing(GangConstraints other) {
    return new Member(id, gang, rank, priority, request, other, state, createdAt, report);
  }

  /// Returns a copy of the pod that requests these resources.
  public Member asking(Resources other) {
    Request asked =
        new Request(
            other, request.gpus(), request.gpuMilli(), request.selection(), request.onePerNode());
    return new Member(id, gang, rank, priority, asked, wishes, state, createdAt, report);
  }

  /// Returns this pod as a member of another gang.
  public Member in(GangId other) {
    return new Member(id, other, rank, priority, request, wishes, state, createdAt, report);
  }

  /// Returns an equal pod that shares the other member's instances of all equal parts, to save
  /// memory.
  public Member sharing(Member mate) {
    return new Member(
        id.equals(mate.id) ? mate.id : id.within(mate.id.namespace()),
        gang.equals(mate.gang) ? mate.gang : gang,
        rank,
        priority,
        request.equals(mate.request) ? mate.request : request,
        wishes.equals(mate.wishes) ? mate.wishes : wishes,
        state,
        createdAt.equals(mate.createdAt) ? mate.createdAt : createdAt,
        report);
  }
}
