package dev.muster.server.kube.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.server.kube.DeviceScene;
import dev.muster.server.kube.MockApi;
import dev.muster.server.kube.client.ReadResult;
import dev.muster.server.kube.dra.DeviceInventory;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DeviceWatchTest {
  @AutoClose private final MockApi api = new MockApi();
  private final AtomicBoolean served = new AtomicBoolean(true);

  /// Until it is served, too.
  @Test
  void pod_with_claims_is_notified_when_the_api_is_not_served() {
    served.set(false);
    DeviceInventory devices = new DeviceInventory(List.of("nvidia.com/gpu"));
    Pod pod = DeviceScene.pod("p", "resourceClaimTemplateName: gpus", "");
    List<String> told = new ArrayList<>();
    Nobody readers =
        new Nobody() {
          @Override
          public void pods(Predicate<Pod> which) {
            if (which.test(pod)) {
              told.add(((ReadResult.Bad<?>) devices.pod(pod)).problem().message());
            }
          }
        };
    try (DeviceWatch watch =
        new DeviceWatch(
            new DeviceWatch.Ends(
                api.client(),
                new WatchHealth(InstantSource.system()),
                _ -> served.get(),
                devices,
                readers))) {
      watch.check();
      watch.check();
      served.set(true);
      watch.check();
    }

    assertThat(told)
        .containsExactly(
            "The entry \"mine\" of spec.resourceClaims names the ResourceClaimTemplate ml/gpus, which Muster cannot read: the cluster does not serve resource.k8s.io/v1. Request the GPUs in the containers' limits, or use Kubernetes 1.34 or newer.",
            "The entry \"mine\" of spec.resourceClaims names the ResourceClaimTemplate ml/gpus, which does not exist.");
  }

  private static class Nobody implements DeviceWatch.Readers {
    @Override
    public void node(String name) {}

    @Override
    public void pod(String key) {}

    @Override
    public void pods(Predicate<Pod> which) {}

    @Override
    public void users(String claimOrTemplate) {}
  }

  @Test
  void end_of_the_api_is_no_outage() {
    DeviceInventory devices = new DeviceInventory(List.of("nvidia.com/gpu"));
    try (DeviceWatch watch =
        new DeviceWatch(
            new DeviceWatch.Ends(
                api.client(),
                new WatchHealth(InstantSource.system()),
                _ -> served.get(),
                devices,
                new Nobody()))) {
      await()
          .until(() -> {
            watch.check();
            return watch.isSynced();
          });
      await()
          .until(() -> {
            boolean before = watch.isLost(); // asked often
            api.shutdown();
            return before || watch.isLost();
          });

      served.set(false);
      watch.check();

      assertThat(watch.isLost()).isFalse();
    }
  }
}
