package dev.muster.server.http;

import dev.muster.server.kube.client.WellKnownNames;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/// What the webhook adds to new pods. A namespace opts out with the label `muster.dev/gate` or
/// `muster.dev/hide-gpus` set to `disabled`.
///
/// @param gate whether to add the scheduling gate to pods that are ours
/// @param hideGpus whether to set `NVIDIA_VISIBLE_DEVICES=none` on containers that request no GPU
/// @param namespaceLabels the labels of a namespace, empty when it is not known; must not block
/// @param claimsGpus which pods ask for GPUs by resource claims; must not block
public record WebhookOptions(
    boolean gate,
    boolean hideGpus,
    Function<String, Map<String, String>> namespaceLabels,
    ClaimsGpus claimsGpus) {
  private static final String DISABLED = "disabled";

  /// Whether a pod asks for GPUs by resource claims.
  @FunctionalInterface
  public interface ClaimsGpus {
    /// Whether a pod that names all of these asks for GPUs, and it can be counted how many, as far
    /// as that is known.
    ///
    /// @param claims what it names by `resourceClaimName`
    /// @param templates what it names by `resourceClaimTemplateName`
    boolean test(String namespace, Set<String> claims, Set<String> templates);
  }

  /// Where nobody claims GPUs.
  public WebhookOptions(
      boolean gate, boolean hideGpus, Function<String, Map<String, String>> namespaceLabels) {
    this(gate, hideGpus, namespaceLabels, (_, _, _) -> false);
  }

  boolean gates(String namespace) {
    return gate && isOn(namespace, WellKnownNames.NAMESPACE_GATE);
  }

  boolean hides(String namespace) {
    return hideGpus && isOn(namespace, WellKnownNames.NAMESPACE_HIDE_GPUS);
  }

  private boolean isOn(String namespace, String label) {
    return !DISABLED.equals(namespaceLabels.apply(namespace).get(label));
  }
}
