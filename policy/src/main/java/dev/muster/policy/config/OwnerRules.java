package dev.muster.policy.config;

import static java.util.Map.entry;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/// Rules about how the fields of owners must agree, which a schema cannot state.
public final class OwnerRules {
  /// The kinds of which Muster forms gangs without configuration, in lower case, and their groups.
  public static final Map<String, String> KNOWN =
      Map.ofEntries(
          entry("job", "batch"),
          entry("jobset", "jobset.x-k8s.io"),
          entry("leaderworkerset", "leaderworkerset.x-k8s.io"),
          entry("raycluster", "ray.io"),
          entry("mpijob", "kubeflow.org"),
          entry("pytorchjob", "kubeflow.org"),
          entry("tfjob", "kubeflow.org"),
          entry("xgboostjob", "kubeflow.org"),
          entry("paddlejob", "kubeflow.org"),
          entry("jaxjob", "kubeflow.org"));

  private OwnerRules() {}

  /// Returns the broken rules by field. The document may have any shape.
  static Map<JsonPointer, String> faults(JsonNode document) {
    Map<JsonPointer, String> faults = new LinkedHashMap<>();
    Map<String, Integer> firsts = new HashMap<>();
    JsonNode owners = document.path("owners");
    for (int i = 0; i < owners.size(); i++) {
      JsonNode owner = owners.path(i);
      JsonPointer place = JsonPointer.compile("/owners").appendIndex(i);
      if (owner.isObject() && owner.has("sizeField") == owner.has("sizeLabel")) {
        faults.put(
            place,
            owner.has("sizeField")
                ? "has sizeField and sizeLabel. One of them must state the number of pods."
                : "has neither sizeField nor sizeLabel. One of them must state the number of pods.");
      }
      String kind = owner.path("kind").asText();
      String name = kind.toLowerCase(Locale.ROOT); // as in the names of PodGroups
      Integer first = firsts.putIfAbsent(name, i);
      if (first != null && owner.path("kind").isTextual()) {
        faults.put(
            place.appendProperty("kind"),
            "\"%s\" is already the kind of owners[%d].".formatted(kind, first));
      }
      String known = KNOWN.getOrDefault(name, "");
      if (!known.isEmpty() && !known.equals(group(owner))) {
        faults.put(
            place.appendProperty("kind"),
            "\"%s\" is a kind of %s too, of which Muster forms gangs. PodGroups of both would have equal names: label the pods of this one with a PodGroup instead."
                .formatted(kind, known));
      }
    }
    return faults;
  }

  private static String group(JsonNode owner) {
    String version = owner.path("apiVersion").asText();
    return version.substring(0, Math.max(0, version.indexOf('/')));
  }
}
