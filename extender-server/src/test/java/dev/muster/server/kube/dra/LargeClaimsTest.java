package dev.muster.server.kube.dra;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.gang.Resources;
import dev.muster.server.kube.DeviceScene;
import dev.muster.server.kube.Yaml;
import dev.muster.server.kube.budget.LargeObjects;
import dev.muster.server.kube.watch.TrimmedStore;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimTemplate;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A claim for which there is no memory keeps its devices, and starts no pod.
class LargeClaimsTest extends DeviceScene {
  private static final String REFUSAL = "The large objects of namespace ml take 0 MiB";
  private static final LargeObjects FULL = new LargeObjects(0, 0);

  @BeforeEach
  void slices() {
    slice("s", Yaml.file("slice-h100.yaml"));
  }

  /// Records a claim for which there is no space.
  @Override
  public Set<String> claim(String name, String yaml) {
    ResourceClaim claim = Serialization.unmarshal(yaml, ResourceClaim.class);
    claim.getMetadata().setAnnotations(Map.of("muster.dev/x", "x"));
    claim.getMetadata().setUid(name);
    TrimmedStore.ofClaims(FULL).put("ml/" + name, claim);
    return devices.claim("ml/" + name, Optional.of(claim)).orElseGet(TreeSet::new);
  }

  private void largeTemplate() {
    ResourceClaimTemplate template =
        Serialization.unmarshal(
            """
            metadata: {namespace: ml, name: gpus, annotations: {muster.dev/x: x}}
            spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: nic}}]}}}
            """,
            ResourceClaimTemplate.class);
    TrimmedStore.ofTemplates(FULL).put("ml/gpus", template);
    devices.template("ml/gpus", Optional.of(template));
  }

  @Test
  void pod_of_a_claim_without_space_is_invalid_with_its_sentence() {
    claim("a", DIRECT.formatted("a"));

    assertThat(problem(pod("p", "resourceClaimName: a", "")))
        .contains("ResourceClaim ml/a", REFUSAL);
  }

  @Test
  void pod_of_a_template_without_space_is_invalid_with_its_sentence() {
    largeTemplate();

    assertThat(problem(pod("p", "resourceClaimTemplateName: gpus", "")))
        .contains("ResourceClaimTemplate ml/gpus", REFUSAL);
  }

  /// A lone pod would start without its gate.
  @Test
  void pod_of_an_object_without_space_may_take_gpus() {
    deviceClass("nic", "{selectors: [{cel: {expression: 'device.driver == \"dra.net\"'}}]}");
    claim("a", DIRECT.formatted("a").replace("gpu.nvidia.com", "nic"));
    largeTemplate();

    assertThat(devices.mayTakeGpus(pod("p", "resourceClaimName: a", ""))).isTrue();
    assertThat(devices.mayTakeGpus(pod("q", "resourceClaimTemplateName: gpus", ""))).isTrue();
    assertThat(devices.mayTakeGpus("ml", List.of("a"), List.of())).isTrue();
    assertThat(devices.mayTakeGpus("ml", List.of(), List.of("gpus"))).isTrue();
  }

  @Test
  void claim_without_space_does_not_count_as_its_template() {
    template("{name: gpus, exactly: {deviceClassName: gpu.nvidia.com}}");
    claim("a", DIRECT.formatted("a"));

    assertThat(
            problem(
                pod(
                    "p",
                    "resourceClaimTemplateName: gpus",
                    "nodeName: gpu-07\nstatus: {resourceClaimStatuses: [{name: mine, resourceClaimName: a}]}")))
        .contains(REFUSAL);
  }

  @Test
  void devices_of_a_claim_without_space_still_count() {
    NodeGpus free = devices.of(NODE);
    allocated("a", "p", "gpu-0", "gpu-1");

    assertThat(claimed(pod("p", "resourceClaimName: a", "nodeName: gpu-07")))
        .isEqualTo(Resources.of(GPU, 2));
    assertThat(devices.of(NODE).free().orElseThrow()).hasSize(free.free().orElseThrow().size() - 2);
  }

  @Test
  void second_pod_of_a_claim_without_space_takes_none_of_its_devices() {
    allocated("a", "p", "gpu-0");

    assertThat(problem(pod("q", "resourceClaimName: a", ""))).contains("in use by p");
  }
}
