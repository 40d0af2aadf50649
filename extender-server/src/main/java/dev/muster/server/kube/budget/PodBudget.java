package dev.muster.server.kube.budget;

import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.NodeAffinity;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodAffinityTerm;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PreferredSchedulingTerm;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Checks the spec of a pod against its budget, in one pass over its entries.
final class PodBudget {
  private static final String NODE_AFFINITY = "field spec.affinity.nodeAffinity";
  private static final String ANTI_AFFINITY = "field spec.affinity.podAntiAffinity";

  private PodBudget() {}

  static void check(Pod pod, Excesses found) {
    PodSpec spec = pod.getSpec();
    // Those beyond the budget were added up when they were read.
    if (spec.getContainers().size() + spec.getInitContainers().size() > ObjectBudget.CONTAINERS) {
      found.over("field spec.containers", ObjectBudget.CONTAINERS, "containers");
    }
    found.check(
        "field spec.containers", resources(spec).size(), "resources", ObjectBudget.RESOURCES);
    found.check(
        "field spec.resourceClaims",
        spec.getResourceClaims().size(),
        "entries",
        ObjectBudget.CLAIMS);
    found.check(
        "field spec.tolerations",
        spec.getTolerations().size(),
        "entries",
        ObjectBudget.TOLERATIONS);
    selection(spec, found);
    Optional.ofNullable(spec.getAffinity())
        .map(Affinity::getPodAntiAffinity)
        .ifPresent(apart ->
            antiAffinity(apart.getRequiredDuringSchedulingIgnoredDuringExecution(), found));
  }

  private static Set<String> resources(PodSpec spec) {
    Set<String> names = new HashSet<>();
    Stream.concat(spec.getContainers().stream(), spec.getInitContainers().stream())
        .map(Container::getResources)
        .forEach(resources -> names.addAll(names(resources)));
    names.addAll(names(spec.getResources()));
    names.addAll(
        Objects.requireNonNullElseGet(spec.getOverhead(), Map::<String, Object>of).keySet());
    return names;
  }

  private static Set<String> names(@Nullable ResourceRequirements resources) {
    return resources == null || resources.getRequests() == null
        ? Set.of()
        : resources.getRequests().keySet();
  }

  // ---- Node selector and node affinity ----

  /// Numbers of terms, conditions, values and characters.
  private static final class Sums {
    private int terms;
    private int conditions;
    private int values;
    private long characters;

    void add(@Nullable NodeSelectorTerm term) {
      terms++;
      if (term != null) {
        add(term.getMatchExpressions());
        add(term.getMatchFields());
      }
    }

    private void add(List<NodeSelectorRequirement> all) {
      for (NodeSelectorRequirement condition : all) {
        add(condition.getKey(), condition.getValues());
      }
    }

    void add(@Nullable String key, @Nullable List<String> operands) {
      conditions++;
      characters += length(key);
      for (String value : operands == null ? List.<String>of() : operands) {
        values++;
        characters += length(value);
      }
    }

    private static int length(@Nullable String text) {
      return text == null ? 0 : text.length();
    }

    void check(String field, Excesses found) {
      found.check(field, terms, "terms", ObjectBudget.TERMS);
      found.check(field, conditions, "conditions", ObjectBudget.CONDITIONS);
      found.check(field, values, "values", ObjectBudget.VALUES);
      found.check(field, characters, "characters", ObjectBudget.SELECTION);
    }
  }

  private static void selection(PodSpec spec, Excesses found) {
    Sums selector = new Sums();
    Objects.requireNonNullElseGet(spec.getNodeSelector(), Map::<String, String>of)
        .forEach((key, value) -> selector.add(key, List.of(value)));
    selector.check("field spec.nodeSelector", found);
    NodeAffinity affinity =
        spec.getAffinity() == null ? null : spec.getAffinity().getNodeAffinity();
    if (affinity != null) {
      Sums sums = new Sums();
      if (affinity.getRequiredDuringSchedulingIgnoredDuringExecution() != null) {
        affinity
            .getRequiredDuringSchedulingIgnoredDuringExecution()
            .getNodeSelectorTerms()
            .forEach(sums::add);
      }
      affinity.getPreferredDuringSchedulingIgnoredDuringExecution().stream()
          .map(PreferredSchedulingTerm::getPreference)
          .forEach(sums::add);
      sums.check(NODE_AFFINITY, found);
    }
  }

  private static void antiAffinity(List<PodAffinityTerm> terms, Excesses found) {
    Sums sums = new Sums();
    for (PodAffinityTerm term : terms) {
      sums.terms++;
      sums.add("", term.getNamespaces());
      LabelSelector selector = term.getLabelSelector();
      if (selector != null) {
        selector.getMatchExpressions().forEach(each -> sums.add(each.getKey(), each.getValues()));
        Objects.requireNonNullElseGet(selector.getMatchLabels(), Map::<String, String>of)
            .forEach((key, value) -> sums.add(key, List.of(value)));
      }
    }
    sums.check(ANTI_AFFINITY, found);
  }
}
