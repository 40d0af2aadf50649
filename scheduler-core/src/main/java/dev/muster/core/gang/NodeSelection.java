package dev.muster.core.gang;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/// The nodes that a pod selects by node selector, node affinity and tolerations.
///
/// @param all conditions that must all hold (`nodeSelector`)
/// @param anyOf alternatives, each a conjunction, of which one must hold (required node affinity);
///   no alternatives: no condition
/// @param tolerations taints that the pod tolerates
/// @param preferred conditions that a node need not meet (preferred node affinity)
public record NodeSelection(
    List<Requirement> all,
    List<List<Requirement>> anyOf,
    List<Toleration> tolerations,
    List<PreferredTerm> preferred) {
  /// Any untainted node.
  public static final NodeSelection ANY = new NodeSelection(List.of(), List.of(), List.of());

  private static final int SHOWN = 3;

  private static final int TOLERATIONS = 8;

  public NodeSelection {
    all = List.copyOf(all);
    anyOf = anyOf.stream().map(List::copyOf).toList();
    tolerations = List.copyOf(tolerations);
    preferred = List.copyOf(preferred);
  }

  /// Creates a selection without preferences.
  public NodeSelection(
      List<Requirement> all, List<List<Requirement>> anyOf, List<Toleration> tolerations) {
    this(all, anyOf, tolerations, List.of());
  }

  /// True if it selects nodes by their labels or names, so that equal nodes can differ.
  public boolean selects() {
    return !all.isEmpty() || !anyOf.isEmpty();
  }

  /// Returns the number of conditions with which a node is compared. A toleration takes less time,
  /// so [#TOLERATIONS] of them count as one condition.
  public int conditions() {
    int conditions = all.size() + tolerations.size() / TOLERATIONS;
    for (List<Requirement> term : anyOf) {
      conditions += term.size();
    }
    for (PreferredTerm term : preferred) {
      conditions += term.all().size();
    }
    return conditions;
  }

  /// True if the taint forbids the node for the pod.
  public boolean isKeptAwayBy(Taint taint) {
    return taint.forbids() && !tolerates(taint);
  }

  /// True if the taint advises against the node for the pod.
  public boolean isAdvisedAgainstBy(Taint taint) {
    return !taint.forbids() && !tolerates(taint);
  }

  private boolean tolerates(Taint taint) {
    return tolerations.stream().anyMatch(toleration -> toleration.tolerates(taint));
  }

  /// Returns the required alternatives as text for messages, with at most [#SHOWN] of each.
  public String shownAlternatives() {
    return shown(anyOf, term -> shown(term, Requirement::shown));
  }

  private static <T> String shown(List<T> all, Function<T, String> text) {
    String first = all.stream().limit(SHOWN).map(text).collect(Collectors.joining(", ", "[", "]"));
    return all.size() <= SHOWN ? first : first + " and " + (all.size() - SHOWN) + " more";
  }

  /// Conditions that a pod prefers its node to meet, all together, and their weight.
  ///
  /// @param weight importance among the terms of the pod, 1 to 100
  /// @param all conditions, at least one
  public record PreferredTerm(int weight, List<Requirement> all) {
    public PreferredTerm {
      all = List.copyOf(all);
    }
  }
}
