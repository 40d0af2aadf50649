package dev.muster.server.kube.dra;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodResourceClaim;
import io.fabric8.kubernetes.api.model.PodResourceClaimStatus;
import io.fabric8.kubernetes.api.model.PodStatus;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// One entry of a pod's `spec.resourceClaims`.
///
/// @param name name of the entry in the pod
/// @param claim `namespace/name` of the claim that the pod names or that was made for it
/// @param template `namespace/name` of the template from which it is made
public record PodClaim(String name, Optional<String> claim, Optional<String> template) {
  /// API version of resource claims, slices and device classes.
  public static final String API_VERSION = "resource.k8s.io/v1";

  public static List<PodClaim> of(Pod pod) {
    String namespace = Objects.requireNonNullElse(pod.getMetadata().getNamespace(), "");
    PodStatus status = Objects.requireNonNullElseGet(pod.getStatus(), PodStatus::new);
    Map<String, String> made = new HashMap<>();
    for (PodResourceClaimStatus one : status.getResourceClaimStatuses()) {
      if (one.getName() != null && one.getResourceClaimName() != null) {
        made.putIfAbsent(one.getName(), one.getResourceClaimName());
      }
    }
    return pod.getSpec().getResourceClaims().stream()
        .map(entry -> of(namespace, entry, Optional.ofNullable(made.get(entry.getName()))))
        .toList();
  }

  private static PodClaim of(String namespace, PodResourceClaim entry, Optional<String> made) {
    return new PodClaim(
        Objects.requireNonNullElse(entry.getName(), ""),
        Optional.ofNullable(entry.getResourceClaimName())
            .or(() -> made)
            .map(name -> namespace + "/" + name),
        Optional.ofNullable(entry.getResourceClaimTemplateName())
            .map(name -> namespace + "/" + name));
  }

  IllegalArgumentException missing() {
    return new IllegalArgumentException(
        "The entry \"%s\" of spec.resourceClaims names the %s, which does not exist."
            .formatted(name, this));
  }

  IllegalArgumentException unreadable() {
    return new IllegalArgumentException(
        "The entry \"%s\" of spec.resourceClaims names the %s, which Muster cannot read: the cluster does not serve %s. Request the GPUs in the containers' limits, or use Kubernetes 1.34 or newer."
            .formatted(name, this, API_VERSION));
  }

  /// Returns the object that the pod names: the template, if there is one, else the claim.
  @Override
  public String toString() {
    return template
        .map(key -> "ResourceClaimTemplate " + key)
        .orElse("ResourceClaim " + claim.orElse("without a name"));
  }
}
