package dev.muster.deploy.e2e;

import static dev.muster.deploy.e2e.TestCluster.gpuPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// The GPU-hours that Muster shows equal those that the events of pods give, also when Muster was
/// killed in between.
class UsageE2E {
  private static final Path STORE = store();

  @RegisterExtension
  static final TestStage STAGE =
      TestStage.asShipped().with("usage: {store: \"%s\"}".formatted(STORE));

  private final Map<String, Instant> bound = new ConcurrentHashMap<>();
  private final Map<String, Duration> held = new ConcurrentHashMap<>();

  private static Path store() {
    try {
      return Files.createTempDirectory("muster-usage-").resolve("usage.mv");
    } catch (IOException failed) {
      throw new IllegalStateException(failed);
    }
  }

  /// Reads the events of pods, as any other program could.
  private final class Reading implements Watcher<Pod> {
    @Override
    public void eventReceived(Action action, Pod pod) {
      String name = pod.getMetadata().getName();
      if (pod.getSpec().getNodeName() != null) {
        bound.putIfAbsent(name, Instant.now());
      }
      boolean ended =
          action == Action.DELETED
              || "Succeeded".equals(pod.getStatus().getPhase())
              || "Failed".equals(pod.getStatus().getPhase());
      Instant since = bound.get(name);
      if (ended && since != null) {
        held.putIfAbsent(name, Duration.between(since, Instant.now()));
      }
    }

    @Override
    public void onClose(WatcherException cause) {}
  }

  @Test
  void gpu_hours_are_those_of_the_pods_events() throws Exception {
    try (var _ = STAGE.admin().pods().inNamespace("default").watch(new Reading())) {
      STAGE.cluster().createNodes(NodeShape.withGpus("a", 8), NodeShape.withGpus("b", 8));
      STAGE.cluster().create(gpuPod("long", 8));
      STAGE.cluster().create(gpuPod("short", 4));
      STAGE.cluster().awaitRunning("long", "short");
      Thread.sleep(4_000);
      STAGE.cluster().delete("short");
      STAGE.cluster().awaitGone("short");

      awaitCounted();
      STAGE.killMuster();
      Thread.sleep(3_000);
      STAGE.startMuster();
      STAGE.cluster().create(gpuPod("late", 2));
      STAGE.cluster().awaitRunning("late");
      Thread.sleep(2_000);
      STAGE.cluster().delete("long");
      STAGE.cluster().delete("late");
      STAGE.cluster().awaitGone("long", "late");
    }
    awaitCounted();

    double expected = seconds("long", 8) + seconds("short", 4) + seconds("late", 2);
    assertThat(held).hasSize(3);
    // Each of the three pods may begin and end a second apart from what this program saw.
    assertThat(shown()).isCloseTo(expected, within(2.0 * (8 + 4 + 2)));
  }

  private double seconds(String pod, int gpus) {
    return held.getOrDefault(pod, Duration.ZERO).toMillis() / 1000.0 * gpus;
  }

  /// Waits until everything up to now is in the store.
  private static void awaitCounted() {
    Instant now = Instant.now();
    await("usage is written")
        .atMost(TestCluster.WAIT)
        .until(() ->
            Instant.parse(page().path("countedUntil").asText("1970-01-01T00:00:00Z")).isAfter(now));
  }

  private static double shown() {
    return page().at("/total/milliGpuHours").asLong() * 3.6;
  }

  private static JsonNode page() {
    try {
      return new ObjectMapper().readTree(STAGE.page("/api/v1/usage"));
    } catch (IOException malformed) {
      throw new IllegalStateException(malformed);
    }
  }
}
