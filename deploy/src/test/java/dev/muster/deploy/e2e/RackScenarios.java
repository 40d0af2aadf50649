package dev.muster.deploy.e2e;

import static dev.muster.deploy.e2e.TestCluster.gpuPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// A gang of 4 x 8 GPUs is placed on three racks of four nodes.
abstract class RackScenarios {
  /// Configuration that the stage of these scenarios needs.
  static final String TOPOLOGY = "topology: {levels: [{name: rack, label: example.com/rack}]}";

  static final String RACK = "example.com/rack";

  abstract TestStage stage();

  @Test
  void gang_lands_in_the_only_rack_that_fits() {
    createRacks("room");
    occupy("room-a", 1);
    occupy("room-c", 1);
    submit("inside", Map.of());

    stage().gangs().awaitRunning("inside", 4);

    assertThat(stage().gangs().nodeLabels("inside", RACK)).containsExactly("room-b");
  }

  @Test
  void preferred_rack_uses_as_few_racks_as_possible() {
    createRacks("few");
    occupy("few-a", 2);
    occupy("few-b", 1);
    occupy("few-c", 2);
    submit("few", Map.of("muster.dev/topology-preferred", "rack"));

    stage().gangs().awaitRunning("few", 4);

    assertThat(stage().gangs().nodeLabels("few", RACK))
        .containsExactlyInAnyOrder("few-a", "few-c"); // the fuller ones; few-b keeps three nodes
  }

  @Test
  void required_rack_waits_until_one_rack_fits() {
    createRacks("must");
    occupy("must-a", 2);
    occupy("must-b", 1);
    occupy("must-c", 2);
    submit("must", Map.of("muster.dev/topology-required", "rack"));

    String why = stage().gangs().awaitReason("must", "TopologyUnsatisfied");

    assertThat(why)
        .startsWith("Needs 32 GPUs in one rack; the best, ")
        .contains("must-b")
        .endsWith("has 24 free.");
    assertThat(stage().gangs().bound("must")).isZero();
    stage().cluster().delete("must-b-0-busy");
    stage().gangs().awaitRunning("must", 4);
    assertThat(stage().gangs().nodeLabels("must", RACK)).containsExactly("must-b");
  }

  void createRacks(String prefix) {
    List<NodeShape> nodes = new ArrayList<>();
    for (String rack : List.of("a", "b", "c")) {
      String name = prefix + "-" + rack;
      IntStream.range(0, 4)
          .mapToObj(i -> NodeShape.withGpus(name + "-" + i, 8).withLabel(RACK, name))
          .forEach(nodes::add);
    }
    stage().cluster().createNodes(nodes.toArray(NodeShape[]::new));
  }

  /// Fills so many nodes of a rack, each with one pod.
  private void occupy(String rack, int nodes) {
    for (int i = 0; i < nodes; i++) {
      String node = rack + "-" + i;
      PodBuilder pod = gpuPod(node + "-busy", 8);
      stage()
          .cluster()
          .create(pod.editSpec().addToNodeSelector("kubernetes.io/hostname", node).endSpec());
      stage().cluster().awaitRunning(node + "-busy");
    }
  }

  private void submit(String gang, Map<String, String> annotations) {
    stage().gangs().declare(gang, 4, annotations);
    IntStream.range(0, 4).forEach(i -> stage().gangs().createMember(gang, i, 8));
  }
}
