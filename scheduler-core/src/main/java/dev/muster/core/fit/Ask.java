package dev.muster.core.fit;

import dev.muster.core.gang.GpuChoice;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Wishes;
import dev.muster.core.topology.Topology;
import java.util.List;
import java.util.Optional;

/// The conditions that a member of a gang sets for a node.
///
/// @param request resources and conditions of the member
/// @param gpus GPU models that the gang accepts
/// @param label the node-label key of the level that the gang requires, which the node must have
public record Ask(Request request, GpuChoice gpus, Optional<String> label) {
  /// Returns the conditions of a member with this request, in a gang with these constraints.
  public static Ask of(Request request, Wishes wishes, Topology topology) {
    Optional<String> level = wishes.topology().required();
    Optional<String> label = level.isPresent() ? topology.labelOf(level.get()) : Optional.empty();
    return new Ask(request, wishes.gpus(), label);
  }

  /// Returns the distinct conditions of these members, in a gang with these constraints.
  public static List<Ask> ofEach(List<Member> members, Wishes wishes, Topology topology) {
    return members.stream()
        .map(Member::request)
        .distinct()
        .map(request -> of(request, wishes, topology))
        .toList();
  }
}
