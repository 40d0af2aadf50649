package dev.muster.core.gang;

import dev.muster.core.collect.SortedTable;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// What a PodGroup, or a pod in no group, declares of its gang.
///
/// @param id the gang
/// @param minCount how many members must start together, at least 1
/// @param queue the queue it is accounted to
/// @param priority the gang's own priority; absent: the lowest of its members'
/// @param topology how near the members must be
/// @param gpus which GPU models will do
/// @param bindTimeout how long a reservation may stay unbound; absent: the configured default
/// @param createdAt when the object was created: the gang's age counts from here
/// @param recorded the node promised to each member, as last written to the object; what a restart
///   recovers
public record GangSpec(
    GangId id,
    int minCount,
    String queue,
    Optional<Integer> priority,
    TopologyConstraint topology,
    GpuChoice gpus,
    Optional<Duration> bindTimeout,
    Instant createdAt,
    SortedTable<MemberId, NodeId> recorded) {
  public GangSpec {
    if (minCount < 1) {
      throw new IllegalArgumentException(
          "The gang (%s) asks for minCount (%d); it must be 1 or more. Maybe minMember is missing."
              .formatted(id, minCount));
    }
  }
}
