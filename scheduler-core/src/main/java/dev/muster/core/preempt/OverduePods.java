package dev.muster.core.preempt;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.Hold;
import dev.muster.core.state.Intervals;
import dev.muster.core.state.Preemption;
import dev.muster.core.state.Preemption.Stop;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Overdue pods terminate, but are not expected to end: nobody waits for their capacity.
///
/// A pod is overdue 1 min after its grace period, for example while a finalizer is not served. On a
/// node that is not Ready it is overdue at once, because no kubelet ends it.
final class OverduePods {
  /// The longest grace period that a preemptor waits for. It is long beside the notice and the
  /// grace period that a policy gives, within which another victim ends.
  private static final Duration SOON = Duration.ofMinutes(10);

  private OverduePods() {}

  /// True if the pod terminates and soon ends, so that no victim leaves in its place.
  ///
  /// Its owner may have deleted it with any grace period, and it runs until then.
  static boolean isExpected(Cluster cluster, Member member) {
    return member.state()
            instanceof MemberState.Leaving(Optional<NodeId> node, Optional<Instant> due)
        && node.isPresent()
        && due.filter(end -> end.isAfter(cluster.now().plus(SOON))).isEmpty()
        && !contain(cluster, member);
  }

  static boolean contain(Cluster cluster, Member member) {
    return member.state()
            instanceof MemberState.Leaving(Optional<NodeId> node, Optional<Instant> due)
        && node.isPresent()
        && (isOver(due, cluster.now()) || !isReady(cluster, node.get()));
  }

  /// True if the preemptor waits for the node of the pod, or only for quota.
  private static boolean isNeeded(Optional<Hold> place, Member member) {
    return place.isEmpty()
        || member.node().filter(node -> place.get().shares().contains(node)).isPresent();
  }

  private static boolean isOver(Optional<Instant> due, Instant now) {
    return due.filter(end -> !now.isBefore(end.plus(Intervals.OVERDUE))).isPresent();
  }

  private static boolean isReady(Cluster cluster, NodeId node) {
    return cluster.nodes().get(node).filter(state -> state.node().isReady()).isPresent();
  }

  /// Returns the overdue pods of the victims that are being evicted, on the nodes that are kept for
  /// the preemptor. A pod that does not end on another node delays nobody.
  static List<Member> of(Cluster cluster, Preemption preemption) {
    Optional<Hold> place = cluster.holds().get(preemption.gang());
    List<Member> overdue = new ArrayList<>();
    for (Stop stop : preemption.begun()) {
      for (Member member : cluster.members(stop.victim())) {
        if (contain(cluster, member) && isNeeded(place, member)) {
          overdue.add(member);
        }
      }
    }
    return overdue;
  }
}
