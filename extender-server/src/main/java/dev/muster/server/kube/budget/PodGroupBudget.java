package dev.muster.server.kube.budget;

import dev.muster.server.kube.client.JsonFields;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.List;
import java.util.Optional;

/// Checks the names in the spec of a PodGroup, of any dialect, against its budget.
final class PodGroupBudget {
  private static final List<List<String>> NAMES =
      List.of(
          List.of("spec", "queue"),
          List.of("spec", "priorityClassName"),
          List.of("spec", "networkTopology", "mode"),
          List.of("spec", "networkTopology", "highestTierName"),
          List.of("spec", "schedulingConstraints", "topology", "0", "key"));

  private PodGroupBudget() {}

  static void check(GenericKubernetesResource group, Excesses found) {
    JsonFields fields = new JsonFields(group);
    for (List<String> path : NAMES) {
      found.check(
          "field " + String.join(".", path),
          text(fields, path).map(String::length).orElse(0),
          "characters",
          ObjectBudget.KEY);
    }
  }

  private static Optional<String> text(JsonFields fields, List<String> path) {
    try {
      return fields.text(path.toArray(String[]::new));
    } catch (IllegalArgumentException _) {
      return Optional.empty(); // the codec tells that it is no text
    }
  }
}
