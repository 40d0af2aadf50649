package dev.muster.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// A gang that kube-scheduler started in part before Muster was installed.
///
/// Muster is down meanwhile, and the test binds the pods as kube-scheduler does: that of the stage
/// starts no GPU pod without Muster.
class StartedByOthersE2E {
  private static final Duration REPAIR = Duration.ofSeconds(8);

  @RegisterExtension
  static final TestStage STAGE = TestStage.asShipped().with("gangs: {repairTimeout: 8s}");

  private final TestCluster cluster = STAGE.cluster();
  private final TestGangs gangs = STAGE.gangs();

  @Test
  void running_pods_of_a_half_started_gang_run_on_and_the_others_join_when_all_fit() {
    startsInPart("half", 4, 2);
    gangs.createMember("half", 2, 8);
    gangs.createMember("half", 3, 8);
    List<String> before = running("half");

    STAGE.startMuster();

    await("the Event that tells why")
        .atMost(TestCluster.WAIT)
        .until(() -> events("half-2").contains("Needs 16 nvidia.com/gpu"));
    await("time for repair")
        .pollDelay(REPAIR.multipliedBy(2))
        .atMost(REPAIR.multipliedBy(3))
        .until(() -> true);
    assertThat(running("half")).isEqualTo(before).hasSize(2);
    assertThat(gangs.annotation("half", "muster.dev/ran-with")).isEqualTo("2");
    createNodes("half-c", "half-d");
    gangs.awaitRunning("half", 4);
    assertThat(running("half")).containsAll(before);
  }

  @Test
  void pods_that_are_created_after_the_installation_join() {
    startsInPart("late", 3, 1);
    List<String> before = running("late");
    STAGE.startMuster();
    createNodes("late-b", "late-c");

    gangs.createMember("late", 1, 8);
    gangs.createMember("late", 2, 8);

    gangs.awaitRunning("late", 3);
    assertThat(running("late")).containsAll(before);
  }

  @Test
  void record_that_a_user_wrote_starts_no_gang_in_part() {
    createNodes("forged-a");
    gangs.declare("forged", 2, Map.of("muster.dev/ran-with", "1"));
    gangs.createMember("forged", 0, 8);
    gangs.createMember("forged", 1, 8);

    gangs.awaitReason("forged", "ImpossibleRequest", "Needs 16 GPUs");
    createNodes("forged-b");

    gangs.awaitRunning("forged", 2);
  }

  /// Creates so many nodes and pods of a gang while Muster is not there, and binds the pods.
  private void startsInPart(String gang, int minimum, int pods) {
    STAGE.killMuster();
    gangs.declare(gang, minimum);
    for (int i = 0; i < pods; i++) {
      String node = gang + "-node-" + i;
      createNodes(node);
      gangs.createMember(gang, i, 8);
      STAGE.cluster().bind(gang + "-" + i, node);
    }
    gangs.awaitRunning(gang, pods);
  }

  private static String events(String pod) {
    return STAGE.admin().events().v1().events().inNamespace("default").list().getItems().stream()
        .filter(event -> event.getRegarding().getName().equals(pod))
        .map(event -> event.getNote())
        .toList()
        .toString();
  }

  /// Returns the uids of the running members, sorted.
  private List<String> running(String gang) {
    return gangs.members(gang).stream()
        .filter(JobPods::isRunning)
        .map((Pod pod) -> "" + pod.getMetadata().getUid())
        .sorted()
        .toList();
  }

  private void createNodes(String... names) {
    for (String name : names) {
      cluster.createNodes(NodeShape.withGpus(name, 8));
    }
  }
}
