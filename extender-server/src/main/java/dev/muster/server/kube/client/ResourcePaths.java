package dev.muster.server.kube.client;

import dev.muster.core.gang.MemberId;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;

/// Paths of PodGroups and pods on the API server.
public final class ResourcePaths {
  private ResourcePaths() {}

  public static String of(GenericKubernetesResource group) {
    return of(ObjectRef.to(group));
  }

  /// Returns the path of this PodGroup.
  public static String of(ObjectRef group) {
    return "/apis/%s/namespaces/%s/%s/%s"
        .formatted(group.apiVersion(), group.namespace(), PodGroupDialect.PLURAL, group.name());
  }

  public static String status(GenericKubernetesResource group) {
    return of(group) + "/status";
  }

  public static String of(MemberId pod) {
    return "/api/v1/namespaces/%s/pods/%s".formatted(pod.namespace(), pod.name());
  }

  public static String status(MemberId pod) {
    return of(pod) + "/status";
  }

  /// Returns the path of the pod's eviction.
  public static String eviction(MemberId pod) {
    return of(pod) + "/eviction";
  }
}
