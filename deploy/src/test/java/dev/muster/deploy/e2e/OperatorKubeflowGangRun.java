package dev.muster.deploy.e2e;

import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.extension.RegisterExtension;

/// training-operator with its gang option: it makes the PodGroups.
class OperatorKubeflowGangRun extends TrainingJobScenarios {
  @Order(1)
  @RegisterExtension
  static final TestStage STAGE = TestStage.asShipped();

  @Order(3)
  @RegisterExtension
  static final JobController CONTROLLER =
      JobController.of(STAGE, JobControllerModule.TRAINING_OPERATOR)
          .with("--gang-scheduler-name=default-scheduler");

  OperatorKubeflowGangRun() {
    super(STAGE);
  }
}
