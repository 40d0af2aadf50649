package dev.muster.core.decision;

import dev.muster.core.gang.GangId;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Victim;
import dev.muster.core.node.Placement;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// A decision about a gang.
public sealed interface Decision {
  /// Returns the gang that the decision is about.
  GangId gang();

  /// Returns the reason.
  Explanation why();

  /// The gang, or its waiting members, start at this placement; or the gang's plan moves here.
  record Admit(GangId gang, Placement placement, Explanation why) implements Decision {}

  /// The gang cannot start now.
  record Wait(GangId gang, Explanation why) implements Decision {}

  /// The gang can never start as submitted. Only another specification or another cluster would
  /// help.
  record Reject(GangId gang, Explanation why) implements Decision {}

  /// The gang cannot start now, but capacity is kept for it from now on.
  ///
  /// @param start expected time at which the capacity is complete; absent when not known
  /// @param nodes nodes of the planned start, in order of name
  record Plan(GangId gang, Optional<Instant> start, List<NodeId> nodes, Explanation why)
      implements Decision {
    public Plan {
      nodes = List.copyOf(nodes);
    }
  }

  /// Other gangs are preempted so that the gang can start.
  ///
  /// @param victims the preempted gangs, in order of name
  /// @param nodes nodes of the planned start, in order of name
  /// @param enforced true if the preemption is carried out; false if it is only reported
  /// @param revision revision of the policy
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

  /// The promise cannot be kept. The reservation ends, and members that run without the rest of
  /// their gang are evicted.
  record Release(GangId gang, List<MemberId> evicted, Explanation why) implements Decision {
    public Release {
      evicted = List.copyOf(evicted);
    }
  }
}
