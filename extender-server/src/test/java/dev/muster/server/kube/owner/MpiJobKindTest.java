package dev.muster.server.kube.owner;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import org.junit.jupiter.api.Test;

/// The gang of an MPIJob.
class MpiJobKindTest extends OwnerScene {
  private static String mpiJob(String more) {
    return """
    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {namespace: ml, name: pi, uid: o1}
    spec:
      slotsPerWorker: 8
      %s
      mpiReplicaSpecs:
        Launcher: {replicas: 1, template: {spec: %s}}
        Worker: {replicas: 4, template: {spec: %s}}
    """
        .formatted(more, NO_GPUS, GPUS);
  }

  private Pod worker(int index) {
    return see(
        "pi-worker-" + index,
        "MPIJob/pi",
        """
        training.kubeflow.org/job-name: pi, training.kubeflow.org/operator-name: mpi-operator,
        training.kubeflow.org/job-role: worker, training.kubeflow.org/replica-index: "%d"
        """
            .formatted(index));
  }

  private Pod launcher() {
    return see(
        "pi-launcher-x7k2p",
        "Job/pi-launcher",
        """
        training.kubeflow.org/job-name: pi, training.kubeflow.org/operator-name: mpi-operator,
        training.kubeflow.org/job-role: launcher
        """);
  }

  @Test
  void launcher_and_workers_are_one_gang() {
    own(mpiJob(""));

    assertThat(gangOf(worker(0))).isEqualTo("mpijob-pi");
    assertThat(gangOf(launcher())).isEqualTo("mpijob-pi");
    assertThat(requested()).containsExactly("mpijob-pi=5");
  }

  @Test
  void launcher_that_waits_for_the_workers_does_not_delay_them() {
    own(mpiJob("launcherCreationPolicy: WaitForWorkersReady"));

    assertThat(gangOf(worker(0))).isEqualTo("mpijob-pi");
    assertThat(gangOf(launcher())).isEmpty();
    assertThat(requested()).containsExactly("mpijob-pi=4");
  }
}
