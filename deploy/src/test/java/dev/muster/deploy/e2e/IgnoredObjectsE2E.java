package dev.muster.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Muster is asked by the profile `muster` only, beside the default scheduler. Objects that do not
/// count for their gang are named on the PodGroup, the pods and in the API.
class IgnoredObjectsE2E {
  private static final String PROFILE = "muster";

  @RegisterExtension
  static final TestStage STAGE =
      TestStage.asShipped()
          .with("schedulerNames: [" + PROFILE + "]")
          .on(setup ->
              setup.withScheduler(
                  setup.scheduler()
                      + "profiles: [{schedulerName: default-scheduler}, {schedulerName: "
                      + PROFILE
                      + "}]\n"));

  private final TestCluster cluster = STAGE.cluster();
  private final TestGangs gangs = STAGE.gangs();

  private static PodBuilder ours(PodBuilder pod) {
    return pod.editSpec().withSchedulerName(PROFILE).endSpec();
  }

  private static List<String> events(String object, String reason) {
    return STAGE.admin().v1().events().inNamespace("default").list().getItems().stream()
        .filter(event -> object.equals(event.getInvolvedObject().getName()))
        .filter(event -> reason.equals(event.getReason()))
        .map(event -> event.getMessage())
        .toList();
  }

  @Test
  void gang_whose_pods_forgot_the_scheduler_name_is_told_so() {
    cluster.createNodes(NodeShape.withGpus("forgot", 8));
    gangs.create("forgetful", 2, 4);

    gangs.awaitReason(
        "forgetful",
        "WaitingForMembers",
        "2 pods name it, but belong to default-scheduler, which does not ask Muster.");
    await("an Event on the pod")
        .atMost(TestCluster.WAIT)
        .until(() -> events("forgetful-0", "OtherScheduler"), found -> found.size() == 1);
    assertThat(events("forgetful-0", "OtherScheduler").getFirst())
        .endsWith("which does not ask Muster. Set its schedulerName to muster.");
    assertThat(STAGE.page("/api/v1/gangs/default/forgetful"))
        .contains("2 pods name it, but belong to default-scheduler");

    gangs.deleteMembers("forgetful");
    for (int i = 0; i < 2; i++) {
      cluster.create(ours(TestGangs.member("forgetful", i, 4)));
    }
    gangs.awaitRunning("forgetful", 2);
  }

  @Test
  void invalid_pod_group_states_all_its_mistakes_and_starts_once_they_are_gone() {
    cluster.createNodes(NodeShape.withGpus("wrong", 8));
    gangs.declare(
        "wrong", 2, Map.of("muster.dev/runtime", "2hours", "muster.dev/layout", "spread"));
    String sentence =
        "The annotation muster.dev/layout is (spread); it must be packed or balanced. The annotation muster.dev/runtime is (2hours): \"2hours\" is not a duration.";

    gangs.awaitReason("wrong", "InvalidSpecification", sentence);
    for (int i = 0; i < 2; i++) {
      cluster.create(ours(TestGangs.member("wrong", i, 4)));
    }
    await("an Event on the PodGroup")
        .atMost(TestCluster.WAIT)
        .until(() -> events("wrong", "InvalidSpecification"), found -> !found.isEmpty());
    assertThat(STAGE.page("/api/v1/gangs/default/wrong"))
        .contains("InvalidSpecification", "2hours");
    assertThat(gangs.bound("wrong")).isZero();

    gangs.delete("wrong");
    gangs.declare("wrong", 2);
    gangs.awaitRunning("wrong", 2);
  }

  @Test
  void gang_of_unlike_members_starts_beside_cpu_nodes() {
    cluster.createNodes(
        NodeShape.withGpus("unlike-0", 8),
        NodeShape.withGpus("unlike-1", 8),
        new NodeShape(
            "cpu-0",
            Map.of("kubernetes.io/hostname", "cpu-0"),
            Map.of("cpu", "96", "memory", "1Ti", "pods", "110")));
    cluster.create(ours(TestCluster.gpuPod("first", 8)));
    cluster.awaitRunning("first");
    gangs.declare("mpi", 3);
    cluster.create(ours(launcher("mpi")));
    for (int i = 1; i < 3; i++) {
      cluster.create(ours(TestGangs.member("mpi", i, 8)));
    }

    gangs.awaitReason("mpi", "WaitingForCapacity");
    assertThat(gangs.bound("mpi")).isZero();
    assertThat(STAGE.page("/api/v1/gangs/default/mpi")).contains("WaitingForCapacity");

    cluster.delete("first");
    gangs.awaitRunning("mpi", 3);
  }

  private static PodBuilder launcher(String gang) {
    return TestGangs.member(gang, 0, 8)
        .editSpec()
        .editFirstContainer()
        .withNewResources()
        .withRequests(Map.of("cpu", Quantity.parse("1")))
        .endResources()
        .endContainer()
        .endSpec();
  }

  @Test
  void plain_pod_of_an_unknown_scheduler_is_told_if_it_has_a_key_of_muster() {
    Pod pod =
        cluster.create(
            TestCluster.gpuPod("typo", 1)
                .editMetadata()
                .addToLabels("muster.dev/queue", "default")
                .endMetadata()
                .editSpec()
                .withSchedulerName("mustre")
                .endSpec());
    assertThat(pod.getSpec().getSchedulingGates()).isEmpty();
    await("an Event on the pod")
        .atMost(TestCluster.WAIT)
        .until(() -> events("typo", "OtherScheduler"), found -> found.size() == 1);
  }
}
