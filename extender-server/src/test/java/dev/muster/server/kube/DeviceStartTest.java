package dev.muster.server.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.NodeState;
import dev.muster.core.topology.Topology;
import dev.muster.server.kube.client.KubeSettings;
import dev.muster.server.kube.dra.PodClaim;
import dev.muster.server.loop.Mailbox;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Devices of pods are counted correctly when slices arrive after the pods.
@Timeout(60)
class DeviceStartTest {
  private static final String LARGE =
      "device.capacity['gpu.nvidia.com'].memory.isGreaterThan(quantity('40Gi'))";
  private static final Duration SOON = Duration.ofSeconds(5); // the next full look is at 10m

  @AutoClose private final MockApi api = new MockApi();
  private final KubernetesClient client = api.client();
  private final Mailbox mailbox = new Mailbox(1000);
  private Cluster cluster = Cluster.empty(new Topology(List.of()));

  @Test
  void used_slice_of_a_gpu_makes_the_whole_gpu_unavailable() {
    running("gpu-2-mig-19-0-1", "");
    try (KubeInbox _ = start()) {
      tellSlices();

      await().atMost(SOON).until(() -> node().usedGpus() == 0);
    }
  }

  @Test
  void used_gpu_is_not_free_for_selecting_pods() throws InterruptedException {
    running("gpu-0", ", selectors: [{cel: {expression: \"%s\"}}]".formatted(LARGE));
    try (KubeInbox _ = start()) {
      tellSlices();

      assertThat(node().freeGpus()).isEqualTo(1);
      await().atMost(SOON).until(() -> node().free().get("nvidia.com/gpu where " + LARGE) == 1);
    }
  }

  private KubeInbox start() {
    var ends =
        new KubeInbox.Ends(
            client,
            PodClaim.API_VERSION::equals,
            mailbox,
            () -> true,
            _ -> {},
            _ -> {},
            InstantSource.system());
    return KubeInbox.start(ends, KubeSettings.DEFAULT);
  }

  /// A pod runs on the node and has the device.
  private void running(String device, String selectors) {
    String claim =
        """
        metadata: {namespace: ml, name: mine}
        spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu.nvidia.com%s}}]}}
        status:
          allocation: {devices: {results: [{request: r, driver: gpu.nvidia.com, pool: gpu-07, device: %s}]}}
        """
            .formatted(selectors, device);
    String pod =
        """
        metadata: {namespace: ml, name: p, uid: u0}
        spec:
          nodeName: gpu-07
          schedulerName: default-scheduler
          resourceClaims: [{name: gpus, resourceClaimName: mine}]
          containers: [{name: c, image: i}]
        status: {phase: Running}
        """;
    String node = "metadata: {name: gpu-07}\nstatus: {allocatable: {cpu: '8'}}";
    client.nodes().resource(Yaml.node(node)).create();
    client.resource(Serialization.unmarshal(claim, ResourceClaim.class)).inNamespace("ml").create();
    client.pods().inNamespace("ml").resource(Yaml.pod(pod)).create();
  }

  private void tellSlices() {
    await().until(() -> image().synced());
    String slice = Yaml.file("slice-h100.yaml");
    client.resource(Serialization.unmarshal(slice, ResourceSlice.class)).create();
    await().until(() -> node().node().gpus() == 2);
  }

  private Cluster image() throws InterruptedException {
    while (mailbox.depth() > 0) {
      cluster = cluster.apply(mailbox.next().orElseThrow());
    }
    return cluster;
  }

  private NodeState node() throws InterruptedException {
    return image().nodes().get(new NodeId("gpu-07")).orElseThrow();
  }
}
