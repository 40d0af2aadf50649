package dev.muster.deploy.e2e;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// LeaderWorkerSets of the real controller. Each replica is a gang.
abstract class LeaderWorkerSetScenarios {
  private static final Map<String, ?> LEADER =
      Map.of(
          "spec",
          Map.of(
              "containers", List.of(Map.of("name", "main", "image", "registry.example/lead:1"))));

  final SampleJob sample;
  final JobPods pods;

  private final TestCluster cluster;

  LeaderWorkerSetScenarios(TestStage stage) {
    this.cluster = stage.cluster();
    this.sample = SampleJob.of(stage.admin(), "leaderworkerset.yaml");
    this.pods = new JobPods(stage.admin(), JobControllerModule.LWS, "serve");
  }

  @AfterEach
  void deleteJob() {
    sample.delete();
    pods.awaitGone();
  }

  @Test
  void replica_that_does_not_fit_waits_whole() {
    createNodes("a", "b", "c");
    sample.create();

    pods.awaitRunningBeside(2, 2, "Needs 16");
    createNodes("d");

    pods.awaitRunning(4);
  }

  @Test
  void further_replica_waits_whole() {
    createNodes("a", "b", "c", "d", "e");
    sample.create();
    pods.awaitRunning(4);

    sample.change("/spec/replicas", 3);
    pods.awaitRunningBeside(4, 2, "Needs 16");
    sample.change("/spec/replicas", 1);

    pods.awaitRunning(2);
  }

  @Test
  void leader_without_gpus_waits_with_its_worker() {
    createNodes("a");
    sample.with("/spec/leaderWorkerTemplate/leaderTemplate", LEADER).create();

    pods.awaitRunningBeside(2, 2, "Needs 8");
    createNodes("b");

    pods.awaitRunning(4);
  }

  final void createNodes(String... names) {
    for (String name : names) {
      cluster.createNodes(NodeShape.withGpus(name, 8));
    }
  }
}
