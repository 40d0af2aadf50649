package dev.muster.core.gang;

import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;

/// One pod of a gang.
///
/// @param id the pod
/// @param gang the gang it belongs to
/// @param rank its place in the gang's order, smallest first: neighbours in rank are placed near
///   each other
/// @param priority the pod's priority, as Kubernetes has it: greater is more important
/// @param request what it needs of a node
/// @param wishes what the pod's own annotations wish for its gang; counts where the gang's object
///   says nothing
/// @param state where it stands
/// @param createdAt when the pod was created
/// @param report what the running pod says of itself
public record Member(
    MemberId id,
    GangId gang,
    long rank,
    int priority,
    Request request,
    Wishes wishes,
    MemberState state,
    Instant createdAt,
    Report report) {
  /// A pod that says nothing of itself.
  public Member(
      MemberId id,
      GangId gang,
      long rank,
      int priority,
      Request request,
      Wishes wishes,
      MemberState state,
      Instant createdAt) {
    this(id, gang, rank, priority, request, wishes, state, createdAt, Report.NONE);
  }

  /// By rank, then by id: the order in which members take their places along the fabric.
  public static final Comparator<Member> BY_RANK =
      Comparator.comparingLong(Member::rank).thenComparing(Member::id);

  /// The node whose resources the member holds, if any.
  public Optional<NodeId> node() {
    return state.occupies();
  }

  /// Whether it waits for a node: not bound, not leaving, not over, and nobody else holds it back.
  public boolean wantsNode() {
    return state instanceof MemberState.Waiting
        || (state instanceof MemberState.Held(boolean byOthers) && !byOthers);
  }

  public boolean isBound() {
    return state instanceof MemberState.Bound;
  }

  public boolean hasSucceeded() {
    return state instanceof MemberState.Ended(boolean succeeded) && succeeded;
  }

  /// The same pod in another state.
  public Member as(MemberState other) {
    return new Member(id, gang, rank, priority, request, wishes, other, createdAt, report);
  }

  /// The same pod, wishing this for its gang.
  public Member wishing(Wishes other) {
    return new Member(id, gang, rank, priority, request, other, state, createdAt, report);
  }

  /// The same pod, taking this of its node.
  public Member asking(Resources other) {
    Request asked =
        new Request(
            other, request.gpus(), request.gpuMilli(), request.selection(), request.onePerNode());
    return new Member(id, gang, rank, priority, asked, wishes, state, createdAt, report);
  }

  /// The same pod, made of the very parts of the mate's that are equal.
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
