package dev.muster.deploy.e2e;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// Runs the stage alternately under the stock kube-scheduler and under Muster as shipped. Each side
/// has the processors and the API server to itself. At the end the stage is restored.
final class PeerSchedulers implements AutoCloseable {
  private static final Duration WAIT = Duration.ofSeconds(30);

  /// The scheduler that currently runs.
  enum Side {
    STOCK,
    MUSTER
  }

  private final TestStage stage;
  private final List<HasMetadata> gating = new ArrayList<>();
  private Side now = Side.MUSTER;

  PeerSchedulers(TestStage stage) {
    this.stage = stage;
    gating.add(webhook(stage.admin()));
    Installation.policy().stream()
        .filter(object -> stage.admin().resource(object).get() != null)
        .forEach(gating::add);
  }

  /// Returns the webhook, ready to be created again.
  static MutatingWebhookConfiguration webhook(KubernetesClient admin) {
    var found =
        admin
            .admissionRegistration()
            .v1()
            .mutatingWebhookConfigurations()
            .withName("muster")
            .require();
    return new MutatingWebhookConfigurationBuilder(found)
        .editMetadata()
        .withResourceVersion(null)
        .withUid(null)
        .endMetadata()
        .build();
  }

  /// Starts the side's kube-scheduler, and has Muster there or not.
  ///
  /// @param limits a YAML mapping for the scheduler's `clientConnection`, for example `{qps:
  ///   1000}`; `{}` is kube-scheduler's default
  void turn(Side side, String limits) {
    if (side != now) {
      switch (side) {
        case MUSTER -> install();
        case STOCK -> uninstall();
      }
      now = side;
    }
    String configuration =
        switch (side) {
          case MUSTER -> withoutConnection(stage.schedulerConfiguration());
          case STOCK -> TestSetup.STOCK_SCHEDULER;
        };
    stage.plane().restartScheduler(configuration + "clientConnection: " + limits + "\n");
  }

  @Override
  public void close() {
    if (now == Side.STOCK) {
      install();
    }
    stage.plane().restartScheduler(stage.schedulerConfiguration());
  }

  /// The fixture fills in the connection, so that of the shipped file must go.
  static String withoutConnection(String yaml) {
    return yaml.replaceFirst("(?m)^clientConnection:\\R(?:[ #].*\\R)*", "");
  }

  private void install() {
    stage.startMuster();
    gating.forEach(object -> stage.admin().resource(object).create());
    awaitGating(true);
  }

  private void uninstall() {
    gating.forEach(object -> stage.admin().resource(object).delete());
    awaitGating(false);
    stage.killMuster();
  }

  private void awaitGating(boolean gating) {
    // Of a gang: a pod without one may come without gate.
    var probe = TestGangs.member("probe", 0, 1).build();
    await("pods are gated: " + gating)
        .atMost(WAIT)
        .pollInterval(Duration.ofMillis(100))
        .until(() ->
            stage
                    .admin()
                    .pods()
                    .resource(probe)
                    .dryRun()
                    .create()
                    .getSpec()
                    .getSchedulingGates()
                    .isEmpty()
                != gating);
  }
}
