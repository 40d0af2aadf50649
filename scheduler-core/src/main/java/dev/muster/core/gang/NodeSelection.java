package dev.muster.core.gang;

import java.util.List;

/// The nodes that a pod selects by node selector, required node affinity and tolerations.
///
/// @param all conditions that must all hold (`nodeSelector`)
/// @param anyOf alternatives, each a conjunction, of which one must hold (required node affinity);
///   no alternatives: no condition
/// @param tolerations taints that the pod tolerates
public record NodeSelection(
    List<Requirement> all, List<List<Requirement>> anyOf, List<Toleration> tolerations) {
  /// Any untainted node.
  public static final NodeSelection ANY = new NodeSelection(List.of(), List.of(), List.of());

  public NodeSelection {
    all = List.copyOf(all);
    anyOf = anyOf.stream().map(List::copyOf).toList();
    tolerations = List.copyOf(tolerations);
  }

  /// True if the taint forbids the node for the pod.
  public boolean isKeptAwayBy(Taint taint) {
    return taint.forbids()
        && tolerations.stream().noneMatch(toleration -> toleration.tolerates(taint));
  }
}
