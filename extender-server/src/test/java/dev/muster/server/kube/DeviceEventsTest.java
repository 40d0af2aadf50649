package dev.muster.server.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.kube.dra.PodClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimTemplate;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Devices, templates and claims update the events of their nodes and pods.
@Timeout(60)
class DeviceEventsTest extends KubeInboxScene {
  /// Creates a node with GPUs in ResourceSlices, as in [#createSlice].
  private void createNodeOfSlices() {
    served.add(PodClaim.API_VERSION);
    client
        .nodes()
        .resource(Yaml.node("metadata: {name: gpu-07}\nstatus: {allocatable: {cpu: '8'}}"))
        .create();
  }

  private void createSlice() {
    client.resource(read(Yaml.file("slice-h100.yaml"), ResourceSlice.class)).create();
  }

  private void createClaim(String status) {
    ResourceClaim claim =
        read(
            """
            metadata: {namespace: ml, name: direct}
            spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu.nvidia.com, count: 2}}]}}
            %s
            """
                .formatted(status),
            ResourceClaim.class);
    client.resource(claim).inNamespace("ml").createOr(replaceable -> replaceable.update());
  }

  @Test
  void late_devices_update_their_node_and_pod() {
    createNodeOfSlices();
    client
        .pods()
        .inNamespace("ml")
        .resource(
            Yaml.pod(
                """
                metadata: {namespace: ml, name: train-0, uid: u0, labels: {scheduling.x-k8s.io/pod-group: train}}
                spec:
                  schedulerName: default-scheduler
                  resourceClaims: [{name: gpus, resourceClaimName: direct}]
                  containers: [{name: c, image: i}]
                """))
        .create();
    start();
    await().until(() -> image().synced());
    assertThat(cluster.gang(gang("train")).members().isEmpty()).as("held").isTrue();
    assertThat(problems)
        .singleElement()
        .extracting(ObjectProblem::message)
        .asString()
        .contains("direct");

    createSlice();
    await().until(() -> node().freeGpus() == 2);
    createClaim("");
    await().until(() -> image().gang(gang("train")).members().size() == 1);
    assertThat(cluster.gang(gang("train")).members().values().getFirst().request().gpus())
        .isEqualTo(2);
    createClaim(
        "status: {allocation: {devices: {results: [{request: r, driver: gpu.nvidia.com, pool: gpu-07, device: gpu-1}]}}}");
    await().until(() -> node().node().freeGpus().orElseThrow().equals(Set.of(0)));
  }

  @Test
  void template_with_selector_updates_the_nodes() {
    createNodeOfSlices();
    createSlice();
    start();
    await().until(() -> image().synced());
    await().until(() -> node().freeGpus() == 2);

    String expression = "device.capacity['gpu.nvidia.com'].memory.isGreaterThan(quantity('40Gi'))";
    String template =
        """
        metadata: {namespace: ml, name: large}
        spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu.nvidia.com, selectors: [{cel: {expression: "%s"}}]}}]}}}
        """
            .formatted(expression);
    client.resource(read(template, ResourceClaimTemplate.class)).inNamespace("ml").create();
    await().until(() -> node().free().get("nvidia.com/gpu where " + expression) == 2);
  }
}
