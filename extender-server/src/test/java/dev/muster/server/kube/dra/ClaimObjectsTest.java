package dev.muster.server.kube.dra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.server.kube.DeviceScene;
import dev.muster.server.kube.dra.ClaimDemand.Wanted;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClass;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimTemplate;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// The demand of a claim is computed once, until its spec or a device class changes.
class ClaimObjectsTest {
  private final ClaimObjects objects =
      new ClaimObjects(new GpuDeviceClasses(List.of(DeviceScene.GPU)));

  private void template(String label, String deviceClass, int count) {
    String yaml =
        """
        metadata: {namespace: ml, name: c, labels: {a: %s}}
        spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: %s, count: %d}}]}}}
        """
            .formatted(label, deviceClass, count);
    objects.template(
        "ml/c", Optional.of(Serialization.unmarshal(yaml, ResourceClaimTemplate.class)));
  }

  private void claim(String label, int count) {
    String yaml =
        """
        metadata: {namespace: ml, name: c, labels: {a: %s}}
        spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu.nvidia.com, count: %d}}]}}
        """
            .formatted(label, count);
    objects.put("ml/c", Optional.of(Serialization.unmarshal(yaml, ResourceClaim.class)));
  }

  private List<Wanted> ofTemplate() {
    return objects.ofTemplate("template", "ml/c").orElseThrow();
  }

  private List<Wanted> ofClaim() {
    return objects.ofClaim("claim", "ml/c").orElseThrow();
  }

  private void deviceClass(String spec) {
    String yaml = "metadata: {name: own}\nspec: " + spec;
    objects.deviceClass("own", Optional.of(Serialization.unmarshal(yaml, DeviceClass.class)));
  }

  @Test
  void demand_of_a_template_is_computed_once() {
    template("x", "gpu.nvidia.com", 1);
    List<Wanted> first = ofTemplate();
    template("y", "gpu.nvidia.com", 1);

    assertThat(ofTemplate()).isSameAs(first);
  }

  @Test
  void demand_of_a_claim_is_computed_once() {
    claim("x", 1);
    List<Wanted> first = ofClaim();
    claim("y", 1);

    assertThat(ofClaim()).isSameAs(first);
  }

  @Test
  void demand_follows_the_spec() {
    template("x", "gpu.nvidia.com", 1);
    claim("x", 1);
    ofTemplate();
    ofClaim();
    template("x", "gpu.nvidia.com", 2);
    claim("x", 3);

    assertThat(ofTemplate()).extracting(Wanted::count).containsExactly(2L);
    assertThat(ofClaim()).extracting(Wanted::count).containsExactly(3L);
  }

  @Test
  void demand_follows_the_device_class() {
    template("x", "own", 1);
    assertThatThrownBy(this::ofTemplate).hasMessageContaining("no such DeviceClass");
    deviceClass("{extendedResourceName: nvidia.com/gpu}");

    assertThat(ofTemplate()).hasSize(1);
  }

  @Test
  void error_is_that_of_the_object_that_the_pod_names() {
    template("x", "none", 1);
    assertThatThrownBy(this::ofTemplate).hasMessageStartingWith("template: ");

    assertThatThrownBy(() -> objects.ofTemplate("other", "ml/c")).hasMessageStartingWith("other: ");
  }

  @Test
  void deleted_template_has_no_demand() {
    template("x", "gpu.nvidia.com", 1);
    ofTemplate();
    objects.template("ml/c", Optional.empty());

    assertThat(objects.ofTemplate("template", "ml/c")).isEmpty();
  }
}
