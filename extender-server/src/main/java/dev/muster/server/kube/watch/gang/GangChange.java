package dev.muster.server.kube.watch.gang;

import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangId.Origin;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.server.kube.codec.PodCodec;
import dev.muster.server.kube.codec.PodFact;
import dev.muster.server.kube.codec.PodGang;
import io.fabric8.kubernetes.api.model.Pod;

/// Changes of the gang of a pod that has a node.
///
/// A label would carry its GPUs out of the queue that provided them. So only its owner changes its
/// gang:
/// - The owner became known after the pod got its node.
/// - The owner was deleted, and another one has its name. The pod is apart from then on, on the
///   account of the gang that it leaves.
public final class GangChange {
  private GangChange() {}

  /// True if the pod has a node, or had one.
  public static boolean hasHadNode(Member pod) {
    return switch (pod.state()) {
      case MemberState.Held _, MemberState.Waiting _ -> false;
      case MemberState.Bound _, MemberState.Ended _ -> true;
      case MemberState.Leaving leaving -> leaving.hasRun();
    };
  }

  /// True if one pod that has a node, or had one, leaves its gang for another.
  public static boolean isOnNode(PodFact before, PodFact after) {
    return before instanceof PodFact.Ours was
        && after instanceof PodFact.Ours is
        && was.member().id().equals(is.member().id())
        && hasHadNode(was.member());
  }

  /// True if the owner of the pod changes its gang.
  ///
  /// @param known the pod as it was
  /// @param next the gang of its owner now, or the one that it names
  public static boolean isOfOwner(PodFact.Ours known, Pod pod, GangId next) {
    GangId before = known.member().gang();
    boolean waited = before.origin() == Origin.POD || before.isApart();
    return waited != next.isApart()
        && PodGang.of(pod).origin() == Origin.POD
        && next.origin() != Origin.POD
        && !known.stint().maker().isEmpty()
        && known.stint().maker().equals(PodCodec.stint(pod).maker());
  }
}
