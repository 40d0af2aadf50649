package dev.muster.server.kube.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.server.kube.Yaml;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import org.junit.jupiter.api.Test;

class ObjectTrimmerTest {
  private static final Pod POD =
      Yaml.pod(
          """
          metadata: {name: p, managedFields: [{manager: kubelet, fieldsV1: {"f:status": {}}}]}
          spec:
            volumes: [{name: data, emptyDir: {}}]
            nodeName: n1
            containers:
            - name: main
              image: train:1
              env: [{name: A, value: b}]
              restartPolicy: Always
              resources: {requests: {cpu: "1"}}
          status:
            phase: Running
            podIP: 10.0.0.1
            containerStatuses:
            - {name: main, image: train:1, allocatedResources: {cpu: "1"}, state: {running: {startedAt: "2026-11-01T10:00:00Z"}}}
          """);

  @Test
  void unused_fields_are_skipped() {
    Container main = POD.getSpec().getContainers().getFirst();
    assertThat(POD.getMetadata().getManagedFields()).isEmpty();
    assertThat(POD.getSpec().getVolumes()).isEmpty();
    assertThat(main.getImage()).isNull();
    assertThat(main.getEnv()).isEmpty();
    assertThat(main.getAdditionalProperties()).isEmpty();
    assertThat(POD.getStatus().getPodIP()).isNull();
    assertThat(POD.getStatus().getContainerStatuses().getFirst().getImage()).isNull();
  }

  @Test
  void used_fields_are_kept() {
    Container main = POD.getSpec().getContainers().getFirst();
    assertThat(POD.getMetadata().getName()).isEqualTo("p");
    assertThat(POD.getSpec().getNodeName()).isEqualTo("n1");
    assertThat(main.getName()).isEqualTo("main");
    assertThat(main.getRestartPolicy()).isEqualTo("Always");
    assertThat(main.getResources().getRequests()).containsKey("cpu");
    assertThat(POD.getStatus().getPhase()).isEqualTo("Running");
    var status = POD.getStatus().getContainerStatuses().getFirst();
    assertThat(status.getAllocatedResources()).containsKey("cpu");
    assertThat(status.getState().getRunning().getStartedAt()).isNotNull();
  }
}
