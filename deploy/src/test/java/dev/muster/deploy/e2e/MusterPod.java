package dev.muster.deploy.e2e;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;

/// A pod in which a Muster of the tests claims to run. Nothing runs in it.
final class MusterPod {
  private static final String NAMESPACE = "muster-system";

  private MusterPod() {}

  /// Creates the pod as the namespace of Muster admits it.
  static void create(KubernetesClient admin, String name) {
    Pod pod =
        TestCluster.gpuPod(name, 0)
            .editMetadata()
            .withNamespace(NAMESPACE)
            .addToLabels("app.kubernetes.io/name", "muster")
            .endMetadata()
            .editSpec()
            .withSchedulerName("nobody")
            .withNewSecurityContext()
            .withRunAsNonRoot(true)
            .withNewSeccompProfile()
            .withType("RuntimeDefault")
            .endSeccompProfile()
            .endSecurityContext()
            .editFirstContainer()
            .withNewSecurityContext()
            .withAllowPrivilegeEscalation(false)
            .withNewCapabilities()
            .addToDrop("ALL")
            .endCapabilities()
            .endSecurityContext()
            .endContainer()
            .endSpec()
            .build();
    admin.pods().inNamespace(NAMESPACE).resource(pod).create();
  }
}
