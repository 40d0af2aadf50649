package dev.muster.deploy.e2e;

import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Gangs are declared by the PodGroup of Volcano.
class VolcanoPodGroupE2E extends DialectScenarios {
  @RegisterExtension static final TestStage STAGE = TestStage.asShipped();

  @BeforeAll
  static void installKind() {
    install(STAGE);
    STAGE.killMuster(); // which looks once a minute whether there is a new kind
    STAGE.startMuster();
  }

  /// Creates the CRD of Volcano's PodGroups.
  static void install(TestStage stage) {
    stage
        .admin()
        .resource(
            """
            apiVersion: apiextensions.k8s.io/v1
            kind: CustomResourceDefinition
            metadata: {name: podgroups.scheduling.volcano.sh}
            spec:
              group: scheduling.volcano.sh
              scope: Namespaced
              names: {kind: PodGroup, plural: podgroups, singular: podgroup, shortNames: [vcpg]}
              versions:
              - name: v1beta1
                served: true
                storage: true
                subresources: {status: {}}
                schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
            """)
        .create();
  }

  @Override
  TestStage stage() {
    return STAGE;
  }

  @Override
  String group() {
    return """
    apiVersion: scheduling.volcano.sh/v1beta1
    kind: PodGroup
    metadata: {name: train, namespace: default}
    spec: {minMember: 4, queue: default}
    """;
  }

  @Override
  String pod(String name) {
    return """
    apiVersion: v1
    kind: Pod
    metadata: {name: %s, namespace: default, annotations: {scheduling.k8s.io/group-name: train}}
    spec:
      containers: [{name: main, image: registry.example/train, resources: {limits: {nvidia.com/gpu: "4"}}}]
    """
        .formatted(name);
  }

  @Override
  void awaitReason(String sentence) {
    await("an Event of the gang").atMost(TestCluster.WAIT).until(() -> tells(sentence));
  }

  private static boolean tells(String sentence) {
    return STAGE.admin().events().v1().events().inNamespace("default").list().getItems().stream()
        .anyMatch(event -> event.getNote().startsWith(sentence));
  }
}
