package dev.muster.core.gang;

import java.util.List;

/// Which nodes a pod may run on by its own words: node selector, required node affinity,
/// tolerations.
///
/// @param all conditions that must all hold (`nodeSelector`)
/// @param anyOf alternatives, each a conjunction, of which one must hold (required node affinity);
///   no alternatives means no condition
/// @param tolerations the taints it puts up with
public record NodeSelection(
    List<Requirement> all, List<List<Requirement>> anyOf, List<Toleration> tolerations) {
  /// Any untainted node.
  public static final NodeSelection ANY = new NodeSelection(List.of(), List.of(), List.of());

  public NodeSelection {
    all = List.copyOf(all);
    anyOf = anyOf.stream().map(List::copyOf).toList();
    tolerations = List.copyOf(tolerations);
  }

  /// Whether the taint keeps the pod away.
  public boolean isKeptAwayBy(Taint taint) {
    return taint.forbids()
        && tolerations.stream().noneMatch(toleration -> toleration.tolerates(taint));
  }
}
