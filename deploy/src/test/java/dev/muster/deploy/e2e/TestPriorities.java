package dev.muster.deploy.e2e;

import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClassBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.NonDeletingOperation;

/// Pods and gangs of a given priority, with a PriorityClass for each value.
record TestPriorities(KubernetesClient admin) {
  /// The pod with this priority; its class must have been created.
  static PodBuilder of(PodBuilder pod, int priority) {
    return pod.editSpec().withPriorityClassName(name(priority)).endSpec();
  }

  void create(int... priorities) {
    for (int priority : priorities) {
      admin
          .resource(
              new PriorityClassBuilder()
                  .withNewMetadata()
                  .withName(name(priority))
                  .endMetadata()
                  .withValue(priority)
                  .build())
          .createOr(NonDeletingOperation::update);
    }
  }

  private static String name(int priority) {
    return "e2e-" + priority;
  }
}
