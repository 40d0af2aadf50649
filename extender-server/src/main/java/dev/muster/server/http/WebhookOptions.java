package dev.muster.server.http;

import dev.muster.policy.config.GatingFields.OwnVisibleDevices;
import dev.muster.policy.config.PodHold;
import dev.muster.server.kube.client.WellKnownNames;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/// The changes that the webhook makes to new pods. A namespace opts out with the label
/// `muster.dev/gate` or `muster.dev/hide-gpus` set to `disabled`.
///
/// @param gate true to add the scheduling gate to pods that Muster places
/// @param hideGpus true to set `NVIDIA_VISIBLE_DEVICES=none` on containers that request no GPU
/// @param ownVisibleDevices what happens if a container sets the variable itself
/// @param namespaceLabels labels of a namespace, empty when it is unknown; must not block
/// @param claimsGpus test for pods that request GPUs by resource claims; must not block
/// @param hold what keeps the pods of gangs in a namespace from kube-scheduler until they start;
///   must not block
public record WebhookOptions(
    boolean gate,
    boolean hideGpus,
    OwnVisibleDevices ownVisibleDevices,
    Function<String, Map<String, String>> namespaceLabels,
    ClaimsGpus claimsGpus,
    Function<String, PodHold> hold) {
  private static final String DISABLED = "disabled";

  /// Tests if a pod requests GPUs by resource claims.
  @FunctionalInterface
  public interface ClaimsGpus {
    /// True if a pod with all of these claims is known to request a countable number of GPUs.
    ///
    /// @param claims names in `resourceClaimName`
    /// @param templates names in `resourceClaimTemplateName`
    boolean test(String namespace, Set<String> claims, Set<String> templates);
  }

  /// Creates options for clusters without GPU claims.
  public WebhookOptions(
      boolean gate, boolean hideGpus, Function<String, Map<String, String>> namespaceLabels) {
    this(gate, hideGpus, OwnVisibleDevices.OVERWRITE, namespaceLabels, (_, _, _) -> false);
  }

  /// Creates options with gates for the pods of gangs.
  public WebhookOptions(
      boolean gate,
      boolean hideGpus,
      OwnVisibleDevices ownVisibleDevices,
      Function<String, Map<String, String>> namespaceLabels,
      ClaimsGpus claimsGpus) {
    this(gate, hideGpus, ownVisibleDevices, namespaceLabels, claimsGpus, _ -> PodHold.GATE);
  }

  /// Returns a copy with another choice of what keeps the pods of gangs.
  public WebhookOptions keeping(Function<String, PodHold> other) {
    return new WebhookOptions(
        gate, hideGpus, ownVisibleDevices, namespaceLabels, claimsGpus, other);
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
