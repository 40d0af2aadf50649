package dev.muster.server.kube.dra;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.server.kube.DeviceScene;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClass;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimSpec;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Claims are read when they or a device class change, and only then.
class ClaimSelectionsTest {
  private static final int CLAIMS = 30;

  /// CPU time that reading a claim takes here.
  private static final long COST = SelectionTime.LIMIT_NANOS / 10;

  private final AtomicLong cpu = new AtomicLong();
  private final Set<String> read = new HashSet<>();
  private final DeviceInventory devices = new DeviceInventory(List.of(DeviceScene.GPU), cpu::get);

  private void deviceClass(String expression) {
    devices.deviceClass(
        "gpu.nvidia.com",
        Optional.of(
            Serialization.unmarshal(
                "metadata: {name: gpu.nvidia.com}\nspec: {selectors: [{cel: {expression: \"%s\"}}]}"
                    .formatted(expression),
                DeviceClass.class)));
  }

  /// Claims with a selection each were seen, more than are counted.
  private void claims() {
    deviceClass("true");
    for (int i = 0; i < CLAIMS; i++) {
      String name = "c%02d".formatted(i);
      ResourceClaimSpec spec = spec(i);
      ResourceClaim claim =
          new ResourceClaimBuilder()
              .withNewMetadata()
              .withNamespace("ml")
              .withName(name)
              .withUid(name)
              .endMetadata()
              .build();
      claim.setSpec(
          new ResourceClaimSpec(spec.getDevices()) {
            @Override
            public DeviceClaim getDevices() {
              if (read.add(name)) {
                cpu.addAndGet(COST);
              }
              return super.getDevices();
            }
          });
      devices.claim("ml/" + name, Optional.of(claim));
    }
    read.clear();
  }

  private static ResourceClaimSpec spec(int... selections) {
    String requests =
        IntStream.of(selections)
            .mapToObj(i ->
                "{name: r%d, exactly: {deviceClassName: gpu.nvidia.com, selectors: [{cel: {expression: \"device.driver != 'd%d'\"}}]}}"
                    .formatted(i, i))
            .collect(Collectors.joining(", "));
    return Serialization.unmarshal(
        "devices: {requests: [%s]}".formatted(requests), ResourceClaimSpec.class);
  }

  /// Otherwise, the claims of a tenant would stop the reading of all pods each minute.
  @Test
  void claims_are_not_read_again_to_find_unused_selections() {
    claims();
    for (int i = 0; i < 2 * DeviceInventory.RENEWAL; i++) {
      devices.selectAgain();
    }

    assertThat(read).isEmpty();
  }

  @Test
  void changed_class_does_not_read_all_claims_at_once() {
    claims();
    deviceClass("device.driver != ''");
    assertThat(read).hasSizeBetween(1, CLAIMS / 2);

    for (int i = 0; i < CLAIMS; i++) {
      devices.selectAgain();
    }
    assertThat(read).as("in the seconds after").hasSize(CLAIMS);
  }

  /// Returns the namespaces that use a selection, found by a look at all claims.
  private static Set<String> users(
      Map<String, ResourceClaimSpec> specs, ClaimObjects objects, String name) {
    return specs.entrySet().stream()
        .filter(claim ->
            objects.selections(claim.getValue()).stream()
                .anyMatch(selection -> selection.name().equals(name)))
        .map(claim -> ClaimSelections.namespace(claim.getKey()))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void users_are_those_of_all_claims_after_any_changes() {
    Random random = new Random(7);
    ClaimObjects objects = new ClaimObjects(new GpuDeviceClasses(List.of(DeviceScene.GPU)));
    ClaimSelections noted = new ClaimSelections(objects::selections);
    Map<String, ResourceClaimSpec> specs = new TreeMap<>();
    for (int step = 0; step < 300; step++) {
      String key = "ns%d/c%d".formatted(random.nextInt(3), random.nextInt(3));
      if (random.nextInt(3) == 0) {
        specs.remove(key);
      } else {
        specs.put(key, spec(random.nextInt(4), random.nextInt(4)));
      }
      noted.put(key, Optional.ofNullable(specs.get(key)));
      noted.of(key);
      if (random.nextInt(5) == 0) {
        noted.classesChanged();
        while (!noted.isVisited()) {
          noted.next().ifPresent(noted::of);
        }
      }
      for (int i = 0; i < 4; i++) {
        String name = objects.selections(spec(i)).getFirst().name();
        assertThat(noted.users(name)).isEqualTo(users(specs, objects, name));
      }
    }
  }
}
