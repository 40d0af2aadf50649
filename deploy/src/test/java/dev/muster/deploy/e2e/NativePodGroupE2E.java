package dev.muster.deploy.e2e;

import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Gangs are declared by the PodGroup of Kubernetes, behind a feature gate in 1.36 and 1.37.
@EnabledIf(value = "isServed", disabledReason = "Kubernetes 1.36 is the first with a PodGroup")
class NativePodGroupE2E extends DialectScenarios {
  private static final boolean BETA =
      !GoBinary.CONTROL_PLANE.requestedVersion().startsWith("1.36.");
  private static final String VERSION = BETA ? "v1beta1" : "v1alpha2";
  private static final String GATES =
      "--feature-gates=GenericWorkload=true" + (BETA ? "" : ",GangScheduling=true");

  static boolean isServed() {
    return GoBinary.CONTROL_PLANE.isFrom(36);
  }

  /// kube-scheduler holds the pods of such gangs back by itself, too.
  @RegisterExtension
  static final TestStage STAGE =
      TestStage.asShipped()
          .on(setup ->
              setup
                  .withFlag(ControlPlaneComponent.API_SERVER, GATES)
                  .withFlag(
                      ControlPlaneComponent.API_SERVER,
                      "--runtime-config=scheduling.k8s.io/%s=true".formatted(VERSION))
                  .withFlag(ControlPlaneComponent.SCHEDULER, GATES));

  @Override
  TestStage stage() {
    return STAGE;
  }

  @Override
  String group() {
    return """
    apiVersion: scheduling.k8s.io/%s
    kind: PodGroup
    metadata: {name: train, namespace: default}
    spec:
      schedulingPolicy: {gang: {minCount: 4}}
    """
        .formatted(VERSION);
  }

  @Override
  String pod(String name) {
    return """
    apiVersion: v1
    kind: Pod
    metadata: {name: %s, namespace: default}
    spec:
      schedulingGroup: {podGroupName: train}
      containers: [{name: main, image: registry.example/train, resources: {limits: {nvidia.com/gpu: "4"}}}]
    """
        .formatted(name);
  }

  @Override
  void awaitReason(String sentence) {
    new TestGangs(STAGE.admin(), "scheduling.k8s.io", VERSION)
        .awaitReason("train", "ImpossibleRequest", sentence);
  }
}
