package dev.muster.deploy.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.policy.config.OwnerEntry;
import dev.muster.server.kube.client.KubeSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// `muster simulate fit` answers for the gangs that Muster will form of a job controller's object.
class FitOwnersTest extends FitScene {
  private static final String GPUS =
      "{spec: {containers: [{name: a, resources: {limits: {nvidia.com/gpu: 8}}}]}}";
  private static final String NO_GPUS =
      "{spec: {containers: [{name: a, resources: {requests: {cpu: 1}}}]}}";

  @ParameterizedTest
  @CsvSource({
    "jobset, jobset-train, 5",
    "mpijob, mpijob-train, 5",
    "pytorchjob, pytorchjob-train, 4",
    "tfjob, tfjob-train, 5",
    "raycluster, raycluster-train, 5",
    "leaderworkerset, leaderworkerset-serve-0, 2"
  })
  void shipped_example_of_an_operator_is_answered_as_its_gang(String file, String gang, int pods)
      throws IOException {
    assertThat(fit(snapshot(FOUR), example("operators/" + file)).out())
        .contains("default/%s starts now, %d pods:".formatted(gang, pods));
  }

  @Test
  void each_replica_of_a_leader_worker_set_is_answered() throws IOException {
    assertThat(
            fit(snapshot("b1/r1: n1[........] n2[........]"), example("operators/leaderworkerset"))
                .out())
        .contains(
            "default/leaderworkerset-serve-0 starts now", "default/leaderworkerset-serve-1 waits");
  }

  @Test
  void job_with_the_label_is_answered_as_a_gang() throws IOException {
    Path job =
        write(
            "job.yaml",
            "apiVersion: batch/v1\nkind: Job\nmetadata: {name: sweep, labels: {muster.dev/gang: \"true\"}}\nspec: {parallelism: 5, template: %s}\n"
                .formatted(GPUS));

    assertThat(fit(snapshot(FOUR), job).out()).startsWith("default/job-sweep never starts");
  }

  @Test
  void job_without_the_label_is_answered_pod_by_pod() throws IOException {
    Path job =
        write(
            "job.yaml",
            "apiVersion: batch/v1\nkind: Job\nmetadata: {name: sweep}\nspec: {parallelism: 2, template: %s}\n"
                .formatted(GPUS));

    assertThat(fit(snapshot(FOUR), job).out())
        .contains("default/sweep-0 starts now, 1 pod:", "default/sweep-1 starts now, 1 pod:");
  }

  @Test
  void cluster_of_a_ray_job_is_answered() throws IOException {
    Path job =
        write(
            "ray.yaml",
            """
            apiVersion: ray.io/v1
            kind: RayJob
            metadata: {name: tune}
            spec:
              rayClusterSpec:
                headGroupSpec: {template: %s}
                workerGroupSpecs: [{groupName: gpu, replicas: 2, template: %s}]
            """
                .formatted(NO_GPUS, GPUS));

    assertThat(fit(snapshot(FOUR), job).out()).contains("default/raycluster-tune");
  }

  @Test
  void later_job_of_a_job_set_is_a_gang_of_its_own() throws IOException {
    Path set =
        write(
            "set.yaml",
            """
            apiVersion: jobset.x-k8s.io/v1alpha2
            kind: JobSet
            metadata: {name: train}
            spec:
              startupPolicy: {startupPolicyOrder: InOrder}
              replicatedJobs:
                - {name: a, replicas: 2, template: {spec: {template: %1$s}}}
                - {name: b, replicas: 2, template: {spec: {template: %1$s}}}
            """
                .formatted(GPUS));

    assertThat(fit(snapshot(FOUR), set).out())
        .contains("default/jobset-train starts now, 2 pods:")
        .contains("default/jobset-train.b starts now, 2 pods:");
  }

  @Test
  void annotation_of_the_owner_holds_for_the_gang() throws IOException {
    Path set =
        write(
            "set.yaml",
            """
            apiVersion: jobset.x-k8s.io/v1alpha2
            kind: JobSet
            metadata: {name: train, annotations: {muster.dev/topology-required: moon}}
            spec: {replicatedJobs: [{name: a, replicas: 2, template: {spec: {template: %s}}}]}
            """
                .formatted(GPUS));

    assertThat(fit(snapshot(FOUR), set).out()).contains("moon");
  }

  private static KubeSettings with(OwnerEntry owner) {
    return new KubeSettings(
        KubeSettings.DEFAULT.accelerators(),
        KubeSettings.DEFAULT.schedulerNames(),
        Set.of(),
        KubeSettings.DEFAULT.resync(),
        List.of(owner),
        KubeSettings.DEFAULT.hold());
  }

  private Outcome fitOf(String kind, String spec) throws IOException {
    OwnerEntry owner =
        new OwnerEntry(
            "example.com/v1",
            kind,
            "somethings",
            "example.com/name",
            Optional.of("spec.cells").filter(_ -> kind.equals("Simulation")),
            Optional.of("example.com/size").filter(_ -> kind.equals("Sweep")));
    Path file =
        write(
            "owner.yaml",
            "apiVersion: example.com/v1\nkind: %s\nmetadata: {name: wind}\nspec: %s\n"
                .formatted(kind, spec));
    return fit(snapshot(FOUR, List.of(), with(owner).written()), file);
  }

  @Test
  void field_of_a_configured_owner_states_the_number_of_its_pods() throws IOException {
    assertThat(fitOf("Simulation", "{cells: 3, template: %s}".formatted(GPUS)).out())
        .contains("default/simulation-wind starts now, 3 pods:");
  }

  @Test
  void replicas_in_a_configured_owner_are_counted() throws IOException {
    assertThat(
            fitOf("Simulation", "{cells: 3, run: {replicas: 3, template: %s}}".formatted(GPUS))
                .out())
        .contains("default/simulation-wind starts now, 3 pods:");
  }

  @Test
  void label_of_the_template_states_the_number_of_pods() throws IOException {
    String template = "{metadata: {labels: {example.com/size: \"4\"}}, " + GPUS.substring(1);

    assertThat(fitOf("Sweep", "{template: %s}".formatted(template)).out())
        .contains("default/sweep-wind starts now, 4 pods:");
  }

  @Test
  void configured_owner_of_an_unknown_size_is_refused() throws IOException {
    assertThat(fitOf("Sweep", "{template: %s}".formatted(GPUS)).err())
        .contains(
            "The pod templates of the Sweep wind have no label or annotation example.com/size, so the size of its gang is not known.");
  }

  /// Its PodGroup is in the cluster if its pods are.
  @Test
  void object_in_the_cluster_is_asked_about_with_another_name() throws IOException {
    Path set = example("operators/jobset");

    assertThat(
            fit(snapshot(FOUR, running("jobset-train", 8, "n1")), set, "--namespace", "ml").err())
        .contains("Rename the gang in the file, or the object whose pods it has.");
  }

  @Test
  void pods_of_a_train_job_are_not_in_its_manifest() throws IOException {
    Path job =
        write(
            "job.yaml",
            "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: train}\nspec: {runtimeRef: {name: torch}}\n");

    assertThat(fit(snapshot(FOUR), job).err())
        .contains("the pods of the TrainJob train are stated by its runtime torch")
        .contains("with another metadata.name: kubectl get jobset train -o yaml");
  }
}
