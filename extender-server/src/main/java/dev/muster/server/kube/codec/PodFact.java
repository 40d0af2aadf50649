package dev.muster.server.kube.codec;

import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Resources;
import dev.muster.server.kube.client.ObjectProblem;
import java.time.Instant;
import java.util.Optional;

/// The role of a pod for the scheduler.
public sealed interface PodFact {
  /// A managed pod.
  ///
  /// @param member member of its gang
  /// @param own gang data from the pod itself: all data for a lone pod, the minimum for some pods
  ///   of Volcano
  /// @param problem problem in this gang data
  /// @param stint run of the gang to which it belongs
  record Ours(Member member, Optional<GangSpec> own, Optional<ObjectProblem> problem, Stint stint)
      implements PodFact {}

  /// The part of a pod in a run of its gang.
  ///
  /// @param maker creator of the run: the JobSet, else the controller of the pod; empty if there is
  ///   none
  /// @param over end of the pod, if it has finished and its end is known
  record Stint(String maker, Optional<Instant> over) {}

  /// An unmanaged pod that uses capacity of a node.
  record Unmanaged(MemberId id, NodeId node, Resources resources, int gpus) implements PodFact {}

  /// A pod that is neither managed nor uses capacity.
  record Nothing() implements PodFact {}

  /// An irrelevant pod with Muster's gate, which kube-scheduler holds back until the gate is
  /// removed.
  record Stray(MemberId id) implements PodFact {}

  /// An invalid pod. Its earlier facts stay in force, but once it has ended it holds no resources.
  ///
  /// @param end state of the pod, if it has ended
  record Unreadable(ObjectProblem problem, Optional<MemberState> end) implements PodFact {
    /// Returns what is true of the pod after this fact about it.
    ///
    /// @param before the last fact about the same pod
    public PodFact after(PodFact before) {
      if (end.isEmpty()) {
        return before;
      }
      return before instanceof Ours was
          ? new Ours(
              was.member.isOver() ? was.member : was.member.as(end.get()),
              was.own,
              Optional.of(problem),
              was.stint)
          : new Nothing();
    }
  }
}
