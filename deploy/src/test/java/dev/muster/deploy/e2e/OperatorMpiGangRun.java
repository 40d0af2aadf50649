package dev.muster.deploy.e2e;

import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.extension.RegisterExtension;

/// mpi-operator with its gang option: it makes the PodGroups.
class OperatorMpiGangRun extends MpiJobScenarios {
  @Order(1)
  @RegisterExtension
  static final TestStage STAGE = TestStage.asShipped();

  @Order(3)
  @RegisterExtension
  static final JobController CONTROLLER =
      JobController.of(STAGE, JobControllerModule.MPI_OPERATOR)
          .with("--gang-scheduling=default-scheduler");

  OperatorMpiGangRun() {
    super(STAGE);
  }
}
