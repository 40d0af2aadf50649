package dev.muster.deploy.e2e;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.util.List;

/// The start switches of a control plane whose API server serves native PodGroups.
record NativeSwitch(TestStage stage) {
  private static final String GATES = "--feature-gates=GenericWorkload=true,GangScheduling=true";
  private static final ResourceDefinitionContext KIND =
      new ResourceDefinitionContext.Builder()
          .withGroup("scheduling.k8s.io")
          .withVersion("v1alpha2")
          .withKind("PodGroup")
          .withPlural("podgroups")
          .withNamespaced(true)
          .build();

  /// True if the release is the one whose native PodGroups were tested.
  static boolean isServed() {
    return GoBinary.CONTROL_PLANE.requestedVersion().startsWith("1.36.");
  }

  /// The features on in the API server and the controllers.
  static TestSetup served(TestSetup setup) {
    return setup
        .withFlag(ControlPlaneComponent.API_SERVER, GATES)
        .withFlag(
            ControlPlaneComponent.API_SERVER, "--runtime-config=scheduling.k8s.io/v1alpha2=true")
        .withFlag(ControlPlaneComponent.CONTROLLERS, GATES)
        .withFlag(
            ControlPlaneComponent.CONTROLLERS, "--controllers=podgroup-protection-controller");
  }

  /// The features on everywhere.
  static TestSetup everywhere(TestSetup setup) {
    return served(setup).withFlag(ControlPlaneComponent.SCHEDULER, GATES);
  }

  /// Waits until Muster says what keeps new pods of gangs.
  void awaitHold(String by) {
    await("pods are kept by " + by)
        .atMost(TestCluster.WAIT)
        .until(
            () -> stage.page("/metrics").contains("muster_pod_hold{by=\"%s\"} 1.0".formatted(by)));
  }

  /// Returns the names of the switches that exist.
  List<String> on() {
    return stage
        .admin()
        .genericKubernetesResources(KIND)
        .inNamespace("default")
        .list()
        .getItems()
        .stream()
        .map(group -> group.getMetadata().getName())
        .toList();
  }

  /// Returns the UID of a switch; empty while it is off.
  String uid(String name) {
    GenericKubernetesResource group =
        stage.admin().genericKubernetesResources(KIND).inNamespace("default").withName(name).get();
    return group == null ? "" : group.getMetadata().getUid();
  }

  /// Creates a PodGroup that waits for a number of pods.
  void create(String name, int minCount) {
    stage
        .admin()
        .resource(
            """
            {"apiVersion": "scheduling.k8s.io/v1alpha2", "kind": "PodGroup",
             "metadata": {"name": "%s", "namespace": "default"},
             "spec": {"schedulingPolicy": {"gang": {"minCount": %d}}}}
            """
                .formatted(name, minCount))
        .create();
  }

  /// Deletes a switch at once, though pods name it.
  void delete(String name) {
    var group =
        stage.admin().genericKubernetesResources(KIND).inNamespace("default").withName(name);
    group.delete();
    group.patch(PatchContext.of(PatchType.JSON_MERGE), "{\"metadata\":{\"finalizers\":null}}");
  }

  void awaitOn(String... names) {
    await("switches on: " + List.of(names))
        .atMost(TestCluster.WAIT)
        .until(() -> on().equals(List.of(names)));
  }

  /// The native PodGroup that the pod names.
  static String named(Pod pod) {
    return pod.getSpec().getSchedulingGroup() == null
        ? ""
        : pod.getSpec().getSchedulingGroup().getPodGroupName();
  }
}
