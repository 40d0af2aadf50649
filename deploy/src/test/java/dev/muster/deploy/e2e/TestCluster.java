package dev.muster.deploy.e2e;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.BindingBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;

/// Nodes and pods of a test cluster, with methods that create them and wait for them.
public final class TestCluster {
  /// Maximum duration of every wait of this class.
  public static final Duration WAIT = Duration.ofSeconds(30);

  /// Annotation of a pod: how long it takes to end once deleted, for example `5s`.
  public static final String TERMINATE_AFTER = "sim.muster.dev/terminate-after";

  /// Annotation of a pod: how long it runs until it succeeds.
  public static final String RUN_FOR = "sim.muster.dev/run-for";

  /// Annotation of a pod: how long it runs until it fails.
  public static final String FAIL_AFTER = "sim.muster.dev/fail-after";

  private static final Duration POLL = Duration.ofMillis(50);
  private static final String READY = "sim.muster.dev/ready";
  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

  private final KubernetesClient client;

  public TestCluster(KubernetesClient client) {
    this.client = client;
  }

  /// Creates nodes and waits until the scheduler may use them.
  public void createNodes(NodeShape... shapes) {
    for (var shape : shapes) {
      client.nodes().resource(node(shape)).create();
    }
    awaitNodesReady(Stream.of(shapes).map(NodeShape::name).collect(Collectors.toSet()));
  }

  static Node node(NodeShape shape) {
    Map<String, Quantity> quantities = quantities(shape.resources());
    return new NodeBuilder()
        .withNewMetadata()
        .withName(shape.name())
        .withLabels(shape.labels())
        .endMetadata()
        .withNewStatus()
        .withCapacity(quantities)
        .withAllocatable(quantities)
        .endStatus()
        .build();
  }

  private static Map<String, Quantity> quantities(Map<String, String> resources) {
    return resources.entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, e -> Quantity.parse(e.getValue())));
  }

  /// Changes what a node has to give, as a device plugin does when a GPU falls ill.
  public void setAllocatable(String node, String resource, String quantity) {
    patchNodeStatus(node, Map.of("allocatable", Map.of(resource, quantity)));
  }

  /// Sets a label of the node.
  public void label(String node, String label, String value) {
    Map<String, ?> metadata = Map.of("labels", Map.of(label, value));
    client.nodes().withName(node).patch(MERGE, Serialization.asJson(Map.of("metadata", metadata)));
  }

  private void patchNodeStatus(String node, Map<String, ?> status) {
    client
        .nodes()
        .withName(node)
        .subresource("status")
        .patch(MERGE, Serialization.asJson(Map.of("status", status)));
  }

  /// Takes the node's kubelet down or up again, and waits until it is. Its pods neither start nor
  /// end while it is down.
  public void setKubeletAlive(String name, boolean alive) {
    tellKubelet(name, alive);
    waiting(name + " alive: " + alive).until(() -> readyNodes().contains(name) == alive);
  }

  /// Changes the kubelet's state without waiting.
  void tellKubelet(String name, boolean alive) {
    client
        .nodes()
        .withName(name)
        .patch(
            MERGE,
            Serialization.asJson(
                Map.of("metadata", Map.of("annotations", Map.of(READY, Boolean.toString(alive))))));
  }

  /// Marks the node unschedulable, or no longer.
  void cordon(String name, boolean cordoned) {
    client
        .nodes()
        .withName(name)
        .patch(MERGE, Serialization.asJson(Map.of("spec", Map.of("unschedulable", cordoned))));
  }

  public void deleteNode(String node) {
    client.nodes().withName(node).delete();
  }

  /// Waits until the node is Ready and has no taint.
  public void awaitNodeReady(String name) {
    awaitNodesReady(Set.of(name));
  }

  private void awaitNodesReady(Set<String> names) {
    waiting(names + " ready").until(() -> readyNodes().containsAll(names));
  }

  private Set<String> readyNodes() {
    return client.nodes().list().getItems().stream()
        .filter(TestCluster::isReady)
        .map(node -> node.getMetadata().getName())
        .collect(Collectors.toSet());
  }

  private static ConditionFactory waiting(String what) {
    return await(what).atMost(WAIT).pollDelay(Duration.ZERO).pollInterval(POLL);
  }

  static boolean isReady(Node node) {
    return node.getSpec().getTaints().isEmpty()
        && node.getStatus().getConditions().stream()
            .anyMatch(c -> "Ready".equals(c.getType()) && "True".equals(c.getStatus()));
  }

  /// Returns a pod of the namespace `default` with one container that requests whole GPUs. It is
  /// not created yet; tests add labels, annotations or gates.
  public static PodBuilder gpuPod(String name, int gpus) {
    Map<String, Quantity> resources =
        quantities(Map.of(NodeShape.GPU, Integer.toString(gpus), "cpu", "1", "memory", "1Gi"));
    return new PodBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace("default")
        .endMetadata()
        .withNewSpec()
        .addNewContainer()
        .withName("main")
        .withImage("registry.example/train:1")
        .withNewResources()
        .withRequests(resources)
        .withLimits(resources)
        .endResources()
        .endContainer()
        .endSpec();
  }

  public Pod create(PodBuilder pod) {
    return client.pods().resource(pod.build()).create();
  }

  /// Binds a pod as a scheduler does.
  public void bind(String pod, String node) {
    var binding =
        new BindingBuilder()
            .withNewMetadata()
            .withName(pod)
            .withNamespace("default")
            .endMetadata()
            .withNewTarget()
            .withKind("Node")
            .withName(node)
            .endTarget()
            .build();
    client.bindings().inNamespace("default").resource(binding).create();
  }

  /// The pod of the namespace `default`, if there is one.
  public Optional<Pod> find(String pod) {
    return Optional.ofNullable(client.pods().inNamespace("default").withName(pod).get());
  }

  /// The node that the pod is bound to, if any.
  public Optional<String> nodeOf(String pod) {
    return find(pod).map(p -> p.getSpec().getNodeName());
  }

  /// Waits until all the pods run.
  public void awaitRunning(String... pods) {
    awaitPhase("Running", pods);
  }

  /// Waits until all the pods have a phase such as `Succeeded`.
  public void awaitPhase(String phase, String... pods) {
    waiting(List.of(pods) + " " + phase)
        .until(() -> List.of(pods).stream().allMatch(pod -> phase.equals(phaseOf(pod))));
  }

  private @Nullable String phaseOf(String pod) {
    return find(pod).map(p -> p.getStatus().getPhase()).orElse(null);
  }

  /// Waits until the scheduler has said why the pod stays pending, and returns its words.
  public String awaitUnschedulable(String pod) {
    return waiting("why " + pod + " is pending")
        .until(() -> unschedulableMessage(pod), Optional::isPresent)
        .orElseThrow();
  }

  private Optional<String> unschedulableMessage(String pod) {
    return find(pod).stream()
        .flatMap(p -> p.getStatus().getConditions().stream())
        .filter(c -> "PodScheduled".equals(c.getType()) && "False".equals(c.getStatus()))
        .filter(c -> "Unschedulable".equals(c.getReason()))
        .map(c -> Objects.requireNonNullElse(c.getMessage(), ""))
        .findFirst();
  }

  /// Asks for the end of a pod; it is gone once its kubelet has ended it.
  public void delete(String pod) {
    client.pods().inNamespace("default").withName(pod).delete();
  }

  /// Waits until the pod objects are gone.
  public void awaitGone(String... pods) {
    waiting(List.of(pods) + " gone")
        .until(() -> List.of(pods).stream().allMatch(pod -> find(pod).isEmpty()));
  }
}
