package dev.muster.core.cluster;

import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import java.time.Instant;
import java.util.Optional;

/// One member's node in a reservation, until the member is bound.
///
/// @param member the pod
/// @param node the node promised to it
/// @param stage progress of starting the pod on its node
/// @param refusals number of times that kube-scheduler refused the pod on the node
/// @param tryAt earliest time of the next attempt to start the pod
public record Promise(MemberId member, NodeId node, Stage stage, int refusals, Instant tryAt) {
  /// The progress of starting a pod on its promised node.
  public enum Stage {
    /// The node is promised, and nothing was requested for the pod.
    KEPT,
    /// Removal of the pod's gate was requested, and its nomination if it is needed.
    TOLD,
    /// The pod was seen with its nomination, so kube-scheduler tries this node. If the nomination
    /// disappears, kube-scheduler refused it.
    SEEN
  }

  /// Returns a new promise, whose pod is to be started at once.
  public static Promise keep(MemberId member, NodeId node, Instant now) {
    return new Promise(member, node, Stage.KEPT, 0, now);
  }

  /// True if the promises contain this node for the member.
  boolean isAmong(SortedTable<MemberId, Promise> promises) {
    Optional<Promise> other = promises.get(member);
    return other.isPresent() && other.get().node.equals(node);
  }

  /// True if the record contains this node for the member.
  public boolean isRecorded(SortedTable<MemberId, NodeId> record) {
    return record.get(member).equals(Optional.of(node));
  }

  /// Returns the promise after the start of the pod was requested.
  ///
  /// @param again earliest time of the next request
  public Promise startRequested(Instant again) {
    return new Promise(
        member, node, stage == Stage.SEEN ? Stage.SEEN : Stage.TOLD, refusals, again);
  }

  /// Returns the promise after the pod was seen with its nomination.
  public Promise seen() {
    return new Promise(member, node, Stage.SEEN, refusals, tryAt);
  }

  /// Returns the promise of a nominated pod whose refusal still stands.
  ///
  /// @param again time at which it counts as refused once more
  public Promise seenUntil(Instant again) {
    return new Promise(member, node, Stage.SEEN, refusals, again);
  }

  /// Returns the promise after a request to start the pod failed.
  ///
  /// @param again time of the next request
  public Promise failed(Instant again) {
    return new Promise(member, node, Stage.KEPT, refusals, again);
  }

  /// Returns the promise after kube-scheduler refused the pod.
  ///
  /// @param again time of the next request
  public Promise refused(Instant again) {
    return new Promise(member, node, Stage.KEPT, refusals + 1, again);
  }
}
