package dev.muster.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.admission.Quota;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Resources;
import dev.muster.core.node.GpuModel;
import dev.muster.core.node.Node;
import dev.muster.core.topology.Topology;
import java.time.Instant;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class GuaranteeCheckTest {
  private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");
  private static final Cluster SYNCED =
      Cluster.empty(new Topology(List.of())).apply(new Event.Synced(NOW));

  private final GuaranteeCheck guarantees =
      new GuaranteeCheck(
          Queues.of(
              List.of(
                  Queue.of("a").guaranteed(Quota.of(4)),
                  Queue.of("b").guaranteed(Quota.of(1).with("H100", 8)))));

  @Test
  void excessive_guarantee_is_reported_once_and_again_after_recovery() {
    assertThat(guarantees.warning(Cluster.empty(new Topology(List.of())))).isEmpty();
    assertThat(guarantees.warning(SYNCED))
        .contains(
            "The queues are guaranteed 12 GPUs, but the schedulable nodes have only 0. Not all guarantees can be met.");
    assertThat(guarantees.warning(SYNCED)).isEmpty();
    assertThat(guarantees.warning(SYNCED.apply(new Event.NodeSeen(NOW, node(12))))).isEmpty();
    assertThat(guarantees.warning(SYNCED)).isPresent();
  }

  private static Node node(int gpus) {
    return new Node(
        new NodeId("n1"),
        new TreeMap<>(),
        Resources.of("nvidia.com/gpu", gpus),
        gpus,
        GpuModel.UNKNOWN,
        List.of(),
        false,
        List.of());
  }
}
