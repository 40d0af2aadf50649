package dev.muster.deploy.e2e;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// What holds for the jobs of every real controller. The sample needs four nodes of 8 GPUs.
abstract class JobControllerScenarios {
  final TestStage stage;
  final TestCluster cluster;
  final SampleJob sample;
  final JobPods pods;

  private final int size;

  /// Scenarios of a sample with the name `train`.
  ///
  /// @param size the number of its pods, those without GPUs too
  JobControllerScenarios(TestStage stage, JobControllerModule module, String file, int size) {
    this.stage = stage;
    this.cluster = stage.cluster();
    this.sample = SampleJob.of(stage.admin(), file);
    this.pods = new JobPods(stage.admin(), module, "train");
    this.size = size;
  }

  @AfterEach
  void deleteJob() {
    sample.delete();
    pods.awaitGone();
  }

  @Test
  void job_waits_until_it_fits_whole() {
    createNodes("a", "b");
    create();

    pods.awaitWaiting(size, "Needs 32 GPUs; the matching nodes have 16 in total.");
    createNodes("c", "d");

    pods.awaitRunning(size);
  }

  @Test
  void deleted_job_leaves_no_pod_and_no_gang() {
    createNodes("a", "b");
    create();
    pods.awaitWaiting(size, "Needs 32 GPUs");

    sample.delete();

    pods.awaitGone();
    stage.gangs().awaitNone();
  }

  /// Creates the sample.
  void create() {
    sample.create();
  }

  /// Creates nodes of 8 GPUs.
  final void createNodes(String... names) {
    for (String name : names) {
      cluster.createNodes(NodeShape.withGpus(name, 8));
    }
  }

  /// Creates the sample on four nodes, and waits until it runs.
  final void run() {
    createNodes("a", "b", "c", "d");
    create();
    pods.awaitRunning(size);
  }
}
