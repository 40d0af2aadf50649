package dev.muster.core.admission;

import dev.muster.core.gang.GpuModelPreference;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;

/// Accepted models are the GPU models of the nodes that satisfy each preference of waiting gangs.
///
/// A preference can list many names, and each is compared with each model. So the result is kept
/// from one image to the next, while the nodes have the same models.
final class AcceptedModels {
  private final List<String> models;
  private final Map<GpuModelPreference, SortedSet<String>> earlier;
  private final Map<GpuModelPreference, SortedSet<String>> found = new LinkedHashMap<>();

  private AcceptedModels(List<String> models, Map<GpuModelPreference, SortedSet<String>> earlier) {
    this.models = models;
    this.earlier = earlier;
  }

  /// Returns those among these models. Preferences that no gang has any more are forgotten.
  static AcceptedModels among(List<String> models, Optional<AcceptedModels> last) {
    return new AcceptedModels(
        models, last.filter(l -> l.models.equals(models)).map(l -> l.found).orElse(Map.of()));
  }

  /// Returns the accepted models.
  SortedSet<String> of(GpuModelPreference choice) {
    SortedSet<String> known = found.get(choice);
    if (known == null) {
      known = earlier.get(choice);
      known = known == null ? that(choice::accepts) : known;
      found.put(choice, known);
    }
    return known;
  }

  /// Returns the models that satisfy the condition.
  SortedSet<String> that(Predicate<String> condition) {
    TreeSet<String> some = new TreeSet<>(models);
    some.removeIf(condition.negate());
    return Collections.unmodifiableSortedSet(some);
  }
}
