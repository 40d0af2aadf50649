package dev.muster.core.node;

import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.Resources;
import dev.muster.core.node.NodeState.Occupant;
import java.util.Optional;

/// Works out how much of a node is withheld for claims on it.
final class ShareBook {
  private ShareBook() {}

  /// What is withheld of the room: as much as the claims lack and as is there.
  static Occupant withheld(
      Iterable<Hold.Share> shares, Occupant room, NodeLoad pods, NodeLoad promised) {
    Occupant sum = Occupant.NONE;
    for (Hold.Share share : shares) {
      sum = sum.plus(lacking(share, pods, promised).upTo(room.minus(sum)));
    }
    return sum;
  }

  /// What a claim lacks: what it needs beyond that which those will leave whose end it counts on.
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
