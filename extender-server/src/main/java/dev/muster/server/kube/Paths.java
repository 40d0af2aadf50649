package dev.muster.server.kube;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;

/// Where PodGroups are found on the API server.
final class Paths {
  private Paths() {}

  static String of(GenericKubernetesResource group) {
    return "/apis/%s/namespaces/%s/%s/%s"
        .formatted(
            group.getApiVersion(),
            group.getMetadata().getNamespace(),
            Dialect.PLURAL,
            group.getMetadata().getName());
  }

  static String status(GenericKubernetesResource group) {
    return of(group) + "/status";
  }
}
