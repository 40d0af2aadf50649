package dev.muster.core.decision;

import dev.muster.core.cluster.Placement;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Victim;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// What was chosen for a gang.
public sealed interface Decision {
  /// The gang it is about.
  GangId gang();

  /// Why.
  Explanation why();

  /// The gang, or those of its members that waited, starts here; or its plan moves here.
  record Admit(GangId gang, Placement placement, Explanation why) implements Decision {}

  /// Not now.
  record Wait(GangId gang, Explanation why) implements Decision {}

  /// Never as submitted: only another specification or another cluster would help.
  record Reject(GangId gang, Explanation why) implements Decision {}

  /// Not now; but room is kept for it from now on.
  ///
  /// @param start when the room is expected to be complete; absent when nobody knows
  /// @param nodes where it is to start, in order of name
  record Plan(GangId gang, Optional<Instant> start, List<NodeId> nodes, Explanation why)
      implements Decision {
    public Plan {
      nodes = List.copyOf(nodes);
    }
  }

  /// Others are stopped, so that the gang can start.
  ///
  /// @param victims who, in order of name
  /// @param nodes where it is to start, in order of name
  /// @param enforced whether that is done; if not, it is only said what would be
  /// @param revision of the policy
  record Preempt(
      GangId gang,
      List<Victim> victims,
      List<NodeId> nodes,
      boolean enforced,
      String revision,
      Explanation why)
      implements Decision {
    public Preempt {
      victims = List.copyOf(victims);
      nodes = List.copyOf(nodes);
    }
  }

  /// The promise cannot be kept: the reservation ends, and members that run without their mates are
  /// evicted.
  record Release(GangId gang, List<MemberId> evicted, Explanation why) implements Decision {
    public Release {
      evicted = List.copyOf(evicted);
    }
  }
}
