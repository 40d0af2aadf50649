package dev.muster.deploy.live;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/// `muster simulate fit` reads every kind of workload and the GPUs that its pods claim.
class FitWorkloadsTest extends FitScene {
  @Test
  void replicas_of_every_workload_kind_become_pods() throws IOException {
    Path gang =
        write(
            "pytorch.yaml",
            """
            apiVersion: scheduling.x-k8s.io/v1alpha1
            kind: PodGroup
            metadata: {name: py}
            spec: {minMember: 3}
            ---
            apiVersion: kubeflow.org/v1
            kind: PyTorchJob
            metadata: {name: py}
            spec:
              pytorchReplicaSpecs:
                Master: {replicas: 1, template: {spec: {containers: [{name: a, resources: {limits: {nvidia.com/gpu: 8}}}]}}}
                Worker: {replicas: 2, template: {spec: {containers: [{name: a, resources: {limits: {nvidia.com/gpu: 8}}}]}}}
            """);

    assertThat(fit(snapshot(FOUR), gang).out())
        .contains("default/py starts now, 3 pods:")
        .contains("py-master-0", "py-worker-0", "py-worker-1");
  }

  @Test
  void leader_worker_set_has_a_leader_and_workers_for_each_replica() throws IOException {
    Path gang =
        write(
            "lws.yaml",
            "kind: LeaderWorkerSet\nmetadata: {name: llm}\nspec:\n  replicas: 2\n  leaderWorkerTemplate:\n    size: 2\n    workerTemplate: {spec: {containers: [{name: a, resources: {limits: {nvidia.com/gpu: 8}}}]}}\n");

    assertThat(fit(snapshot(FOUR), gang).out())
        .contains("llm-leader-0", "llm-leader-1", "llm-worker-0", "llm-worker-1 starts now");
  }

  @Test
  void objects_of_a_list_are_read() throws IOException {
    String pod = Files.readString(example("lone-gpu-pod")).indent(2).replaceFirst(" ", "-");
    Path list = write("list.yaml", "apiVersion: v1\nkind: List\nitems:\n" + pod);

    assertThat(fit(snapshot(FOUR), list).out()).contains("default/notebook starts now, 1 pod:");
  }

  @Test
  void parallelism_of_a_job_is_limited_by_its_completions() throws IOException {
    Path gang =
        write(
            "job.yaml",
            """
            apiVersion: scheduling.x-k8s.io/v1alpha1
            kind: PodGroup
            metadata: {name: few}
            spec: {minMember: 2}
            ---
            apiVersion: batch/v1
            kind: Job
            metadata: {name: few}
            spec:
              parallelism: 4
              completions: 2
              template: {spec: {containers: [{name: a, resources: {limits: {nvidia.com/gpu: 8}}}]}}
            """);

    assertThat(fit(snapshot(FOUR), gang).out()).contains("default/few starts now, 2 pods:");
  }

  @Test
  void gpus_claimed_by_templates_in_the_file_are_counted() throws IOException {
    Path gang =
        write(
            "gang.yaml",
            """
            apiVersion: resource.k8s.io/v1
            kind: ResourceClaimTemplate
            metadata: {name: four-gpus}
            spec: {spec: {devices: {requests: [{name: gpus, exactly: {deviceClassName: gpu.nvidia.com, count: 4}}]}}}
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: train}
            spec:
              resourceClaims: [{name: gpus, resourceClaimTemplateName: four-gpus}]
              containers: [{name: main, resources: {claims: [{name: gpus}]}}]
            """);

    assertThat(fit(snapshot("b1/r1: n1[....]"), gang).out())
        .startsWith("default/train starts now, 1 pod:");
    assertThat(fit(snapshot("b1/r1: n1[..]"), gang).out())
        .startsWith("default/train never starts as it is.");
  }

  /// A snapshot does not say which GPUs would be taken.
  @Test
  void selection_known_only_from_the_file_is_left_to_kube_scheduler() throws IOException {
    Path pod =
        write(
            "pod.yaml",
            """
            apiVersion: resource.k8s.io/v1
            kind: DeviceClass
            metadata: {name: h100}
            spec: {selectors: [{cel: {expression: "device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].productName.contains('H100')"}}]}
            ---
            apiVersion: resource.k8s.io/v1
            kind: ResourceClaim
            metadata: {name: mine}
            spec: {devices: {requests: [{name: gpus, exactly: {deviceClassName: h100, count: 4}}]}}
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: train}
            spec:
              resourceClaims: [{name: gpus, resourceClaimName: mine}]
              containers: [{name: main, resources: {claims: [{name: gpus}]}}]
            """);

    assertThat(fit(snapshot("b1/r1: n1[....]"), pod).out())
        .startsWith("default/train starts now, 1 pod:")
        .contains("not checked, no node is known to have some: nvidia.com/gpu of class h100");
    assertThat(fit(snapshot("b1/r1: n1[....]"), pod, "-o", "json").out())
        .contains("\"unchecked\" : [ \"nvidia.com/gpu of class h100\" ]");
  }
}
