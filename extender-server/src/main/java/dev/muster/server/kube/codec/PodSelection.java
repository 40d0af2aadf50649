package dev.muster.server.kube.codec;

import dev.muster.core.gang.NodeSelection;
import dev.muster.core.gang.NodeSelection.PreferredTerm;
import dev.muster.core.gang.Requirement;
import dev.muster.core.gang.Requirement.Operator;
import dev.muster.core.gang.Taint;
import dev.muster.core.gang.Toleration;
import dev.muster.server.kube.client.ObjectMetadata;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelector;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodAffinityTerm;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PreferredSchedulingTerm;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Reads the pod's own constraints on nodes: node selector, node affinity and tolerations.
final class PodSelection {
  private static final List<List<Requirement>> NO_NODE =
      List.of(List.of(new Requirement(Requirement.NODE_NAME, Operator.IN, List.of())));

  private PodSelection() {}

  static NodeSelection of(PodSpec spec) {
    List<Requirement> all = new ArrayList<>();
    Map<String, String> selector = Objects.requireNonNullElseGet(spec.getNodeSelector(), Map::of);
    new TreeMap<>(selector)
        .forEach((key, value) -> all.add(new Requirement(key, Operator.IN, List.of(value))));
    return new NodeSelection(
        all, alternatives(spec.getAffinity()), tolerations(spec), preferences(spec.getAffinity()));
  }

  // In Kubernetes, a preferred term without conditions prefers no node.
  private static List<PreferredTerm> preferences(@Nullable Affinity affinity) {
    if (affinity == null || affinity.getNodeAffinity() == null) {
      return List.of();
    }
    List<PreferredTerm> terms = new ArrayList<>();
    for (PreferredSchedulingTerm preferred :
        affinity.getNodeAffinity().getPreferredDuringSchedulingIgnoredDuringExecution()) {
      NodeSelectorTerm conditions = preferred.getPreference();
      List<Requirement> all = conditions == null ? List.of() : term(conditions);
      Integer weight = preferred.getWeight();
      if (!all.isEmpty() && weight != null) {
        terms.add(new PreferredTerm(weight, all));
      }
    }
    return terms;
  }

  // Terms are alternatives. In Kubernetes, a term without conditions matches no node.
  private static List<List<Requirement>> alternatives(@Nullable Affinity affinity) {
    if (affinity == null || affinity.getNodeAffinity() == null) {
      return List.of();
    }
    NodeSelector required =
        affinity.getNodeAffinity().getRequiredDuringSchedulingIgnoredDuringExecution();
    if (required == null) {
      return List.of();
    }
    List<List<Requirement>> terms =
        required.getNodeSelectorTerms().stream()
            .map(PodSelection::term)
            .filter(term -> !term.isEmpty())
            .toList();
    return terms.isEmpty() ? NO_NODE : terms;
  }

  private static List<Requirement> term(NodeSelectorTerm term) {
    List<Requirement> requirements = new ArrayList<>();
    for (NodeSelectorRequirement label : term.getMatchExpressions()) {
      if (text(label.getKey()).isEmpty()) {
        throw new IllegalArgumentException(
            "The node affinity has an expression without key; it must name a label of nodes.");
      }
      requirements.add(requirement(label.getKey(), label));
    }
    for (NodeSelectorRequirement field : term.getMatchFields()) {
      if (!"metadata.name".equals(field.getKey())) {
        throw new IllegalArgumentException(
            "The node affinity matches the field (%s); only metadata.name is supported."
                .formatted(Mistakes.shown(text(field.getKey()))));
      }
      requirements.add(requirement(Requirement.NODE_NAME, field));
    }
    return requirements;
  }

  private static Requirement requirement(String key, NodeSelectorRequirement requirement) {
    Operator operator =
        switch (text(requirement.getOperator())) {
          case "In" -> Operator.IN;
          case "NotIn" -> Operator.NOT_IN;
          case "Exists" -> Operator.EXISTS;
          case "DoesNotExist" -> Operator.DOES_NOT_EXIST;
          case "Gt" -> Operator.GT;
          case "Lt" -> Operator.LT;
          default ->
              throw new IllegalArgumentException(
                  "The node affinity on (%s) has the operator (%s); known are In, NotIn, Exists, DoesNotExist, Gt, Lt."
                      .formatted(
                          Mistakes.shown(text(requirement.getKey())),
                          Mistakes.shown(text(requirement.getOperator()))));
        };
    boolean compares = operator == Operator.GT || operator == Operator.LT;
    if (compares && requirement.getValues().size() != 1) {
      throw new IllegalArgumentException(
          "The node affinity on (%s) compares with %s; it must be one number."
              .formatted(
                  Mistakes.shown(requirement.getKey()),
                  Mistakes.shown(requirement.getValues().toString())));
    }
    return new Requirement(key, operator, requirement.getValues());
  }

  private static List<Toleration> tolerations(PodSpec spec) {
    return spec.getTolerations().stream().flatMap(t -> toleration(t).stream()).toList();
  }

  // An unknown operator or effect tolerates nothing: the pod waits rather than use a forbidden
  // node.
  private static Optional<Toleration> toleration(
      io.fabric8.kubernetes.api.model.Toleration toleration) {
    String operator = text(toleration.getOperator());
    boolean exists = operator.equals("Exists");
    if (!exists && !operator.isEmpty() && !operator.equals("Equal")) {
      return Optional.empty();
    }
    Optional<String> key = Optional.of(text(toleration.getKey())).filter(k -> !k.isEmpty());
    Optional<String> value = exists ? Optional.empty() : Optional.of(text(toleration.getValue()));
    String effect = text(toleration.getEffect());
    if (effect.isEmpty()) {
      return Optional.of(new Toleration(key, value, Optional.empty()));
    }
    Optional<Taint.Effect> known = NodeCodec.effect(effect);
    return known.map(only -> new Toleration(key, value, Optional.of(only)));
  }

  /// True if the pod keeps pods with its labels off its node, by required anti-affinity on the host
  /// name.
  static boolean wantsNodeOfItsOwn(Pod pod) {
    Affinity affinity = pod.getSpec().getAffinity();
    return affinity != null
        && affinity.getPodAntiAffinity() != null
        && affinity
            .getPodAntiAffinity()
            .getRequiredDuringSchedulingIgnoredDuringExecution()
            .stream()
            .anyMatch(term -> repels(term, pod));
  }

  private static boolean repels(PodAffinityTerm term, Pod pod) {
    List<String> namespaces = term.getNamespaces();
    LabelSelector others = term.getNamespaceSelector();
    boolean here =
        namespaces.contains(pod.getMetadata().getNamespace())
            || (namespaces.isEmpty() && others == null)
            || (others != null && isEmpty(others));
    Map<String, String> labels = ObjectMetadata.labels(pod);
    return here
        && "kubernetes.io/hostname".equals(term.getTopologyKey())
        && term.getLabelSelector() != null
        && matches(term.getLabelSelector(), labels);
  }

  private static boolean isEmpty(LabelSelector selector) {
    return selector.getMatchExpressions().isEmpty() && words(selector).isEmpty();
  }

  private static boolean matches(LabelSelector selector, Map<String, String> labels) {
    return words(selector).entrySet().stream()
            .allMatch(label -> label.getValue().equals(labels.get(label.getKey())))
        && selector.getMatchExpressions().stream().allMatch(r -> matches(r, labels));
  }

  private static boolean matches(LabelSelectorRequirement requirement, Map<String, String> labels) {
    String value = labels.get(text(requirement.getKey()));
    return switch (text(requirement.getOperator())) {
      case "In" -> value != null && requirement.getValues().contains(value);
      case "NotIn" -> value == null || !requirement.getValues().contains(value);
      case "Exists" -> value != null;
      case "DoesNotExist" -> value == null;
      default -> false;
    };
  }

  private static Map<String, String> words(LabelSelector selector) {
    return Objects.requireNonNullElseGet(selector.getMatchLabels(), Map::of);
  }

  private static String text(@Nullable String value) {
    return value == null ? "" : value;
  }
}
