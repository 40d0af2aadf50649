package dev.muster.deploy.e2e;

import dev.muster.deploy.ShippedFiles;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.RegisterExtension;

/// LeaderWorkerSet with its gang option: it makes PodGroups of Volcano.
class OperatorLeaderWorkerSetGangRun extends LeaderWorkerSetScenarios {
  @Order(1)
  @RegisterExtension
  static final TestStage STAGE = TestStage.asShipped();

  /// What the page says that the installation needs.
  @Order(2)
  @RegisterExtension
  static final BeforeAllCallback VOLCANO =
      _ -> {
        VolcanoPodGroupE2E.install(STAGE);
        ShippedFiles.objects("examples/operators/leaderworkerset-podgroups.yaml")
            .forEach(object -> STAGE.admin().resource(object).create());
      };

  @Order(3)
  @RegisterExtension
  static final JobController CONTROLLER =
      JobController.of(STAGE, JobControllerModule.LWS)
          .with("gangSchedulingManagement: {schedulerProvider: volcano}");

  OperatorLeaderWorkerSetGangRun() {
    super(STAGE);
  }
}
