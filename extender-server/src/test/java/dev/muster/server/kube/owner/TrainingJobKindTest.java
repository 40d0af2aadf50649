package dev.muster.server.kube.owner;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import org.junit.jupiter.api.Test;

/// The gang of a job of training-operator.
class TrainingJobKindTest extends OwnerScene {
  private Pod member(String kind, String type, int index) {
    return see(
        "bert-%s-%d".formatted(type, index),
        kind + "/bert",
        """
        training.kubeflow.org/job-name: bert, training.kubeflow.org/operator-name: some-controller,
        training.kubeflow.org/replica-type: %s, training.kubeflow.org/replica-index: "%d"
        """
            .formatted(type, index));
  }

  @Test
  void master_and_workers_are_one_gang() {
    own(
        """
        apiVersion: kubeflow.org/v1
        kind: PyTorchJob
        metadata: {namespace: ml, name: bert, uid: o1}
        spec:
          pytorchReplicaSpecs:
            Master: {replicas: 1, template: {spec: %s}}
            Worker: {replicas: 3, template: {spec: %s}}
        """
            .formatted(GPUS, GPUS));

    assertThat(gangOf(member("PyTorchJob", "worker", 0))).isEqualTo("pytorchjob-bert");
    assertThat(requested()).containsExactly("pytorchjob-bert=4");
  }

  @Test
  void elastic_job_starts_with_its_fewest_workers() {
    own(
        """
        apiVersion: kubeflow.org/v1
        kind: PyTorchJob
        metadata: {namespace: ml, name: bert, uid: o1}
        spec:
          elasticPolicy: {minReplicas: 2, maxReplicas: 8}
          pytorchReplicaSpecs:
            Worker: {replicas: 4, template: {spec: %s}}
        """
            .formatted(GPUS));
    member("PyTorchJob", "worker", 0);

    assertThat(requested()).containsExactly("pytorchjob-bert=2");
  }

  @Test
  void minimum_that_the_job_states_counts() {
    own(
        """
        apiVersion: kubeflow.org/v1
        kind: PyTorchJob
        metadata: {namespace: ml, name: bert, uid: o1}
        spec:
          runPolicy: {schedulingPolicy: {minAvailable: 3}}
          pytorchReplicaSpecs:
            Worker: {replicas: 4, template: {spec: %s}}
        """
            .formatted(GPUS));
    member("PyTorchJob", "worker", 0);

    assertThat(requested()).containsExactly("pytorchjob-bert=3");
  }

  @Test
  void parameter_servers_without_gpus_are_members() {
    own(
        """
        apiVersion: kubeflow.org/v1
        kind: TFJob
        metadata: {namespace: ml, name: bert, uid: o1}
        spec:
          tfReplicaSpecs:
            PS: {replicas: 2, template: {spec: %s}}
            Worker: {replicas: 3, template: {spec: %s}}
        """
            .formatted(NO_GPUS, GPUS));
    member("TFJob", "ps", 0);

    assertThat(requested()).containsExactly("tfjob-bert=5");
  }
}
