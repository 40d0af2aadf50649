package dev.muster.server.kube;

import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Resources;
import java.time.Instant;
import java.util.Optional;

/// What one pod means to us.
public sealed interface PodFact {
  /// A pod that we schedule.
  ///
  /// @param member the pod
  /// @param own what the pod itself says of its gang: a lone pod says all, a Volcano pod may say
  ///   its minimum
  /// @param problem what is wrong with what it says of its gang
  /// @param stint of which run of its gang it is
  record Ours(Member member, Optional<GangSpec> own, Optional<Problem> problem, Stint stint)
      implements PodFact {}

  /// A pod's part in a run of its gang.
  ///
  /// @param maker who made the run: the JobSet, else the controller of the pod; empty for nobody
  /// @param over when the pod was over, if it is and says so
  record Stint(String maker, Optional<Instant> over) {}

  /// A pod that others placed; it takes room.
  record Stranger(MemberId id, NodeId node, Resources resources, int gpus) implements PodFact {}

  /// A pod that neither is ours nor takes room.
  record Nothing() implements PodFact {}

  /// Such a pod that wears our gate all the same: kube-scheduler waits until it is off.
  record Stray(MemberId id) implements PodFact {}

  /// A pod that makes no sense: what was known of it before stands.
  record Unreadable(Problem problem) implements PodFact {}
}
