package dev.muster.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// A gang whose start is interrupted by a crash starts completely.
class CrashE2E {
  @RegisterExtension static final TestStage STAGE = TestStage.asShipped();

  private final TestGangs gangs = STAGE.gangs();

  @Test
  void half_ungated_gang_completes_after_muster_is_killed() {
    createNodes("kill", 4);
    beginStartOfHalf("halved");

    STAGE.killMuster();

    assertThat(ungated("halved")).isBetween(1L, 3L);
    new HeldCapacity(STAGE.admin()).release();
    STAGE.startMuster();
    gangs.awaitRunning("halved", 4);
    assertThat(gangs.nodes("halved")).hasSize(4);
  }

  @Test
  void nodes_promised_before_the_kill_go_to_no_other_gang() {
    createNodes("keep", 4);
    beginStartOfHalf("promised");
    STAGE.killMuster();

    gangs.create("rival", 4, 8);
    STAGE.startMuster();
    gangs.awaitReason("rival", "WaitingForCapacity");
    new HeldCapacity(STAGE.admin()).release();

    gangs.awaitRunning("promised", 4);
    assertThat(gangs.bound("rival")).isZero();
  }

  @Test
  void nodes_promised_to_pods_without_nomination_survive_the_kill() {
    createNodes("bare", 2);
    gangs.declare("an-older", 2);
    gangs.createMember("an-older", 0, 8);
    STAGE.plane().kill(ControlPlaneComponent.SCHEDULER);
    gangs.create("bare", 2, 8);
    await("all ungated").atMost(TestCluster.WAIT).until(() -> ungated("bare") == 2);
    STAGE.killMuster();
    assertThat(gangs.members("bare"))
        .allMatch(pod -> pod.getStatus().getNominatedNodeName() == null);

    gangs.createMember("an-older", 1, 8); // Now it is whole, and its turn would come first.
    STAGE.startMuster();
    gangs.awaitReason("an-older", "WaitingForCapacity");
    STAGE.plane().start(ControlPlaneComponent.SCHEDULER);

    gangs.awaitRunning("bare", 2);
    assertThat(gangs.bound("an-older")).isZero();
  }

  @Test
  void half_ungated_gang_completes_after_an_api_server_outage() {
    createNodes("away", 4);
    beginStartOfHalf("cut");

    STAGE.plane().stopApiServer();
    await("20 seconds without API server")
        .pollDelay(Duration.ofSeconds(20))
        .atMost(Duration.ofSeconds(30))
        .until(() -> true);
    STAGE.plane().startApiServer();
    new HeldCapacity(STAGE.admin()).release();

    createNodes("after", 1);
    gangs.create("later", 1, 8);

    await("the gang ends whole, and the scheduler sees what came after")
        .atMost(Duration.ofMinutes(2)) // kube-scheduler's next list of nodes can take a minute
        .until(() -> gangs.inPhase("cut", "Running") + gangs.inPhase("later", "Running") == 5);
  }

  @Test
  void gang_created_while_muster_is_down_starts_after_its_restart() {
    createNodes("down", 2);
    STAGE.killMuster();
    gangs.create(
        "patient", 2, 8); // The webhook cannot be asked, so these pods come without a gate.

    STAGE.startMuster();

    gangs.awaitRunning("patient", 2);
  }

  /// A gang of four whose members 2 and 3 cannot be ungated yet; returns when another one was.
  private void beginStartOfHalf(String gang) {
    new HeldCapacity(STAGE.admin()).begin();
    gangs.declare(gang, 4);
    gangs.createMember(gang, 0, 8);
    gangs.createMember(gang, 1, 8);
    STAGE.cluster().create(HeldCapacity.held(TestGangs.member(gang, 2, 8)));
    STAGE.cluster().create(HeldCapacity.held(TestGangs.member(gang, 3, 8)));
    await("some members ungated")
        .atMost(TestCluster.WAIT)
        .pollInterval(Duration.ofMillis(10))
        .until(() -> ungated(gang) > 0);
  }

  private long ungated(String gang) {
    return gangs.members(gang).stream()
        .filter(p -> p.getSpec().getSchedulingGates().isEmpty())
        .count();
  }

  private static void createNodes(String prefix, int count) {
    STAGE
        .cluster()
        .createNodes(
            IntStream.range(0, count)
                .mapToObj(i -> NodeShape.withGpus(prefix + i, 8))
                .toArray(NodeShape[]::new));
  }
}
