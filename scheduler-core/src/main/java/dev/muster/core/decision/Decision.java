package dev.muster.core.decision;

import dev.muster.core.cluster.Placement;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.MemberId;
import java.util.List;

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

  /// The promise cannot be kept: the reservation ends, and members that run without their mates are
  /// evicted.
  record Release(GangId gang, List<MemberId> evicted, Explanation why) implements Decision {
    public Release {
      evicted = List.copyOf(evicted);
    }
  }
}
