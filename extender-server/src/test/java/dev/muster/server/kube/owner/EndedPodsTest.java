package dev.muster.server.kube.owner;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// A pod that has ended for good is not missing when it is deleted.
class EndedPodsTest extends OwnerScene {
  private void job(String status) {
    own(
        """
        apiVersion: batch/v1
        kind: Job
        metadata: {namespace: ml, name: sweep, uid: o1, labels: {muster.dev/gang: "true"}}
        spec: {parallelism: 4, completions: 4, template: {spec: %s}}
        status: {%s}
        """
            .formatted(GPUS, status));
  }

  private Pod member(String name) {
    return see(name, "Job/sweep", "muster.dev/gang: \"true\"");
  }

  /// A JobSet of a driver and four workers in two Jobs.
  private void jobSet() {
    own(
        """
        apiVersion: jobset.x-k8s.io/v1alpha2
        kind: JobSet
        metadata: {namespace: ml, name: train, uid: o1}
        spec:
          replicatedJobs:
            - {name: driver, template: {spec: {template: {spec: %s}}}}
            - {name: worker, replicas: 2, template: {spec: {parallelism: 2, completions: 2, template: {spec: %s}}}}
        """
            .formatted(NO_GPUS, GPUS));
  }

  private Pod pod(String role) {
    return see(
        role + "-0",
        "Job/train-" + role + "-0",
        "jobset.sigs.k8s.io/jobset-name: train, jobset.sigs.k8s.io/replicatedjob-name: " + role);
  }

  private void jobOf(String role, int pods, String status) {
    jobOf(role, "jobset.sigs.k8s.io/jobset-uid: o1", pods, status);
  }

  private void jobOf(String role, String owner, int pods, String status) {
    make(
        """
        apiVersion: batch/v1
        kind: Job
        metadata:
          namespace: ml
          name: train-%1$s-0
          labels:
            jobset.sigs.k8s.io/jobset-name: train
            jobset.sigs.k8s.io/replicatedjob-name: %1$s
            %4$s
        spec: {parallelism: %2$d, completions: %2$d}
        status: {%3$s}
        """
            .formatted(role, pods, status, owner));
  }

  @Test
  void pod_that_succeeded_and_was_deleted_is_not_missing() {
    Pod done = member("a");
    member("b");
    ends(done, "Succeeded");
    job("succeeded: 1");
    lose("a");

    assertThat(requested()).containsExactly("job-sweep=3");
  }

  /// Its object counts itself.
  @Test
  void pod_that_succeeded_and_exists_counts_once() {
    Pod done = member("a");
    member("b");
    ends(done, "Succeeded");
    job("succeeded: 1");

    assertThat(requested()).containsExactly("job-sweep=4");
  }

  @Test
  void failed_index_and_deleted_pods_add_up() {
    member("a");
    job("succeeded: 1, completedIndexes: \"3\", failedIndexes: \"1\"");

    assertThat(requested()).containsExactly("job-sweep=2");
  }

  @Test
  void last_pod_of_a_job_stays_a_member() {
    Pod last = member("a");
    job("succeeded: 3");

    assertThat(gangOf(last)).isEqualTo("job-sweep");
    assertThat(requested()).containsExactly("job-sweep=1");
  }

  @Test
  void driver_of_a_job_set_that_succeeded_and_was_deleted_is_not_missing() {
    jobSet();
    ends(pod("driver"), "Succeeded");
    pod("worker");
    jobOf("driver", 1, "succeeded: 1");
    lose("driver-0");

    assertThat(requested()).containsExactly("jobset-train=4");
  }

  /// The Jobs of a deleted JobSet are replaced one by one.
  @Test
  void finished_job_of_a_deleted_job_set_does_not_count_for_the_next_one() {
    jobSet();
    pod("worker");
    jobOf("driver", "jobset.sigs.k8s.io/jobset-uid: o0", 1, "succeeded: 1");

    assertThat(requested()).containsExactly("jobset-train=5");
  }

  /// Old releases of JobSet do not label Jobs so.
  @Test
  void finished_job_counts_if_it_states_no_uid() {
    jobSet();
    pod("worker");
    jobOf("driver", "a: b", 1, "succeeded: 1");

    assertThat(requested()).containsExactly("jobset-train=4");
  }

  @Test
  void index_of_a_job_set_that_failed_for_good_is_not_missing() {
    jobSet();
    pod("worker");
    jobOf("worker", 2, "failedIndexes: \"1\"");

    assertThat(requested()).containsExactly("jobset-train=4");
  }

  @Test
  void job_set_that_restarts_needs_all_its_pods_again() {
    jobSet();
    pod("worker");
    jobOf("driver", 1, "succeeded: 1");
    gangs.maker(
        kinds.kinds().stream().filter(kind -> kind.makers().isPresent()).findFirst().orElseThrow(),
        "ml/train-driver-0",
        Optional.empty());

    assertThat(requested()).containsExactly("jobset-train=5");
  }

  @Test
  void first_pods_of_exclusive_jobs_are_counted_apart() {
    own(
        """
        apiVersion: jobset.x-k8s.io/v1alpha2
        kind: JobSet
        metadata: {namespace: ml, name: train, uid: o1, annotations: {alpha.jobset.sigs.k8s.io/exclusive-topology: rack}}
        spec:
          replicatedJobs:
            - {name: worker, replicas: 3, template: {spec: {parallelism: 3, completions: 3, template: {spec: %s}}}}
        """
            .formatted(GPUS));
    pod("worker");
    make(
        """
        apiVersion: batch/v1
        kind: Job
        metadata:
          namespace: ml
          name: train-worker-0
          labels: {jobset.sigs.k8s.io/jobset-name: train, jobset.sigs.k8s.io/replicatedjob-name: worker}
          annotations: {alpha.jobset.sigs.k8s.io/exclusive-topology: rack}
        spec: {parallelism: 3, completions: 3}
        status: {succeeded: 2, completedIndexes: "0,2"}
        """);

    assertThat(requested()).containsExactly("jobset-train=2");
  }
}
