package dev.muster.server.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Pod;
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

  private static final class Nobody implements DeviceWatch.Readers {
    @Override
    public void node(String name) {}

    @Override
    public void pod(String key) {}

    @Override
    public void pods(Predicate<Pod> which) {}
  }

  @Test
  void thatTheirApiIsNotServedAnyMoreIsNoOutage() {
    Devices devices = new Devices(List.of("nvidia.com/gpu"));
    try (DeviceWatch watch =
        new DeviceWatch(
            new DeviceWatch.Ends(api.client(), _ -> served.get(), devices, new Nobody()))) {
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
