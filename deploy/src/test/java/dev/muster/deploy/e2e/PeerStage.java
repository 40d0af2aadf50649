package dev.muster.deploy.e2e;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBuilder;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/// Gives the stage to one scheduler of gangs after another. Each has the processors to itself.
final class PeerStage {
  /// kube-scheduler's limits would hide everything else.
  private static final String UNLIMITED = "clientConnection: {qps: 10000, burst: 10000}\n";

  private static final Duration WAIT = Duration.ofSeconds(30);

  private final TestStage stage;
  private final MutatingWebhookConfiguration webhook;
  private boolean isInstalled = true;

  PeerStage(TestStage stage) {
    this.stage = stage;
    webhook = PeerSchedulers.webhook(stage.admin());
    allowPodGroups();
  }

  /// The plugin reads and patches PodGroups as kube-scheduler.
  private void allowPodGroups() {
    var role =
        new ClusterRoleBuilder()
            .withNewMetadata()
            .withName("coscheduling")
            .endMetadata()
            .addNewRule()
            .withApiGroups("scheduling.x-k8s.io")
            .withResources("podgroups", "podgroups/status")
            .withVerbs("get", "list", "watch", "update", "patch")
            .endRule()
            .build();
    var binding =
        new ClusterRoleBindingBuilder()
            .withNewMetadata()
            .withName("coscheduling")
            .endMetadata()
            .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "coscheduling")
            .addNewSubject("rbac.authorization.k8s.io", "User", "system:kube-scheduler", null)
            .build();
    stage.admin().resource(role).create();
    stage.admin().resource(binding).create();
  }

  /// Starts the side's kube-scheduler, which may have to be built, and Muster if the side has it.
  void turn(PeerSide side) throws IOException, InterruptedException {
    uninstall();
    String configuration = side.scheduler(stage.schedulerConfiguration()) + UNLIMITED;
    if (side == PeerSide.COSCHEDULING) {
      stage.plane().restartScheduler(configuration, coscheduling());
    } else {
      stage.plane().restartStockScheduler(configuration);
    }
    side.hold().ifPresent(this::install);
  }

  private Path coscheduling() throws IOException, InterruptedException {
    Path build = GoBinary.sources().resolve("coscheduling/build.sh");
    return GoBuild.run(build, "coscheduling", stage.plane().logs());
  }

  private void install(String hold) {
    stage.files().writeConfiguration("gangs: {hold: %s}".formatted(hold));
    stage.startMuster();
    stage.admin().resource(webhook).create();
    isInstalled = true;
    await("pods are kept by " + hold)
        .atMost(WAIT)
        .pollInterval(Duration.ofMillis(100))
        .until(() -> isKept(hold));
  }

  private void uninstall() {
    if (isInstalled) {
      stage.admin().resource(webhook).delete();
      await("pods are not kept")
          .atMost(WAIT)
          .pollInterval(Duration.ofMillis(100))
          .until(() -> isKept("filter"));
      stage.killMuster();
      isInstalled = false;
    }
  }

  /// True if a new pod of a gang is kept in this way.
  private boolean isKept(String hold) {
    var spec =
        stage
            .admin()
            .pods()
            .resource(TestGangs.member("probe", 0, 1).build())
            .dryRun()
            .create()
            .getSpec();
    return switch (hold) {
      case "gate" -> !spec.getSchedulingGates().isEmpty();
      case "native" -> spec.getSchedulingGroup() != null;
      default -> spec.getSchedulingGates().isEmpty() && spec.getSchedulingGroup() == null;
    };
  }
}
