package dev.muster.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// JobSets of the real controller. All pods of a JobSet are one gang.
class OperatorJobSetE2E extends JobControllerScenarios {
  @Order(1)
  @RegisterExtension
  static final TestStage STAGE = TestStage.asShipped();

  @Order(2)
  @RegisterExtension
  static final JobController CONTROLLER = JobController.of(STAGE, JobControllerModule.JOBSET);

  OperatorJobSetE2E() {
    super(STAGE, JobControllerModule.JOBSET, "jobset.yaml", 5);
  }

  @Test
  void jobset_restarts_whole_when_a_worker_fails() {
    run();
    Set<String> first = pods.uids();

    pods.fail(pods.any(pod -> pod.getMetadata().getName().contains("-worker-")));

    pods.awaitReplaced(first, 5);
  }

  @Test
  void resumed_jobset_starts_whole() {
    run();
    sample.change("/spec/suspend", true);
    pods.awaitGone();
    cluster.create(TestCluster.gpuPod("between", 1));
    cluster.awaitRunning("between");

    sample.change("/spec/suspend", false);
    pods.awaitWaiting(5, "Needs 32");
    cluster.delete("between");

    pods.awaitRunning(5);
  }

  @Test
  void later_job_of_an_ordered_jobset_starts_whole() {
    createNodes("a", "b");
    sample.with("/spec/startupPolicy", Map.of("startupPolicyOrder", "InOrder")).create();

    pods.awaitRunningBeside(1, 4, "Needs 32");
    createNodes("c", "d");

    pods.awaitRunning(5);
  }

  @Test
  void finished_jobset_frees_its_nodes() {
    sample.annotatePods(TestCluster.RUN_FOR, "2s");
    createNodes("a", "b", "c", "d");
    create();
    sample.awaitCondition("Completed");

    cluster.create(TestCluster.gpuPod("next", 8));

    cluster.awaitRunning("next");
    assertThat(pods.all()).hasSize(5);
  }

  @Test
  void pod_group_of_the_user_wins() {
    createNodes("a", "b", "c");
    stage.gangs().declare("own", 4);
    sample.labelPods(TestGangs.LABEL, "own").create();

    pods.awaitRunningBeside(4, 1, "");
  }

  @Test
  void pods_that_ran_before_the_namespace_was_switched_on_run_on() {
    formGangs(false);
    createNodes("a", "b");
    create();
    pods.awaitRunningBeside(3, 2, "Needs 8");

    formGangs(true);

    pods.awaitRunningBeside(3, 2, "Needs 16");
    assertThat(stage.gangs().annotation("jobset-train", "muster.dev/ran-with")).isEqualTo("3");
    createNodes("c", "d");
    pods.awaitRunning(5);
  }

  private void formGangs(boolean on) {
    Map<String, String> labels = Map.of("muster.dev/owner-gangs", on ? "enabled" : "disabled");
    stage
        .admin()
        .namespaces()
        .withName("default")
        .edit(now -> now.edit().editMetadata().addToLabels(labels).endMetadata().build());
  }

  @Test
  void worker_is_replaced_after_the_driver_has_ended_and_was_deleted() {
    sample.with("/spec/replicatedJobs/1/template/spec/backoffLimit", 5);
    run();
    Pod driver = pods.any(pod -> pod.getMetadata().getName().contains("-driver-"));
    pods.succeed(driver);
    cluster.delete(driver.getMetadata().getName());
    pods.awaitRunning(4);

    Pod worker = pods.any(pod -> pod.getMetadata().getName().contains("-worker-"));
    cluster.delete(worker.getMetadata().getName());

    pods.awaitReplaced(Set.of(Objects.requireNonNull(worker.getMetadata().getUid())), 4);
  }
}
