package dev.muster.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Gangs select racks, with the shipped configuration except for the topology.
class RackE2E extends RackScenarios {
  @RegisterExtension
  static final TestStage STAGE = TestStage.asShipped().with(RackScenarios.TOPOLOGY);

  @Override
  TestStage stage() {
    return STAGE;
  }

  /// Only where pods have gates can a start be frozen half-way.
  @Test
  void gang_stays_in_one_rack_when_a_promised_node_is_relabelled() {
    createRacks("moved");
    new HeldCapacity(STAGE.admin()).begin();
    STAGE.gangs().declare("moved", 2, Map.of("muster.dev/topology-required", "rack"));
    for (int i = 0; i < 2; i++) {
      STAGE.cluster().create(HeldCapacity.held(TestGangs.member("moved", i, 8)));
    }
    await("nodes promised")
        .atMost(TestCluster.WAIT)
        .until(() -> !STAGE.gangs().promised("moved", 1).isEmpty());
    String node = STAGE.gangs().promised("moved", 1);

    STAGE.cluster().label(node, RACK, "elsewhere");
    await("another node is promised")
        .atMost(TestCluster.WAIT)
        .until(() -> !node.equals(STAGE.gangs().promised("moved", 1)));
    new HeldCapacity(STAGE.admin()).release();

    STAGE.gangs().awaitRunning("moved", 2);
    assertThat(STAGE.gangs().nodeLabels("moved", RACK)).hasSize(1).doesNotContain("elsewhere");
  }
}
