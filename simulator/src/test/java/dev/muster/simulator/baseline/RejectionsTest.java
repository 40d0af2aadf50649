package dev.muster.simulator.baseline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.decision.ReasonText;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.simulator.fleet.FleetNotation;
import dev.muster.simulator.fleet.Fleets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Jobs that do not fit the empty fleet are rejected in the engine's words.
final class RejectionsTest {
  private static String why(String fleet, int workers, int each, String... models) {
    GpuRequest request =
        new GpuRequest(workers, each, new GpuModelPreference(List.of(models), false));
    return ReasonText.sentence(
        NodeFreeGpus.of(FleetNotation.parse(fleet).orElseThrow().nodes()).why(request));
  }

  @Test
  void job_too_large_for_all_nodes_is_rejected() {
    assertThat(why("3x8:V100", 4, 8))
        .isEqualTo("Needs 32 GPUs; the matching nodes have 24 in total.");
  }

  @Test
  void job_on_a_fleet_without_gpus_is_rejected(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("cpu.yaml");
    Files.writeString(
        file,
        """
        apiVersion: simulator.muster.dev/v1
        kind: Fleet
        pools: [{name: cpu, count: 2, gpus: 0, cpu: 8}]
        """);
    NodeFreeGpus freeGpus = NodeFreeGpus.of(Fleets.of(file.toString()).nodes());
    assertThat(ReasonText.sentence(freeGpus.why(new GpuRequest(1, 8, GpuModelPreference.ANY))))
        .isEqualTo("Needs 8 GPUs; the matching nodes have 0 in total.");
  }

  @Test
  void job_with_an_unknown_model_is_rejected() {
    assertThat(why("3x8:V100,5x8:P100", 1, 1, "H100"))
        .isEqualTo("0 of 8 nodes match: 8 WrongGpuModel (The node has P100; requested: H100).");
  }

  @Test
  void job_too_large_for_each_model_is_rejected() {
    assertThat(why("3x8:V100,4x8:P100", 5, 8))
        .isEqualTo("Needs 40 GPUs in one GPU model; the largest has 32.");
  }

  @Test
  void worker_too_large_for_one_node_is_rejected() {
    assertThat(why("3x8:V100,2x4:P100", 1, 12))
        .isEqualTo("Needs 12 GPUs on one node; the largest matching node has 8.");
  }

  @Test
  void workers_that_leave_remainders_on_nodes_are_rejected() {
    assertThat(why("3x8", 4, 5))
        .isEqualTo(
            "24 GPUs are free on 3 nodes, but at most 8 on one node; needs 4 members of up to 5 GPUs each.");
  }
}
