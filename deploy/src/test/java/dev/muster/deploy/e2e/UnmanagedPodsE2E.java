package dev.muster.deploy.e2e;

import static dev.muster.deploy.e2e.TestCluster.gpuPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Unmanaged pods share the nodes and arrive at unfavourable moments.
class UnmanagedPodsE2E {
  @RegisterExtension static final TestStage STAGE = TestStage.asShipped();

  private final TestCluster cluster = STAGE.cluster();
  private final TestGangs gangs = STAGE.gangs();

  @Test
  void pod_without_gpu_is_neither_gated_nor_delayed() {
    cluster.createNodes(NodeShape.withGpus("plain", 8));
    Pod created = cluster.create(without(gpuPod("web", 0), "1"));

    assertThat(created.getSpec().getSchedulingGates()).isEmpty();
    cluster.awaitRunning("web");
  }

  @Test
  void gpus_of_pods_of_another_scheduler_count_as_used() {
    cluster.createNodes(NodeShape.withGpus("other", 8));
    Pod created = cluster.create(stranger(gpuPod("foreign", 4)));
    assertThat(created.getSpec().getSchedulingGates()).isEmpty();
    cluster.bind("foreign", "other");
    cluster.awaitRunning("foreign");
    gangs.create("guest", 2, 4);

    gangs.awaitReason(
        "guest",
        "WaitingForCapacity",
        "Needs 8 nvidia.com/gpu; free on matching nodes: 4 nvidia.com/gpu.");
    cluster.delete("foreign");
    gangs.awaitRunning("guest", 2);
  }

  @Test
  void gang_moves_whole_when_an_unmanaged_pod_takes_its_cpu_before_binding() {
    cluster.createNodes(
        NodeShape.withGpus("cpu-a", 8),
        NodeShape.withGpus("cpu-b", 8),
        NodeShape.withGpus("cpu-c", 8));
    holdReserved("robbed");
    String taken = gangs.promised("robbed", 0);
    cluster.create(stranger(without(gpuPod("thief", 0), "96")));
    cluster.bind("thief", taken);
    cluster.awaitRunning("thief");

    new HeldCapacity(STAGE.admin()).release();

    gangs.awaitRunning("robbed", 2);
    assertThat(gangs.nodes("robbed")).hasSize(2).doesNotContain(taken);
  }

  @Test
  void gang_without_another_placement_starts_no_member_until_the_unmanaged_pod_leaves() {
    cluster.createNodes(NodeShape.withGpus("poor-a", 8), NodeShape.withGpus("poor-b", 8));
    holdReserved("stuck");
    String taken = gangs.promised("stuck", 0);
    cluster.create(stranger(without(gpuPod("robber", 0), "96")));
    cluster.bind("robber", taken);
    cluster.awaitRunning("robber");
    gangs.awaitReason("stuck", "Fragmented");
    new HeldCapacity(STAGE.admin()).release();
    assertThat(gangs.bound("stuck")).isZero();

    cluster.delete("robber");

    gangs.awaitRunning("stuck", 2);
  }

  @Test
  void ungated_gang_moves_whole_when_an_unmanaged_pod_takes_its_cpu() {
    cluster.createNodes(
        NodeShape.withGpus("late-a", 8),
        NodeShape.withGpus("late-b", 8),
        NodeShape.withGpus("late-c", 8));
    STAGE.plane().kill(ControlPlaneComponent.SCHEDULER);
    gangs.create("open", 2, 8);
    await("all ungated")
        .atMost(TestCluster.WAIT)
        .until(() ->
            gangs.members("open").stream()
                .allMatch(pod -> pod.getSpec().getSchedulingGates().isEmpty()));
    String taken = gangs.promised("open", 0);
    cluster.create(stranger(without(gpuPod("late-thief", 0), "96")));
    cluster.bind("late-thief", taken);
    cluster.awaitRunning("late-thief");

    STAGE.plane().start(ControlPlaneComponent.SCHEDULER);

    gangs.awaitRunning("open", 2);
    assertThat(gangs.nodes("open")).hasSize(2).doesNotContain(taken);
  }

  private void holdReserved(String gang) {
    new HeldCapacity(STAGE.admin()).begin();
    gangs.declare(gang, 2);
    cluster.create(HeldCapacity.held(TestGangs.member(gang, 0, 8)));
    cluster.create(HeldCapacity.held(TestGangs.member(gang, 1, 8)));
    await("nodes promised")
        .atMost(TestCluster.WAIT)
        .until(() -> !gangs.promised(gang, 0).isEmpty() && !gangs.promised(gang, 1).isEmpty());
  }

  private static PodBuilder stranger(PodBuilder pod) {
    return pod.editSpec().withSchedulerName("someone-else").endSpec();
  }

  private static PodBuilder without(PodBuilder pod, String cpu) {
    return pod.editSpec()
        .editFirstContainer()
        .withNewResources()
        .withRequests(Map.of("cpu", Quantity.parse(cpu)))
        .endResources()
        .endContainer()
        .endSpec();
  }
}
