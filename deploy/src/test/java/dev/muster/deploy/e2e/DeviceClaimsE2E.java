package dev.muster.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSchedulingGate;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Two DGX-1 without device plugin: their GPUs are offered by ResourceSlices, asked for by claims,
/// and given out by kube-scheduler.
@EnabledIf(
    value = "isServed",
    disabledReason = "resource.k8s.io/v1 is served from Kubernetes 1.34 on")
class DeviceClaimsE2E {
  @RegisterExtension static final TestStage STAGE = TestStage.asShipped();

  private static final String V100 = "Tesla V100-SXM2-32GB";
  private static final String H100 = "NVIDIA H100 80GB HBM3";

  private final TestCluster cluster = STAGE.cluster();
  private final TestGangs gangs = STAGE.gangs();
  private final List<HasMetadata> created = new ArrayList<>();

  @BeforeEach
  void createNodes() {
    create(
        """
        apiVersion: resource.k8s.io/v1
        kind: DeviceClass
        metadata: {name: gpu.nvidia.com}
        spec:
          selectors: [{cel: {expression: "device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'gpu'"}}]
        """);
    List.of("dgx-a", "dgx-b").forEach(node -> createNode(node, Collections.nCopies(8, V100)));
  }

  static boolean isServed() {
    return GoBinary.CONTROL_PLANE.isFrom(34);
  }

  /// A node with GPUs of these models.
  private void createNode(String node, List<String> models) {
    create(slice(node, models));
    Map<String, String> resources = Map.of("cpu", "96", "memory", "1Ti", "pods", "110");
    cluster.createNodes(new NodeShape(node, Map.of("kubernetes.io/hostname", node), resources));
  }

  @AfterEach
  void delete() {
    created.forEach(object -> STAGE.admin().resource(object).delete());
  }

  private void create(String yaml) {
    created.add(STAGE.admin().resource(yaml).create());
  }

  private static String slice(String node, List<String> models) {
    StringBuilder devices = new StringBuilder();
    for (int gpu = 0; gpu < models.size(); gpu++) {
      devices.append(
          "  - {name: gpu-%d, attributes: {type: {string: gpu}, productName: {string: %s}}}%n"
              .formatted(gpu, models.get(gpu)));
    }
    return """
    apiVersion: resource.k8s.io/v1
    kind: ResourceSlice
    metadata: {name: %s-gpus}
    spec:
      driver: gpu.nvidia.com
      nodeName: %s
      pool: {name: %s, generation: 1, resourceSliceCount: 1}
      devices:
    %s\
    """
        .formatted(node, node, node, devices);
  }

  private void createTemplate(int gpus, String more) {
    create(
        """
        apiVersion: resource.k8s.io/v1
        kind: ResourceClaimTemplate
        metadata: {name: gpus-%d, namespace: default}
        spec: {spec: {devices: {requests: [{name: gpus, exactly: {deviceClassName: gpu.nvidia.com, %s}}]}}}
        """
            .formatted(gpus, more));
  }

  /// A gang whose members claim so many GPUs each.
  private void createGang(String gang, int members, int gpus) {
    gangs.declare(gang, members);
    for (int i = 0; i < members; i++) {
      Pod pod =
          Serialization.unmarshal(
              """
              metadata: {name: %s-%d, namespace: default, labels: {%s: %s}}
              spec:
                resourceClaims: [{name: gpus, resourceClaimTemplateName: gpus-%d}]
                containers:
                - {name: main, image: registry.example/train, resources: {requests: {cpu: "1"}, claims: [{name: gpus}]}}
              """
                  .formatted(gang, i, TestGangs.LABEL, gang, gpus),
              Pod.class);
      STAGE.admin().pods().resource(pod).create();
    }
  }

  @Test
  void gangs_with_resource_claims_start_whole_one_after_the_other() {
    createTemplate(4, "count: 4");
    createTemplate(8, "count: 8");
    createGang("first", 3, 4);
    gangs.awaitRunning("first", 3);
    assertThat(allocated()).as("devices given out by kube-scheduler").isEqualTo(12);

    createGang("second", 2, 8);
    assertThat(gangs.awaitReason("second", "WaitingForCapacity")).contains("nvidia.com/gpu");
    assertThat(gangs.bound("second")).isZero();

    gangs.deleteMembers("first");
    gangs.awaitRunning("second", 2);
    assertThat(gangs.nodes("second")).containsExactlyInAnyOrder("dgx-a", "dgx-b");
  }

  private long allocated() {
    return STAGE
        .admin()
        .dynamicResourceAllocation()
        .v1()
        .resourceClaims()
        .inNamespace("default")
        .list()
        .getItems()
        .stream()
        .filter(claim -> claim.getStatus() != null && claim.getStatus().getAllocation() != null)
        .mapToLong(claim -> claim.getStatus().getAllocation().getDevices().getResults().size())
        .sum();
  }

  @Test
  void claim_with_selector_gets_matching_free_gpus_or_waits() {
    createNode("mixed", List.of(V100, H100, V100, H100, V100, H100, V100, H100));
    String selectors =
        "selectors: [{cel: {expression: \"device.attributes['gpu.nvidia.com'].productName.contains('H100')\"}}]";
    createTemplate(3, "count: 3, " + selectors);
    createTemplate(2, "count: 2, " + selectors);
    createGang("first", 1, 3);
    gangs.awaitRunning("first", 1);
    assertThat(gangs.nodes("first")).containsExactly("mixed");

    createGang("second", 1, 2);
    assertThat(gangs.awaitReason("second", "WaitingForCapacity"))
        .startsWith("Needs 2 nvidia.com/gpu where device.attributes")
        .contains("free on matching nodes: 1 nvidia.com/gpu where device.attributes");
    assertThat(gangs.promised("second", 0)).as("5 GPUs are free there, but one H100").isEmpty();

    gangs.deleteMembers("first");
    gangs.awaitRunning("second", 1);
    assertThat(gangs.nodes("second")).containsExactly("mixed");
  }

  @Test
  void uncountable_claim_is_reported_on_the_pod() {
    createTemplate(0, "allocationMode: All");
    createGang("greedy", 1, 0);

    assertThat(note("greedy-0"))
        .contains("ResourceClaimTemplate default/gpus-0")
        .contains("Set `count`");
    assertThat(gangs.bound("greedy")).isZero();
  }

  /// Returns the text of an Event about the claim of the pod, when there is one.
  private static String note(String pod) {
    return Awaitility.await("an event on the pod")
        .atMost(TestCluster.WAIT)
        .until(
            () ->
                STAGE
                    .admin()
                    .events()
                    .v1()
                    .events()
                    .inNamespace("default")
                    .list()
                    .getItems()
                    .stream()
                    .filter(event -> pod.equals(event.getRegarding().getName()))
                    .map(event -> Objects.requireNonNullElse(event.getNote(), ""))
                    .filter(text -> text.contains("allocationMode"))
                    .findFirst()
                    .orElse(""),
            text -> !text.isEmpty());
  }

  private void createLone(String pod, String template) {
    create(
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: %s, namespace: default}
        spec:
          resourceClaims: [{name: gpus, resourceClaimTemplateName: %s}]
          containers:
          - {name: main, image: registry.example/train, resources: {claims: [{name: gpus}]}}
        """
            .formatted(pod, template));
  }

  @Test
  void lone_pod_that_may_take_any_number_of_gpus_is_held() {
    createTemplate(0, "allocationMode: All");
    createLone("greedy", "gpus-0");

    assertThat(note("greedy")).contains("Set `count`");
    assertThat(allocated()).isZero();
  }

  @Test
  void pod_that_requests_by_the_name_of_a_device_class_gets_the_gate() {
    create(
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: named, namespace: default}
        spec:
          containers:
          - name: main
            image: registry.example/train
            resources: {limits: {deviceclass.resource.kubernetes.io/gpu.nvidia.com: "9"}}
        """);

    assertThat(((Pod) created.getLast()).getSpec().getSchedulingGates())
        .extracting(PodSchedulingGate::getName)
        .containsExactly("muster.dev/gang");
  }
}
