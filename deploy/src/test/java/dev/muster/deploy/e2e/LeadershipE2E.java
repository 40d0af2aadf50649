package dev.muster.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.deploy.ShippedFiles;
import io.fabric8.kubernetes.api.model.Service;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Exactly one of two instances of Muster acts, whatever happens to the other.
class LeadershipE2E {
  @RegisterExtension static final TestStage STAGE = TestStage.asShipped();

  /// Duration of a Lease, plus some seconds to notice and to start a gang.
  private static final Duration TAKEOVER = Duration.ofSeconds(30);

  /// The leader repeats a failed label at once, and checks all labels twice a minute.
  private static final Duration RECHECK = Duration.ofSeconds(60);

  /// Half of what Muster gives itself to close what does not close.
  private static final Duration STOP = Duration.ofSeconds(10);

  private static final int DEPOSED = 75;
  private static final String FIRST = "muster-0";
  private static final String NAMESPACE = "muster-system";

  private static final AtomicInteger REPLICAS = new AtomicInteger();

  private final TestGangs gangs = STAGE.gangs();
  private Replica second;
  private String name;

  @BeforeEach
  void startSecond() throws IOException {
    name = "replica-" + REPLICAS.incrementAndGet();
    second = STAGE.startReplica(name);
    await("the second stands by")
        .atMost(TAKEOVER)
        .until(() -> second.process().tail().contains("Standby: muster-0 is the leader"));
  }

  @AfterEach
  void theFirstLeadsAgain() throws IOException {
    second.close();
    if (!STAGE.process().isAlive()) {
      STAGE.process().start();
    }
    await("the first leads").atMost(TAKEOVER).until(STAGE::isReady);
  }

  @Test
  void standby_gets_no_requests() {
    assertThat(STAGE.isReady()).isTrue();
    assertThat(second.isReady()).isFalse();
    STAGE.cluster().createNodes(NodeShape.withGpus("calm-0", 8), NodeShape.withGpus("calm-1", 8));

    gangs.create("calm", 2, 8);

    gangs.awaitRunning("calm", 2);
    assertThat(second.isReady()).isFalse();
  }

  @Test
  void standby_takes_over_when_the_leader_is_killed() throws IOException {
    STAGE.cluster().createNodes(NodeShape.withGpus("kill-0", 8), NodeShape.withGpus("kill-1", 8));
    STAGE.killMuster();
    gangs.create("orphans", 2, 8);

    await("the second leads").atMost(TAKEOVER).until(second::isReady);

    // The Service leads to whichever is ready.
    try (var _ = Relay.between(STAGE.secure().getPort(), second.files().https())) {
      gangs.awaitRunning("orphans", 2);
    }
  }

  @Test
  void label_for_the_service_moves_to_the_new_leader() {
    MusterPod.create(STAGE.admin(), FIRST);
    MusterPod.create(STAGE.admin(), name);
    await("the first has the label").atMost(RECHECK).until(() -> labelled().equals(Set.of(FIRST)));
    await("the second is available").atMost(TAKEOVER).until(second::isAvailable);

    STAGE.process().signal("TERM");

    await("the second has the label").atMost(STOP).until(() -> labelled().equals(Set.of(name)));
  }

  /// Returns the pods that the Service of Muster selects.
  private static Set<String> labelled() {
    Service service =
        ShippedFiles.only(ShippedFiles.built("manifests/server"), Service.class, "muster");
    return STAGE
        .plane()
        .admin()
        .pods()
        .inNamespace(NAMESPACE)
        .withLabels(service.getSpec().getSelector())
        .list()
        .getItems()
        .stream()
        .map(pod -> pod.getMetadata().getName())
        .collect(Collectors.toSet());
  }

  @Test
  void standby_takes_over_at_once_when_the_leader_shuts_down() {
    STAGE.process().signal("TERM");

    await("the second leads").atMost(STOP).until(second::isReady);
    await("the first ends").atMost(STOP).until(() -> !STAGE.process().isAlive());
  }

  @Test
  void frozen_leader_finds_itself_deposed_and_exits() {
    STAGE.cluster().createNodes(NodeShape.withGpus("cold-0", 8), NodeShape.withGpus("cold-1", 8));
    STAGE.process().signal("STOP");
    try {
      await("the second leads").atMost(TAKEOVER).until(second::isReady);
      gangs.create("warm", 2, 8);
      await("the second decides")
          .atMost(TAKEOVER)
          .until(() -> !gangs.promised("warm", 0).isEmpty());
    } finally {
      STAGE.process().signal("CONT");
    }

    await("the first ends").atMost(TAKEOVER).until(() -> !STAGE.process().isAlive());
    assertThat(STAGE.process().exitStatus()).hasValue(DEPOSED);
    STAGE.process().start();
    await("and stands by when it is started anew")
        .atMost(TAKEOVER)
        .until(() -> STAGE.process().tail().contains("Standby: replica-"));
    assertThat(second.isReady()).isTrue();
  }
}
