package dev.muster.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Jobs of training-operator. All replicas of a job are one gang.
abstract class TrainingJobScenarios extends JobControllerScenarios {
  private final SampleJob tensorFlow;

  TrainingJobScenarios(TestStage stage) {
    super(stage, JobControllerModule.TRAINING_OPERATOR, "pytorchjob.yaml", 4);
    tensorFlow = SampleJob.of(stage.admin(), "tfjob.yaml");
  }

  @AfterEach
  void deleteTensorFlow() {
    tensorFlow.delete();
  }

  @Test
  void deleted_worker_is_replaced_beside_the_others() {
    run();
    Set<String> first = pods.uids();

    cluster.delete("train-worker-2");
    pods.awaitOthers(first, 1);

    pods.awaitRunning(4);
    assertThat(pods.uids()).filteredOn(first::contains).hasSize(3);
  }

  @Test
  void finished_job_frees_its_nodes() {
    sample.annotatePods(TestCluster.RUN_FOR, "2s");
    createNodes("a", "b", "c", "d");
    sample.create();
    sample.awaitCondition("Succeeded");

    cluster.create(TestCluster.gpuPod("next", 8));

    cluster.awaitRunning("next");
  }

  @Test
  void parameter_server_waits_with_the_workers() {
    createNodes("a", "b");
    tensorFlow.create();

    pods.awaitWaiting(5, "Needs 32 GPUs");
    createNodes("c", "d");

    pods.awaitRunning(5);
  }
}
