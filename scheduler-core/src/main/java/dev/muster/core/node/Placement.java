package dev.muster.core.node;

import dev.muster.core.gang.MemberId;
import dev.muster.core.topology.DomainPath;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// A gang's complete set of assignments.
///
/// Kubernetes' scheduler calls this "PodGroupAssignments"; its "Placement" is a set of candidate
/// nodes.
///
/// @param assignments one for each member placed, in rank order of the members
/// @param domain the narrowest topology domain that contains all of them
public record Placement(List<Assignment> assignments, DomainPath domain) {
  public Placement {
    assignments = List.copyOf(assignments);
    if (assignments.size() > 1 && members(assignments).size() < assignments.size()) {
      throw new IllegalArgumentException("A placement assigns one member twice: " + assignments);
    }
  }

  private static Set<MemberId> members(List<Assignment> assignments) {
    Set<MemberId> members = new LinkedHashSet<>();
    for (Assignment assignment : assignments) {
      members.add(assignment.member().id());
    }
    return members;
  }
}
