package dev.muster.server.kube.dra;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.gang.Resources;
import dev.muster.core.kit.FuzzSeeds;
import dev.muster.server.kube.DamagedFields;
import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.kube.client.ObjectTrimmer;
import dev.muster.server.kube.client.ReadResult;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClass;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimTemplate;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Whatever field of a device object is missing, null or of another type, pods and nodes are read.
class DamagedDevicesTest {
  private static final String SLICE =
      """
      {"metadata":{"name":"s","uid":"s"},
       "spec":{"driver":"gpu.nvidia.com","nodeName":"n1","pool":{"name":"n1","generation":1,"resourceSliceCount":1},
         "devices":[{"name":"gpu-0","attributes":{"type":{"string":"gpu"},"index":{"int":0},"productName":{"string":"H100"}},
           "capacity":{"memory":{"value":"80Gi"}},"taints":[{"key":"a","effect":"NoSchedule"}],
           "consumesCounters":[{"counterSet":"c"}]},{"name":"gpu-1"}]}}
      """;

  private static final String SPEC =
      """
      {"devices":{"requests":[
        {"name":"r","exactly":{"deviceClassName":"gpu.nvidia.com","allocationMode":"ExactCount","count":1,
          "selectors":[{"cel":{"expression":"device.driver == 'gpu.nvidia.com'"}}]}},
        {"name":"s","firstAvailable":[{"name":"a","deviceClassName":"gpu.nvidia.com","count":2}]}]}}
      """;

  private static final String CLAIM =
      """
      {"metadata":{"name":"c","namespace":"ml","uid":"c"},"spec":%s,
       "status":{"reservedFor":[{"resource":"pods","name":"p","uid":"u"}],
         "allocation":{"devices":{"results":[
           {"request":"r","driver":"gpu.nvidia.com","pool":"n1","device":"gpu-0","adminAccess":false}]}}}}
      """
          .formatted(SPEC);

  private static final String TEMPLATE =
      """
      {"metadata":{"name":"t","namespace":"ml","uid":"t"},"spec":{"spec":%s}}
      """
          .formatted(SPEC);

  private static final String CLASS =
      """
      {"metadata":{"name":"gpu.nvidia.com","uid":"d"},
       "spec":{"extendedResourceName":"nvidia.com/gpu","selectors":[{"cel":{"expression":"device.driver == 'gpu.nvidia.com'"}}]}}
      """;

  private static final String POD =
      """
      {"metadata":{"name":"p","namespace":"ml","uid":"u"},
       "spec":{"resourceClaims":[{"name":"x","resourceClaimName":"c"},{"name":"y","resourceClaimTemplateName":"t"}],
         "containers":[{"name":"a","resources":{"claims":[{"name":"x"}]}}]},
       "status":{"phase":"Pending","resourceClaimStatuses":[{"name":"y","resourceClaimName":"c2"}],
         "extendedResourceClaimStatus":{"resourceClaimName":"c","requestMappings":[
           {"containerName":"a","requestName":"r","resourceName":"nvidia.com/gpu"}]}}}
      """;

  private static <T extends HasMetadata> Optional<T> parsed(byte[] text, Class<T> type) {
    try {
      return Optional.ofNullable(
          ObjectTrimmer.serialization().unmarshal(new String(text, StandardCharsets.UTF_8), type));
    } catch (RuntimeException _) {
      return Optional.empty(); // the client refuses it
    }
  }

  private static <T extends HasMetadata> Optional<T> parsed(String text, Class<T> type) {
    return parsed(text.getBytes(StandardCharsets.UTF_8), type);
  }

  private static DeviceInventory inventory() {
    DeviceInventory devices = new DeviceInventory(List.of("nvidia.com/gpu"), () -> 0);
    devices.deviceClass("gpu.nvidia.com", parsed(CLASS, DeviceClass.class));
    devices.template("ml/t", parsed(TEMPLATE, ResourceClaimTemplate.class));
    devices.claim("ml/c", parsed(CLAIM, ResourceClaim.class));
    devices.slice("s", parsed(SLICE, ResourceSlice.class));
    return devices;
  }

  private static void check(String damage, DeviceInventory devices, Optional<Pod> pod) {
    devices.selectAgain();
    devices.of("n1");
    devices.mayTakeGpus("ml", List.of("c"), List.of("t"));
    pod.filter(found -> found.getSpec() != null)
        .ifPresent(found -> {
          if (devices.pod(found) instanceof ReadResult.Bad<Resources>(ObjectProblem problem)) {
            assertThat(problem.message())
                .as(damage)
                .isNotEqualTo(ObjectProblem.UNFORESEEN)
                .doesNotContain("java.", "Exception", "(null)", "\"null\"");
          }
        });
  }

  @Test
  void inputs_of_the_fuzz_target_are_read() throws IOException {
    FuzzSeeds.tryAll(ClaimFuzz.class, ClaimFuzz::fuzzerTestOneInput);
  }

  @Test
  void pod_with_any_damaged_field_is_counted_or_refused() throws IOException {
    DamagedFields.tryAll(
        POD, (damage, text) -> check(damage, inventory(), parsed(text, Pod.class)));
  }

  @Test
  void pods_are_counted_or_refused_beside_any_damaged_claim() throws IOException {
    DamagedFields.tryAll(
        CLAIM,
        (damage, text) -> {
          DeviceInventory devices = inventory();
          devices.claim("ml/c", parsed(text, ResourceClaim.class));
          check(damage, devices, parsed(POD, Pod.class));
        });
  }

  @Test
  void pods_are_counted_or_refused_beside_any_damaged_template() throws IOException {
    DamagedFields.tryAll(
        TEMPLATE,
        (damage, text) -> {
          DeviceInventory devices = inventory();
          devices.template("ml/t", parsed(text, ResourceClaimTemplate.class));
          devices.deviceClass("gpu.nvidia.com", Optional.empty());
          check(damage, devices, parsed(POD, Pod.class));
        });
  }

  @Test
  void pods_are_counted_or_refused_beside_any_damaged_class() throws IOException {
    DamagedFields.tryAll(
        CLASS,
        (damage, text) -> {
          DeviceInventory devices = inventory();
          devices.deviceClass("gpu.nvidia.com", parsed(text, DeviceClass.class));
          check(damage, devices, parsed(POD, Pod.class));
        });
  }

  @Test
  void nodes_are_counted_beside_any_damaged_slice() throws IOException {
    DamagedFields.tryAll(
        SLICE,
        (damage, text) -> {
          // Devices with quantities that are none are not even comparable; no API server has them.
          if (!damage.startsWith("/spec/devices/0/capacity/memory/value is")) {
            DeviceInventory devices = inventory();
            devices.slice("s", parsed(text, ResourceSlice.class));
            check(damage, devices, parsed(POD, Pod.class));
          }
        });
  }
}
