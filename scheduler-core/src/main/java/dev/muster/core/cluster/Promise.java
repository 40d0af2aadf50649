package dev.muster.core.cluster;

import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import java.time.Instant;
import java.util.Optional;

/// One member's part of a reservation, until the member is bound.
///
/// @param member the pod
/// @param node the node kept for it
/// @param stage how far telling the pod has come
/// @param refusals how often kube-scheduler said that the pod cannot go there
/// @param tryAt not to be told, or told again, before this instant
public record Promise(MemberId member, NodeId node, Stage stage, int refusals, Instant tryAt) {
  /// How far telling the pod of its node has come.
  public enum Stage {
    /// The node is kept; the pod knows nothing of it.
    KEPT,
    /// We asked that the pod's gate be removed, and perhaps that it be nominated.
    TOLD,
    /// The pod was seen with the nomination: if it is gone again, kube-scheduler has refused it.
    SEEN
  }

  /// A node newly kept for a member, to be told at once.
  public static Promise keep(MemberId member, NodeId node, Instant now) {
    return new Promise(member, node, Stage.KEPT, 0, now);
  }

  /// Whether the promises keep the same node for the member.
  boolean isAmong(SortedTable<MemberId, Promise> promises) {
    Optional<Promise> other = promises.get(member);
    return other.isPresent() && other.get().node.equals(node);
  }

  /// Whether the record keeps the same node for the member.
  public boolean isRecorded(SortedTable<MemberId, NodeId> record) {
    return record.get(member).equals(Optional.of(node));
  }

  /// The promise after the pod was told; not told again before the instant.
  public Promise told(Instant again) {
    return new Promise(
        member, node, stage == Stage.SEEN ? Stage.SEEN : Stage.TOLD, refusals, again);
  }

  /// The promise once the pod was seen with the nomination.
  public Promise seen() {
    return new Promise(member, node, Stage.SEEN, refusals, tryAt);
  }

  /// The promise after telling the pod failed: to be told again at the instant.
  public Promise failed(Instant again) {
    return new Promise(member, node, Stage.KEPT, refusals, again);
  }

  /// The promise after kube-scheduler refused the pod: to be told again at the instant.
  public Promise refused(Instant again) {
    return new Promise(member, node, Stage.KEPT, refusals + 1, again);
  }
}
