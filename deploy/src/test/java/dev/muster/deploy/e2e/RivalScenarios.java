package dev.muster.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Gangs that compete for GPUs never block one another by holding parts.
abstract class RivalScenarios {
  private static final int GANGS = 60;

  abstract TestStage stage();

  @Test
  void two_gangs_that_need_the_whole_cluster_run_one_after_the_other() {
    createNodes("duel", 4);
    stage().gangs().declare("red", 4);
    stage().gangs().declare("blue", 4);
    for (int i = 0; i < 4; i++) {
      stage().gangs().createMember("red", i, 8);
      stage().gangs().createMember("blue", i, 8);
    }

    await("one gang runs")
        .atMost(TestCluster.WAIT)
        .until(() -> running("red") == 4 || running("blue") == 4);

    String first = running("red") == 4 ? "red" : "blue";
    String second = first.equals("red") ? "blue" : "red";
    stage().gangs().awaitReason(second, "WaitingForCapacity");
    assertThat(stage().gangs().bound(second)).isZero();
    stage().gangs().deleteMembers(first);
    stage().gangs().awaitRunning(second, 4);
    assertThat(stage().gangs().nodes(second)).hasSize(4);
  }

  @Test
  void sixty_gangs_of_one_to_eight_gpus_all_finish_on_sixteen_gpus() {
    createNodes("crowd", 2);
    IntStream.range(0, GANGS).forEach(i -> stage().gangs().declare("crowd" + i, 1 + i % 8));
    for (int member = 0; member < 8; member++) {
      for (int gang = 0; gang < GANGS; gang++) {
        if (member < 1 + gang % 8) {
          createShortLived("crowd" + gang, member);
        }
      }
    }

    await("all gangs finish")
        .atMost(Duration.ofMinutes(3))
        .pollInterval(Duration.ofMillis(250))
        .until(this::succeeded, count -> count == expected());
    assertThat(stage().admin().pods().inNamespace("default").list().getItems())
        .allSatisfy(pod -> assertThat(pod.getSpec().getNodeName()).startsWith("crowd"));
  }

  private void createNodes(String prefix, int count) {
    stage()
        .cluster()
        .createNodes(
            IntStream.range(0, count)
                .mapToObj(i -> NodeShape.withGpus(prefix + i, 8))
                .toArray(NodeShape[]::new));
  }

  private void createShortLived(String gang, int index) {
    var annotations = new TreeMap<>(Map.of(TestCluster.RUN_FOR, "200ms"));
    stage()
        .cluster()
        .create(
            TestGangs.member(gang, index, 1)
                .editMetadata()
                .addToAnnotations(annotations)
                .endMetadata());
  }

  private static long expected() {
    return IntStream.range(0, GANGS).mapToLong(i -> 1 + i % 8).sum();
  }

  private long succeeded() {
    return stage().admin().pods().inNamespace("default").list().getItems().stream()
        .map(Pod::getStatus)
        .filter(status -> "Succeeded".equals(status.getPhase()))
        .count();
  }

  private long running(String gang) {
    return stage().gangs().inPhase(gang, "Running");
  }
}
