package dev.muster.server.kube.owner;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// The gang of a JobSet.
class JobSetKindTest extends OwnerScene {
  private static String jobSet(String more, String jobs) {
    return """
    apiVersion: jobset.x-k8s.io/v1alpha2
    kind: JobSet
    metadata: {namespace: ml, name: train, uid: o1%s}
    spec:
    %s
    """
        .formatted(more, jobs.indent(2));
  }

  private static String job(String name, String replicas, String pods, String spec, String more) {
    return """
      - name: %s
        replicas: %s
        %s
        template: {spec: {%s, template: {spec: %s}}}
    """
        .formatted(name, replicas, more, pods, spec);
  }

  private static final String DRIVER = job("driver", "1", "parallelism: 1", NO_GPUS, "");
  private static final String WORKERS =
      job("workers", "2", "parallelism: 2, completions: 2", GPUS, "");

  private Pod member(String job, int index) {
    return see(
        "train-%s-0-%d-abcde".formatted(job, index),
        "Job/train-%s-0".formatted(job),
        """
        jobset.sigs.k8s.io/jobset-name: train, jobset.sigs.k8s.io/replicatedjob-name: %s,
        jobset.sigs.k8s.io/restart-attempt: "0", batch.kubernetes.io/job-completion-index: "%d"
        """
            .formatted(job, index));
  }

  @Test
  void all_pods_are_one_gang_with_the_driver() {
    own(jobSet("", "replicatedJobs:\n" + DRIVER + WORKERS));

    assertThat(gangOf(member("workers", 0))).isEqualTo("jobset-train");
    assertThat(gangOf(member("driver", 0))).isEqualTo("jobset-train");
    assertThat(requested()).containsExactly("jobset-train=5");
  }

  @Test
  void a_pod_waits_for_its_unknown_owner() {
    assertThat(gangOf(member("workers", 0))).isEqualTo("jobset-train");
    assertThat(requested()).isEmpty();

    own(jobSet("", "replicatedJobs:\n" + WORKERS));
    assertThat(requested()).containsExactly("jobset-train=4");
  }

  @Test
  void job_set_without_gpus_has_no_gang() {
    Pod driver = member("driver", 0);
    own(jobSet("", "replicatedJobs:\n" + job("driver", "4", "parallelism: 1", NO_GPUS, "")));

    assertThat(gangOf(driver)).isEmpty();
    assertThat(again).contains("pod ml/train-driver-0-0-abcde");
  }

  @Test
  void job_that_starts_later_is_a_gang_of_its_own() {
    own(
        jobSet(
            "",
            "startupPolicy: {startupPolicyOrder: InOrder}\nreplicatedJobs:\n" + DRIVER + WORKERS));

    assertThat(gangOf(member("driver", 0))).isEmpty(); // one pod without GPUs
    assertThat(gangOf(member("workers", 0))).isEqualTo("jobset-train.workers");
    assertThat(requested()).containsExactly("jobset-train.workers=4");
  }

  @Test
  void job_that_depends_on_another_is_a_gang_of_its_own() {
    own(
        jobSet(
            "",
            "replicatedJobs:\n"
                + job("init", "2", "parallelism: 1", GPUS, "")
                + job(
                    "node",
                    "1",
                    "parallelism: 4",
                    GPUS,
                    "dependsOn: [{name: init, status: Complete}]")));

    assertThat(gangOf(member("init", 0))).isEqualTo("jobset-train");
    assertThat(gangOf(member("node", 0))).isEqualTo("jobset-train.node");
    assertThat(requested()).containsExactlyInAnyOrder("jobset-train=2", "jobset-train.node=4");
  }

  @Test
  void exclusive_jobs_start_with_their_first_pods() {
    own(
        jobSet(
            ", annotations: {alpha.jobset.sigs.k8s.io/exclusive-topology: rack}",
            "replicatedJobs:\n" + WORKERS));

    assertThat(gangOf(exclusive(0))).isEqualTo("jobset-train");
    assertThat(gangOf(exclusive(1))).isEqualTo("jobset-train.workers-followers");
    assertThat(requested())
        .containsExactlyInAnyOrder("jobset-train=2", "jobset-train.workers-followers=2");
  }

  private Pod exclusive(int index) {
    Pod pod =
        pod(
            "train-workers-0-" + index,
            "Job/train-workers-0",
            """
            jobset.sigs.k8s.io/jobset-name: train, jobset.sigs.k8s.io/replicatedjob-name: workers,
            batch.kubernetes.io/job-completion-index: "%d"
            """
                .formatted(index));
    pod.getMetadata().setAnnotations(Map.of("alpha.jobset.sigs.k8s.io/exclusive-topology", "rack"));
    gangs.pod("ml/" + pod.getMetadata().getName(), Optional.of(pod));
    return pod;
  }

  @Test
  void jobs_that_name_a_pod_group_do_not_count() {
    own(
        jobSet(
            "",
            "replicatedJobs:\n"
                + DRIVER
                + """
                  - name: workers
                    template:
                      spec:
                        parallelism: 4
                        template:
                          metadata: {labels: {scheduling.x-k8s.io/pod-group: mine}}
                          spec: %s
                """
                    .formatted(GPUS)));

    assertThat(gangOf(member("driver", 0))).isEmpty();
  }
}
