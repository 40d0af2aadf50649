package dev.muster.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.dsl.Replaceable;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/// A gang starts when enough members exist, in whatever order they arrive.
abstract class MembershipScenarios {
  abstract TestStage stage();

  @Test
  void pods_wait_for_their_pod_group() {
    stage().cluster().createNodes(NodeShape.withGpus("before", 8));
    stage().gangs().createMember("later", 0, 2);
    stage().gangs().createMember("later", 1, 2);
    awaitPassedBy("before-witness");
    assertThat(stage().gangs().bound("later")).isZero();

    stage().gangs().declare("later", 2);

    stage().gangs().awaitRunning("later", 2);
  }

  @Test
  void pod_group_waits_for_the_last_of_its_pods() {
    stage().cluster().createNodes(NodeShape.withGpus("first", 8));
    stage().gangs().declare("first", 3);
    stage().gangs().createMember("first", 0, 2);
    stage().gangs().createMember("first", 1, 2);

    stage()
        .gangs()
        .awaitReason(
            "first",
            "WaitingForMembers",
            "2 of 3 members exist; 1 more must be created before any starts.");
    awaitPassedBy("first-witness");
    assertThat(stage().gangs().bound("first")).isZero();
    stage().gangs().createMember("first", 2, 2);
    stage().gangs().awaitRunning("first", 3);
  }

  @Test
  void members_above_the_minimum_start_when_capacity_is_free() {
    stage().cluster().createNodes(NodeShape.withGpus("small", 4));
    stage().gangs().declare("elastic", 2);
    for (int i = 0; i < 4; i++) {
      stage().gangs().createMember("elastic", i, 2);
    }
    stage().gangs().awaitRunning("elastic", 2);

    stage().cluster().createNodes(NodeShape.withGpus("more", 4));

    stage().gangs().awaitRunning("elastic", 4);
  }

  @Test
  void replaced_member_starts_alone_beside_running_members() {
    stage()
        .cluster()
        .createNodes(NodeShape.withGpus("again-a", 4), NodeShape.withGpus("again-b", 4));
    stage().gangs().create("again", 2, 4);
    stage().gangs().awaitRunning("again", 2);
    String mate = uid("again-0");

    stage().cluster().delete("again-1");
    stage().cluster().awaitGone("again-1");
    stage().gangs().createMember("again", 1, 4);

    stage().gangs().awaitRunning("again", 2);
    assertThat(uid("again-0")).isEqualTo(mate);
  }

  @Test
  void later_run_of_a_pod_group_starts_whole_beside_finished_pods() throws InterruptedException {
    stage().cluster().createNodes(NodeShape.withGpus("nightly", 8));
    stage().gangs().declare("nightly", 2);
    for (int i = 0; i < 2; i++) {
      stage().cluster().create(ofRun("nightly", i, "first", Map.of(TestCluster.RUN_FOR, "1s")));
    }
    stage().gangs().awaitPhase("nightly", "Succeeded", 2);
    stage().cluster().create(TestCluster.gpuPod("nightly-stranger", 4));
    stage().cluster().awaitRunning("nightly-stranger");
    Thread.sleep(1_000); // Kubernetes tells times to the second

    for (int i = 2; i < 4; i++) {
      stage().cluster().create(ofRun("nightly", i, "second", Map.of()));
    }
    stage().gangs().awaitReason("nightly", "WaitingForCapacity");
    assertThat(stage().gangs().inPhase("nightly", "Pending")).isEqualTo(2);

    stage().cluster().delete("nightly-stranger");
    stage().gangs().awaitRunning("nightly", 2);
  }

  /// A member that a controller made; any object serves as one.
  private PodBuilder ofRun(String gang, int index, String run, Map<String, String> annotations) {
    ConfigMap maker =
        stage()
            .admin()
            .resource(
                new ConfigMapBuilder()
                    .withNewMetadata()
                    .withName(run)
                    .withNamespace("default")
                    .endMetadata()
                    .build())
            .createOr(Replaceable::update);
    return TestGangs.member(gang, index, 4)
        .editMetadata()
        .addToAnnotations(annotations)
        .addNewOwnerReference()
        .withApiVersion("v1")
        .withKind("ConfigMap")
        .withName(run)
        .withUid(maker.getMetadata().getUid())
        .withController(true)
        .endOwnerReference()
        .endMetadata();
  }

  private String uid(String pod) {
    return stage()
        .cluster()
        .find(pod)
        .map(p -> Objects.requireNonNull(p.getMetadata().getUid()))
        .orElseThrow();
  }

  /// A later pod that runs shows that Muster and kube-scheduler have seen all that came before it.
  private void awaitPassedBy(String witness) {
    stage().cluster().create(TestCluster.gpuPod(witness, 1));
    await(List.of(witness) + " passes by")
        .atMost(TestCluster.WAIT)
        .untilAsserted(() -> stage().cluster().awaitRunning(witness));
  }
}
