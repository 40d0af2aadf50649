package dev.muster.deploy.e2e;

import static dev.muster.deploy.e2e.TestCluster.gpuPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/// The control plane works as the other end-to-end tests expect, without an extender.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ControlPlaneE2E {
  private static final TestSetup.User GUEST = new TestSetup.User("guest-token", "guest", List.of());

  private final ControlPlane plane =
      ControlPlane.start(TestSetup.of(ControlPlaneE2E.class).withUser(GUEST).withControllers());
  private final KubernetesClient admin = plane.admin();
  private final TestCluster cluster = new TestCluster(admin);

  @BeforeAll
  void createNodes() {
    cluster.createNodes(NodeShape.withGpus("n0", 4), NodeShape.withGpus("n1", 4));
  }

  @AfterEach
  void deletePods() {
    String[] names =
        admin.pods().inNamespace("default").list().getItems().stream()
            .map(pod -> pod.getMetadata().getName())
            .toArray(String[]::new);
    Stream.of(names).forEach(cluster::delete);
    cluster.awaitGone(names);
  }

  @AfterAll
  void close() {
    plane.close();
  }

  @Test
  void cluster_serves_the_requested_version() {
    assertThat(admin.getKubernetesVersion().getGitVersion())
        .isEqualTo("v" + GoBinary.CONTROL_PLANE.requestedVersion());
  }

  @Test
  void stock_scheduler_places_pods_and_kubelets_run_them() {
    for (String name : List.of("a", "b", "c")) {
      cluster.create(gpuPod(name, 2));
    }

    cluster.awaitRunning("a", "b", "c");

    assertThat(Stream.of("a", "b", "c").map(this::pod))
        .allSatisfy(pod -> {
          assertThat(pod.getSpec().getNodeName()).isIn("n0", "n1");
          assertThat(pod.getStatus().getPodIP()).startsWith("10.");
          assertThat(conditions(pod)).contains("Ready=True");
        });
  }

  @Test
  void unschedulable_pod_starts_after_other_pods_are_deleted() {
    cluster.create(annotated(gpuPod("a", 4), TestCluster.TERMINATE_AFTER, "2s"));
    cluster.create(gpuPod("b", 4));
    cluster.awaitRunning("a", "b");
    cluster.create(gpuPod("late", 4));
    assertThat(cluster.awaitUnschedulable("late")).contains("Insufficient nvidia.com/gpu");

    long deleted = System.nanoTime();
    cluster.delete("a");
    cluster.awaitRunning("late");

    assertThat(System.nanoTime() - deleted).isGreaterThan(2_000_000_000L);
    cluster.awaitGone("a"); // For the scheduler it has left once it has ended, a moment before.
  }

  @Test
  void pods_end_as_annotated() {
    cluster.create(annotated(gpuPod("good", 1), TestCluster.RUN_FOR, "300ms"));
    cluster.create(annotated(gpuPod("bad", 1), TestCluster.FAIL_AFTER, "300ms"));
    cluster.create(annotated(gpuPod("typo", 1), TestCluster.RUN_FOR, "soon"));

    cluster.awaitPhase("Succeeded", "good");
    cluster.awaitPhase("Failed", "bad", "typo");

    assertThat(pod("typo").getStatus().getMessage()).contains("run-for is \"soon\"");
  }

  @Test
  void kubelet_rejects_pods_beyond_the_capacity_of_its_node() {
    cluster.create(boundTo("n0", gpuPod("first", 3)));
    cluster.awaitRunning("first");
    cluster.create(boundTo("n0", gpuPod("second", 2)));

    cluster.awaitPhase("Failed", "second");

    assertThat(pod("second").getStatus().getReason()).isEqualTo("UnexpectedAdmissionError");
    assertThat(pod("second").getStatus().getMessage()).contains("Requested: 2, Available: 1");
  }

  @Test
  void scheduler_follows_the_allocatable_of_a_node() {
    cluster.createNodes(NodeShape.withGpus("spare", 8).withLabel("pool", "spare"));
    cluster.setAllocatable("spare", NodeShape.GPU, "0");
    cluster.create(gpuPod("big", 8));
    cluster.awaitUnschedulable("big");

    cluster.setAllocatable("spare", NodeShape.GPU, "8");

    cluster.awaitRunning("big");
    cluster.delete("big");
    cluster.awaitGone("big");
    cluster.deleteNode("spare");
  }

  @Test
  void dead_kubelet_neither_starts_nor_ends_pods() {
    cluster.create(boundTo("n1", gpuPod("stuck", 1)));
    cluster.awaitRunning("stuck");
    cluster.setKubeletAlive("n1", false);
    cluster.create(gpuPod("elsewhere", 4));
    cluster.awaitRunning("elsewhere");
    assertThat(cluster.nodeOf("elsewhere")).contains("n0");
    cluster.delete("stuck");
    cluster.delete("elsewhere");
    cluster.awaitGone("elsewhere");
    assertThat(cluster.find("stuck")).isPresent();

    cluster.setKubeletAlive("n1", true);

    cluster.awaitGone("stuck");
    cluster.awaitNodeReady("n1");
  }

  @Test
  void components_recover_from_an_outage_of_the_api_server() {
    cluster.create(gpuPod("before", 1));
    cluster.awaitRunning("before");

    plane.stopApiServer();
    assertThatThrownBy(() -> cluster.find("before")).isInstanceOf(KubernetesClientException.class);
    plane.startApiServer();

    cluster.create(gpuPod("after", 1));
    cluster.awaitRunning("before", "after");
  }

  @Test
  void killed_component_can_be_restarted() {
    plane.kill(ControlPlaneComponent.KUBELETS);
    assertThat(plane.isAlive(ControlPlaneComponent.KUBELETS)).isFalse();
    cluster.create(gpuPod("waits", 1));
    plane.start(ControlPlaneComponent.KUBELETS);
    cluster.awaitRunning("waits");
  }

  @Test
  void restarted_scheduler_has_the_new_configuration() {
    plane.restartScheduler(TestSetup.STOCK_SCHEDULER + "profiles: [{schedulerName: other}]\n");

    cluster.create(gpuPod("named", 1).editSpec().withSchedulerName("other").endSpec());
    cluster.awaitRunning("named");

    plane.restartScheduler(TestSetup.STOCK_SCHEDULER);
  }

  @Test
  void tokens_grant_only_their_permissions() {
    admin
        .serviceAccounts()
        .resource(
            new ServiceAccountBuilder()
                .withNewMetadata()
                .withName("robot")
                .withNamespace("default")
                .endMetadata()
                .build())
        .create();
    String robot = plane.serviceAccountToken("default", "robot");

    for (String token : List.of(GUEST.token(), robot)) {
      assertThatThrownBy(() -> plane.client(token).nodes().list())
          .isInstanceOfSatisfying(
              KubernetesClientException.class, e -> assertThat(e.getCode()).isEqualTo(403));
    }
  }

  @Test
  void controllers_create_the_pods_of_a_job_and_count_them() {
    var pod = annotated(gpuPod("unused", 1), TestCluster.RUN_FOR, "200ms");
    var job =
        new JobBuilder()
            .withNewMetadata()
            .withName("train")
            .withNamespace("default")
            .endMetadata()
            .withNewSpec()
            .withParallelism(3)
            .withCompletions(3)
            .withNewTemplate()
            .withNewMetadata()
            .withAnnotations(pod.buildMetadata().getAnnotations())
            .endMetadata()
            .withSpec(pod.editSpec().withRestartPolicy("Never").endSpec().buildSpec())
            .endTemplate()
            .endSpec()
            .build();
    admin.batch().v1().jobs().resource(job).create();

    await("job done")
        .atMost(TestCluster.WAIT)
        .until(
            () -> admin.batch().v1().jobs().inNamespace("default").withName("train").get(),
            j -> Objects.equals(j.getStatus().getSucceeded(), 3));
  }

  private Pod pod(String name) {
    return cluster.find(name).orElseThrow();
  }

  private static List<String> conditions(Pod pod) {
    return pod.getStatus().getConditions().stream()
        .map(condition -> condition.getType() + "=" + condition.getStatus())
        .toList();
  }

  private static PodBuilder annotated(PodBuilder pod, String key, String value) {
    return pod.editMetadata().addToAnnotations(key, value).endMetadata();
  }

  private static PodBuilder boundTo(String node, PodBuilder pod) {
    return pod.editSpec().withNodeName(node).endSpec();
  }
}
