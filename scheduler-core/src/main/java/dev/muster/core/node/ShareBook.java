package dev.muster.core.node;

import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.Resources;
import dev.muster.core.node.NodeState.Occupant;
import java.util.Optional;

/// Computes the capacity of a node that is withheld for shares of holds.
final class ShareBook {
  private ShareBook() {}

  /// Returns the capacity withheld: as much as the shares lack, limited by the capacity there.
  static Occupant withheld(
      Iterable<Hold.Share> shares, Occupant room, NodeLoad pods, NodeLoad promised) {
    Occupant sum = Occupant.NONE;
    for (Hold.Share share : shares) {
      sum = sum.plus(lacking(share, pods, promised).upTo(room.minus(sum)));
    }
    return sum;
  }

  /// Returns the capacity that a share lacks.
  ///
  /// It is the need of its members, less the capacity of the pods whose end it relies on.
  static Occupant lacking(Hold.Share claim, NodeLoad pods, NodeLoad promised) {
    Resources resources = claim.needs().resources();
    int gpus = claim.needs().gpus();
    for (MemberId leaver : claim.leavers()) {
      Occupant share = share(leaver, pods, promised);
      resources = resources.minus(share.resources());
      gpus -= share.gpus();
    }
    return new Occupant(resources, Math.max(0, gpus));
  }

  static Occupant share(MemberId pod, NodeLoad pods, NodeLoad promised) {
    Optional<Occupant> bound = pods.shares().get(pod);
    return bound.isPresent() ? bound.get() : promised.shares().get(pod).orElse(Occupant.NONE);
  }
}
