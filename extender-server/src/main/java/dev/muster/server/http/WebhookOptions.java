package dev.muster.server.http;

import java.util.Map;
import java.util.function.BiPredicate;
import java.util.function.Function;

/// What the webhook adds to new pods. A namespace opts out with the label `muster.dev/gate` or
/// `muster.dev/hide-gpus` set to `disabled`.
///
/// @param gate whether to add the scheduling gate to pods that are ours
/// @param hideGpus whether to set `NVIDIA_VISIBLE_DEVICES=none` on containers that request no GPU
/// @param namespaceLabels the labels of a namespace, empty when it is not known; must not block
/// @param claimsGpus whether a resource claim or a template of a namespace asks for GPUs, as far as
///   that is known; must not block
public record WebhookOptions(
    boolean gate,
    boolean hideGpus,
    Function<String, Map<String, String>> namespaceLabels,
    BiPredicate<String, String> claimsGpus) {
  /// Where nobody claims GPUs.
  public WebhookOptions(
      boolean gate, boolean hideGpus, Function<String, Map<String, String>> namespaceLabels) {
    this(gate, hideGpus, namespaceLabels, (_, _) -> false);
  }

  boolean gates(String namespace) {
    return gate && isOn(namespace, PodKeys.GATE_SWITCH);
  }

  boolean hides(String namespace) {
    return hideGpus && isOn(namespace, PodKeys.HIDE_SWITCH);
  }

  private boolean isOn(String namespace, String label) {
    return !PodKeys.DISABLED.equals(namespaceLabels.apply(namespace).get(label));
  }
}
