package dev.muster.server.kube.owner;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import org.junit.jupiter.api.Test;

/// The gang of a RayCluster.
class RayClusterKindTest extends OwnerScene {
  private static String cluster(String more, String group) {
    return """
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {namespace: ml, name: tune, uid: o1}
    spec:
      %s
      headGroupSpec: {template: {spec: %s}}
      workerGroupSpecs:
      - {groupName: a100, %s, template: {spec: %s}}
    """
        .formatted(more, NO_GPUS, group, GPUS);
  }

  private Pod head() {
    return see(
        "tune-head",
        "RayCluster/tune",
        "ray.io/cluster: tune, ray.io/node-type: head, ray.io/group: headgroup");
  }

  private Pod worker() {
    return see(
        "tune-a100-worker-x7k2p",
        "RayCluster/tune",
        "ray.io/cluster: tune, ray.io/node-type: worker, ray.io/group: a100");
  }

  @Test
  void head_and_workers_are_one_gang() {
    own(cluster("", "replicas: 4, minReplicas: 1, maxReplicas: 8"));

    assertThat(gangOf(head())).isEqualTo("raycluster-tune");
    assertThat(gangOf(worker())).isEqualTo("raycluster-tune");
    assertThat(requested()).containsExactly("raycluster-tune=5");
  }

  @Test
  void cluster_that_scales_starts_with_its_fewest_workers() {
    own(cluster("enableInTreeAutoscaling: true", "replicas: 4, minReplicas: 2, maxReplicas: 8"));
    head();

    assertThat(requested()).containsExactly("raycluster-tune=3");
  }

  @Test
  void each_replica_of_several_hosts_counts_with_all_of_them() {
    own(cluster("", "replicas: 2, numOfHosts: 4, maxReplicas: 8"));
    head();

    assertThat(requested()).containsExactly("raycluster-tune=9");
  }

  @Test
  void cluster_without_workers_at_first_has_no_gang() {
    own(cluster("enableInTreeAutoscaling: true", "replicas: 0, minReplicas: 0, maxReplicas: 8"));

    assertThat(gangOf(worker())).isEmpty();
  }

  @Test
  void pod_of_a_group_that_the_cluster_does_not_have_is_no_member() {
    own(cluster("", "replicas: 4, maxReplicas: 8"));

    assertThat(
            gangOf(
                see(
                    "forged",
                    "RayCluster/tune",
                    "ray.io/cluster: tune, ray.io/node-type: worker, ray.io/group: h100")))
        .isEmpty();
  }

  @Test
  void submitter_of_a_ray_job_is_no_member() {
    own(cluster("", "replicas: 4, maxReplicas: 8"));

    assertThat(gangOf(see("s", "Job/tune-job", "ray.io/cluster: tune"))).isEmpty();
  }
}
