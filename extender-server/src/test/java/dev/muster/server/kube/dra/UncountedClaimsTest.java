package dev.muster.server.kube.dra;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.gang.Resources;
import dev.muster.server.kube.DeviceScene;
import dev.muster.server.kube.Yaml;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A pod that may take GPUs is held, also if their number is unknown. Otherwise it could have GPUs
/// that its queue may not use.
class UncountedClaimsTest extends DeviceScene {
  private static final String DIRECT =
      """
      metadata: {namespace: ml, name: a}
      spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu.nvidia.com}}]}}
      """;

  @BeforeEach
  void classes() {
    deviceClass("nic", "{selectors: [{cel: {expression: 'device.driver == \"dra.net\"'}}]}");
    deviceClass(
        "mig.nvidia.com",
        "{selectors: [{cel: {expression: \"device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'mig'\"}}]}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{name: r, exactly: {deviceClassName: gpu.nvidia.com}} | true",
        "{name: r, exactly: {deviceClassName: gpu.nvidia.com, allocationMode: All}} | true",
        "{name: r, exactly: {deviceClassName: gpu.nvidia.com, capacity: {requests: {memory: 10Gi}}}} | true",
        "{name: r, exactly: {deviceClassName: gpu.nvidia.com, selectors: [{cel: {expression: \"x.type == 'mig'\"}}]}} | true",
        "{name: r, exactly: {deviceClassName: not-there-so-far}} | true",
        "{name: r, firstAvailable: [{name: a, deviceClassName: nic}, {name: b, deviceClassName: gpu.nvidia.com}]} | true",
        "{name: r, exactly: {deviceClassName: mig.nvidia.com}}, {name: s, exactly: {deviceClassName: gpu.nvidia.com}} | true",
        "{name: r, exactly: {deviceClassName: mig.nvidia.com}} | false",
        "{name: r, exactly: {deviceClassName: nic, allocationMode: All}} | false",
        "{name: r, exactly: {deviceClassName: gpu.nvidia.com, adminAccess: true}} | false",
      })
  void pod_may_take_gpus_by_its_template(String requests, boolean gpus) {
    template(requests);

    assertThat(devices.mayTakeGpus(pod("p", "resourceClaimTemplateName: gpus", "")))
        .isEqualTo(gpus);
    assertThat(devices.mayTakeGpus("ml", List.of(), List.of("gpus"))).isEqualTo(gpus);
  }

  @Test
  void claim_that_does_not_exist_may_be_for_gpus() {
    assertThat(devices.mayTakeGpus(pod("p", "resourceClaimName: later", ""))).isTrue();
    assertThat(devices.mayTakeGpus("ml", List.of("later"), List.of())).isTrue();
  }

  @Test
  void nothing_is_held_where_claims_are_not_served() {
    devices.served(false);

    assertThat(devices.mayTakeGpus(pod("p", "resourceClaimName: later", ""))).isFalse();
    assertThat(devices.mayTakeGpus("ml", List.of("later"), List.of())).isFalse();
  }

  @Test
  void second_pod_of_a_claim_may_take_its_gpus_before_the_first() {
    claim("a", DIRECT);
    devices.pod(pod("first", "resourceClaimName: a", ""));

    assertThat(devices.mayTakeGpus(pod("second", "resourceClaimName: a", ""))).isTrue();
    assertThat(devices.mayTakeGpus("ml", List.of("a"), List.of())).isTrue();
  }

  @Test
  void second_pod_of_a_claim_takes_no_gpus_when_the_first_has_them() {
    slice("s", Yaml.file("slice-h100.yaml"));
    allocated("a", "first", "gpu-0");

    assertThat(devices.mayTakeGpus(pod("second", "resourceClaimName: a", ""))).isFalse();
    assertThat(devices.mayTakeGpus("ml", List.of("a"), List.of())).isFalse();
  }

  private static Pod requesting(String resource) {
    return Yaml.pod(
        """
        metadata: {namespace: ml, name: p, uid: p}
        spec:
          initContainers: [{name: i, resources: {limits: {%1$s: 1}}}]
          containers: [{name: c, resources: {limits: {%1$s: 2}}}]
        """
            .formatted(ClassRequests.PREFIX + resource));
  }

  @Test
  void request_by_the_name_of_a_class_counts_its_gpus() {
    Pod pod = requesting("gpu.nvidia.com");

    assertThat(claimed(pod)).isEqualTo(Resources.of("nvidia.com/gpu", 3));
    assertThat(devices.mayTakeGpus(pod)).isTrue();
  }

  @Test
  void request_counts_until_the_claim_that_is_made_for_it_has_its_gpus() {
    Pod pod =
        Yaml.pod(
            """
            metadata: {namespace: ml, name: p, uid: p}
            spec: {containers: [{name: c, resources: {limits: {%1$sgpu.nvidia.com: 2}}}]}
            status: {extendedResourceClaimStatus: {resourceClaimName: a, requestMappings: []}}
            """
                .formatted(ClassRequests.PREFIX));
    claim("a", DIRECT);

    assertThat(claimed(pod)).isEqualTo(Resources.of("nvidia.com/gpu", 2));
  }

  @Test
  void request_by_the_name_of_another_class_counts_nothing() {
    Pod pod = requesting("nic");

    assertThat(claimed(pod)).isEqualTo(Resources.NONE);
    assertThat(devices.mayTakeGpus(pod)).isFalse();
  }

  @Test
  void request_by_the_name_of_no_class_names_it() {
    assertThat(problem(requesting("gone")))
        .contains("The claim for containers", "deviceClassName is \"gone\": no such DeviceClass");
  }
}
