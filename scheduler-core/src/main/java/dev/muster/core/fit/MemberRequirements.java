package dev.muster.core.fit;

import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.Request;
import dev.muster.core.topology.Topology;
import java.util.List;
import java.util.Optional;

/// The conditions that a member of a gang sets for a node.
///
/// @param request resources and conditions of the member
/// @param gpus GPU models that the gang accepts
/// @param label the node-label key of the level that the gang requires, which the node must have
public record MemberRequirements(Request request, GpuModelPreference gpus, Optional<String> label) {
  /// Returns the conditions of a member with this request, in a gang with these constraints.
  public static MemberRequirements of(
      Request request, GangConstraints constraints, Topology topology) {
    Optional<String> level = constraints.topology().required();
    Optional<String> label = level.isPresent() ? topology.labelOf(level.get()) : Optional.empty();
    return new MemberRequirements(request, constraints.gpus(), label);
  }

  /// Returns the distinct conditions of these members, in a gang with these constraints.
  public static List<MemberRequirements> ofEach(
      List<Member> members, GangConstraints constraints, Topology topology) {
    return members.stream()
        .map(Member::request)
        .distinct()
        .map(request -> of(request, constraints, topology))
        .toList();
  }
}
