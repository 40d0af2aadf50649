package dev.muster.simulator.world;

import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import java.time.Duration;
import java.util.List;

/// A gang that is to be submitted to the virtual cluster.
///
/// @param spec what its PodGroup declares; its creation is the time of submission
/// @param members its pods, held by our gate
/// @param runtime how long each member runs once all members are bound
public record Job(GangSpec spec, List<Member> members, Duration runtime) {
  public Job {
    members = List.copyOf(members);
    if (members.isEmpty()) {
      throw new IllegalArgumentException("The job (%s) has no members.".formatted(spec.id()));
    }
  }
}
