package dev.muster.core.fit;

import dev.muster.core.gang.GpuChoice;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Wishes;
import dev.muster.core.topology.Topology;
import java.util.List;
import java.util.Optional;

/// What is asked of a node for a member of a gang.
///
/// @param request what the member needs
/// @param gpus which GPU models the gang takes
/// @param label the node-label key of the level that the gang requires, which the node must have
public record Ask(Request request, GpuChoice gpus, Optional<String> label) {
  /// What is asked for a member with this request of a gang with these wishes.
  public static Ask of(Request request, Wishes wishes, Topology topology) {
    Optional<String> level = wishes.topology().required();
    Optional<String> label = level.isPresent() ? topology.labelOf(level.get()) : Optional.empty();
    return new Ask(request, wishes.gpus(), label);
  }

  /// What is asked for these members of such a gang, each kind once.
  public static List<Ask> ofEach(List<Member> members, Wishes wishes, Topology topology) {
    return members.stream()
        .map(Member::request)
        .distinct()
        .map(request -> of(request, wishes, topology))
        .toList();
  }
}
