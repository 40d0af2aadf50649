package dev.muster.deploy.e2e;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;

/// Removes all that a test left behind.
record ParameterGrid(KubernetesClient admin) {
  private static final Duration WAIT = Duration.ofSeconds(30);

  /// Removes workloads, pods, gangs and nodes, and returns when they are gone.
  void all() {
    new HeldCapacity(admin).release();
    admin.apps().deployments().inNamespace("default").delete();
    admin.batch().v1().jobs().inNamespace("default").delete();
    admin.apps().replicaSets().inNamespace("default").delete();
    new TestGangs(admin).deleteAll();
    await("no pods left").atMost(WAIT).pollInterval(Duration.ofMillis(100)).until(this::noPods);
    admin.nodes().delete();
    await("no nodes left")
        .atMost(WAIT)
        .pollInterval(Duration.ofMillis(50))
        .until(() -> admin.nodes().list().getItems().isEmpty());
  }

  /// Their controllers may make new ones for a moment, so this asks until none is left.
  private boolean noPods() {
    admin.pods().inNamespace("default").withGracePeriod(0).delete();
    return admin.pods().inNamespace("default").list().getItems().isEmpty();
  }
}
