package dev.muster.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

/// MPIJobs of mpi-operator. The launcher and its workers are one gang.
abstract class MpiJobScenarios extends JobControllerScenarios {
  MpiJobScenarios(TestStage stage) {
    super(stage, JobControllerModule.MPI_OPERATOR, "mpijob.yaml", 5);
  }

  @Test
  void deleted_worker_is_replaced_beside_the_others() {
    run();
    Set<String> first = pods.uids();

    cluster.delete("train-worker-2");
    pods.awaitOthers(first, 1);

    pods.awaitRunning(5);
    assertThat(pods.uids()).filteredOn(first::contains).hasSize(4);
  }

  @Test
  void job_with_a_further_worker_grows() {
    run();
    sample.change("/spec/mpiReplicaSpecs/Worker/replicas", 5);
    pods.awaitRunningBeside(5, 1, "");

    createNodes("e");

    pods.awaitRunning(6);
  }

  @Test
  void finished_launcher_frees_the_nodes_of_its_workers() {
    sample.annotate("/spec/mpiReplicaSpecs/Launcher/template", TestCluster.RUN_FOR, "2s");
    createNodes("a", "b", "c", "d");
    sample.create();
    sample.awaitCondition("Succeeded");

    cluster.create(TestCluster.gpuPod("next", 8));

    cluster.awaitRunning("next");
  }
}
