package dev.muster.core.node;

import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.Resources;
import dev.muster.core.node.NodeState.NodeShare;
import java.util.Optional;

/// Computes the capacity of a node that is withheld for shares of holds.
final class ShareBook {
  private ShareBook() {}

  /// Returns the capacity withheld: as much as the shares lack, limited by the capacity there.
  static NodeShare withheld(
      Iterable<Hold.Share> shares, NodeShare room, NodeLoad pods, NodeLoad promised) {
    NodeShare sum = NodeShare.NONE;
    for (Hold.Share share : shares) {
      sum = sum.plus(lacking(share, pods, promised).upTo(room.minus(sum)));
    }
    return sum;
  }

  /// Returns the capacity that a share lacks.
  ///
  /// It is the need of its members, less the capacity of the pods whose end it relies on.
  static NodeShare lacking(Hold.Share claim, NodeLoad pods, NodeLoad promised) {
    Resources resources = claim.needs().resources();
    int gpus = claim.needs().gpus();
    for (MemberId leaver : claim.leavers()) {
      NodeShare share = share(leaver, pods, promised);
      resources = resources.minus(share.resources());
      gpus -= share.gpus();
    }
    return new NodeShare(resources, Math.max(0, gpus));
  }

  static NodeShare share(MemberId pod, NodeLoad pods, NodeLoad promised) {
    Optional<NodeShare> bound = pods.shares().get(pod);
    return bound.isPresent() ? bound.get() : promised.shares().get(pod).orElse(NodeShare.NONE);
  }
}
