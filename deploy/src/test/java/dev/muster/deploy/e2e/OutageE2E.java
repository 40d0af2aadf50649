package dev.muster.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Muster loses its connection to the API server, which continues to run.
class OutageE2E {
  @RegisterExtension
  static final TestStage STAGE =
      TestStage.asShipped().with("gangs: {bindTimeout: 10s}").withRelay();

  private final TestGangs gangs = STAGE.gangs();

  @Test
  void gang_that_starts_during_a_network_outage_completes() {
    createNodes("cut", 4);
    STAGE.plane().kill(ControlPlaneComponent.SCHEDULER);
    gangs.create("unseen", 4, 8);
    await("all ungated")
        .atMost(TestCluster.WAIT)
        .until(() -> gangs.members("unseen").stream().allMatch(OutageE2E::isUngated));
    STAGE.relay().cut();
    STAGE.plane().start(ControlPlaneComponent.SCHEDULER);
    gangs.awaitRunning("unseen", 4);
    Set<String> before = uids("unseen");
    pass(Duration.ofSeconds(20));

    STAGE.relay().mend();
    Instant mended = Instant.now();
    gangs.create("next", 1, 8);
    gangs.awaitReason("next", "WaitingForCapacity");
    assertThat(Duration.between(mended, Instant.now())).isLessThan(Duration.ofSeconds(15));
    pass(Duration.ofSeconds(15));

    assertThat(uids("unseen")).isEqualTo(before);
    assertThat(gangs.bound("unseen")).isEqualTo(4);
  }

  @Test
  void silently_dead_connections_are_detected() {
    createNodes("silent", 2);
    gangs.create("before", 1, 8);
    gangs.awaitRunning("before", 1);

    STAGE.relay().silence();
    gangs.create("after", 1, 8);

    await("what was created after the connections died runs")
        .atMost(Duration.ofMinutes(4))
        .until(() -> gangs.inPhase("after", "Running") == 1);
    assertThat(gangs.inPhase("before", "Running")).isEqualTo(1);
  }

  private static boolean isUngated(Pod pod) {
    return pod.getSpec().getSchedulingGates().isEmpty();
  }

  private Set<String> uids(String gang) {
    return gangs.members(gang).stream()
        .map(pod -> pod.getMetadata().getUid())
        .collect(Collectors.toSet());
  }

  private static void createNodes(String prefix, int count) {
    for (int i = 0; i < count; i++) {
      STAGE.cluster().createNodes(NodeShape.withGpus(prefix + "-" + i, 8));
    }
  }

  private static void pass(Duration time) {
    await("time passes").pollDelay(time).atMost(time.plusSeconds(10)).until(() -> true);
  }
}
