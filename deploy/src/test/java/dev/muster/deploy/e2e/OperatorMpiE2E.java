package dev.muster.deploy.e2e;

import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.extension.RegisterExtension;

/// mpi-operator without its gang option: Muster makes the gangs.
class OperatorMpiE2E extends MpiJobScenarios {
  @Order(1)
  @RegisterExtension
  static final TestStage STAGE = TestStage.asShipped();

  @Order(3)
  @RegisterExtension
  static final JobController CONTROLLER = JobController.of(STAGE, JobControllerModule.MPI_OPERATOR);

  OperatorMpiE2E() {
    super(STAGE);
  }
}
