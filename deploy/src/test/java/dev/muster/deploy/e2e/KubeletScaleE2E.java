package dev.muster.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/// The simulated kubelets keep up with the stock scheduler for many pods.
class KubeletScaleE2E {
  private static final int NODES = 250;
  private static final int PODS = 1_000;
  private static final Duration LIMIT = Duration.ofMinutes(3);

  @Test
  void pods_run_and_end_as_fast_as_they_are_scheduled() {
    try (var plane = ControlPlane.start(TestSetup.of(KubeletScaleE2E.class))) {
      KubernetesClient admin = plane.admin();
      var cluster = new TestCluster(admin);
      cluster.createNodes(
          IntStream.range(0, NODES)
              .mapToObj(i -> NodeShape.withGpus("n" + i, 8))
              .toArray(NodeShape[]::new));
      IntStream.range(0, PODS)
          .parallel()
          .forEach(i -> cluster.create(TestCluster.gpuPod("p" + i, 2)));
      await(() -> pods(admin).stream().allMatch(KubeletScaleE2E::runs));
      assertThat(pods(admin)).hasSize(PODS);

      admin.pods().inNamespace("default").delete();
      await(() -> pods(admin).isEmpty());
    }
  }

  private static void await(Callable<Boolean> done) {
    Awaitility.await().atMost(LIMIT).pollInterval(Duration.ofMillis(500)).until(done);
  }

  private static List<Pod> pods(KubernetesClient admin) {
    return admin.pods().inNamespace("default").list().getItems();
  }

  private static boolean runs(Pod pod) {
    return "Running".equals(pod.getStatus().getPhase());
  }
}
