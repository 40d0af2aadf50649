package dev.muster.core.gang;

import java.util.List;

/// Conditions that a pod prefers its node to meet, all together, and their weight.
///
/// @param weight importance among the terms of the pod, 1 to 100
/// @param all conditions, at least one
public record PreferredTerm(int weight, List<Requirement> all) {
  public PreferredTerm {
    all = List.copyOf(all);
  }
}
