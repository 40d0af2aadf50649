package dev.muster.core.cluster;

import dev.muster.core.gang.Member;
import dev.muster.core.topology.DomainPath;
import java.util.List;

/// A gang's complete set of assignments. (Kubernetes' scheduler says "Placement" for a set of
/// candidate nodes and "PodGroupAssignments" for this.)
///
/// @param assignments one for each member placed, in the members' rank order
/// @param domain the narrowest topology domain that holds them all
public record Placement(List<Assignment> assignments, DomainPath domain) {
  public Placement {
    assignments = List.copyOf(assignments);
    if (assignments.size() > 1
        && assignments.stream().map(Assignment::member).map(Member::id).distinct().count()
            < assignments.size()) {
      throw new IllegalArgumentException("A placement assigns one member twice: " + assignments);
    }
  }
}
