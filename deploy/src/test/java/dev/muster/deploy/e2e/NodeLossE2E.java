package dev.muster.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Nodes and GPUs vanish from waiting gangs and from gangs with promised nodes.
class NodeLossE2E {
  @RegisterExtension static final TestStage STAGE = TestStage.asShipped();

  private final TestCluster cluster = STAGE.cluster();
  private final TestGangs gangs = STAGE.gangs();

  @Test
  void waiting_gang_reports_a_deleted_node_and_starts_when_it_is_back() {
    createNodes("gone-a", "gone-b");
    cluster.create(TestCluster.gpuPod("gone-busy", 8));
    cluster.awaitRunning("gone-busy");
    gangs.create("waiting", 2, 8);
    gangs.awaitReason("waiting", "WaitingForCapacity");

    cluster.deleteNode(
        cluster.nodeOf("gone-busy").equals(java.util.Optional.of("gone-a")) ? "gone-b" : "gone-a");

    gangs.awaitReason("waiting", "ImpossibleRequest");
    createNodes("gone-c");
    gangs.awaitReason("waiting", "WaitingForCapacity");
    cluster.delete("gone-busy");
    gangs.awaitRunning("waiting", 2);
  }

  @Test
  void reserved_gang_moves_when_one_of_its_nodes_is_deleted() {
    createNodes("del-a", "del-b", "del-c");
    holdReserved("mover");
    String lost = gangs.promised("mover", 1);

    cluster.deleteNode(lost);
    await("another node is promised")
        .atMost(TestCluster.WAIT)
        .until(() -> !lost.equals(gangs.promised("mover", 1)));
    new HeldCapacity(STAGE.admin()).release();

    gangs.awaitRunning("mover", 2);
    assertThat(gangs.nodes("mover")).hasSize(2).doesNotContain(lost);
  }

  @Test
  void reserved_gang_moves_when_a_device_plugin_dies() {
    createNodes("plug-a", "plug-b", "plug-c");
    holdReserved("plugged");
    String sick = gangs.promised("plugged", 1);

    cluster.setAllocatable(sick, NodeShape.GPU, "0");
    await("another node is promised")
        .atMost(TestCluster.WAIT)
        .until(() -> !sick.equals(gangs.promised("plugged", 1)));
    new HeldCapacity(STAGE.admin()).release();

    gangs.awaitRunning("plugged", 2);
    assertThat(gangs.nodes("plugged")).hasSize(2).doesNotContain(sick);
  }

  @Test
  void waiting_gang_starts_when_a_dead_device_plugin_comes_back() {
    createNodes("back-a", "back-b");
    cluster.setAllocatable("back-b", NodeShape.GPU, "0");
    gangs.create("hopeful", 2, 8);
    gangs.awaitReason("hopeful", "ImpossibleRequest");
    assertThat(gangs.bound("hopeful")).isZero();

    cluster.setAllocatable("back-b", NodeShape.GPU, "8");

    gangs.awaitRunning("hopeful", 2);
  }

  @Test
  void reserved_gang_without_another_placement_is_released() {
    createNodes("last-a", "last-b");
    holdReserved("homeless");
    String lost = gangs.promised("homeless", 0);

    cluster.deleteNode(lost);

    gangs.awaitReason("homeless", "ImpossibleRequest");
    new HeldCapacity(STAGE.admin()).release();
    cluster.create(TestCluster.gpuPod("heir", 8));
    cluster.awaitRunning("heir");
    assertThat(gangs.bound("homeless")).isZero();
  }

  /// A gang of two whole nodes that has them promised, but cannot be ungated yet.
  private void holdReserved(String gang) {
    new HeldCapacity(STAGE.admin()).begin();
    gangs.declare(gang, 2);
    cluster.create(HeldCapacity.held(TestGangs.member(gang, 0, 8)));
    cluster.create(HeldCapacity.held(TestGangs.member(gang, 1, 8)));
    await("nodes promised")
        .atMost(TestCluster.WAIT)
        .until(() -> !gangs.promised(gang, 0).isEmpty() && !gangs.promised(gang, 1).isEmpty());
  }

  private void createNodes(String... names) {
    cluster.createNodes(
        java.util.stream.Stream.of(names)
            .map(n -> NodeShape.withGpus(n, 8))
            .toArray(NodeShape[]::new));
  }
}
