package dev.muster.core.cluster;

import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import java.time.Instant;

/// One member's part of a reservation, until the member is bound.
///
/// @param member the pod
/// @param node the node kept for it
/// @param started whether the pod was told: nominated, and its gate removed
/// @param refusals how often kube-scheduler said that the pod cannot go there
/// @param tryAt not to be told, or told again, before this instant
public record Promise(MemberId member, NodeId node, boolean started, int refusals, Instant tryAt) {
  /// The promise as it stands once the pod was told; told again no sooner than `again`.
  public Promise told(Instant again) {
    return new Promise(member, node, true, refusals, again);
  }

  /// The promise after telling the pod failed, or after a refusal: to be told again at the instant.
  public Promise toRetry(Instant at, int refusalsNow) {
    return new Promise(member, node, false, refusalsNow, at);
  }
}
