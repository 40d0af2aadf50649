package dev.muster.deploy.e2e;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

/// Thousands of objects that are created concurrently and not read back.
record BulkObjects(KubernetesClient client) {
  private static final int CALLERS = 32;
  private static final long PAGE = 1_000;
  private static final Duration LIMIT = Duration.ofMinutes(10);
  private static final Duration POLL = Duration.ofSeconds(1);

  /// An object to create, and its path.
  record Creation(String path, HasMetadata object) {}

  static Creation pod(PodBuilder pod) {
    return new Creation("/api/v1/namespaces/default/pods", pod.build());
  }

  /// A PodGroup and, after it, its members.
  static List<Creation> gang(String name, int members, int gpus) {
    var gang = new ArrayList<Creation>();
    gang.add(group(name, members));
    IntStream.range(0, members).forEach(i -> gang.add(pod(TestGangs.member(name, i, gpus))));
    return gang;
  }

  static Creation group(String name, int members) {
    return new Creation(
        "/apis/scheduling.x-k8s.io/v1alpha1/namespaces/default/podgroups",
        TestGangs.group(name, members, Map.of()));
  }

  /// A pod that has its node from the start, so kube-scheduler is not asked. Needs
  /// [#allowPlacedPods].
  static Creation bound(PodBuilder pod, int node) {
    return pod(pod.editSpec().withNodeName(node(node)).endSpec());
  }

  static String node(int index) {
    return "n%05d".formatted(index);
  }

  /// Lets pods name their node and request GPUs, and returns when the API server knows it.
  void allowPlacedPods() {
    client
        .namespaces()
        .withName("default")
        .edit(namespace ->
            new NamespaceBuilder(namespace)
                .editMetadata()
                .addToLabels("muster.dev/placed-pods", "allowed")
                .addToLabels("muster.dev/hide-gpus", "disabled")
                .endMetadata()
                .build());
    PodBuilder placed = TestCluster.gpuPod("placed", 1).editSpec().withNodeName(node(0)).endSpec();
    await("placed pods allowed")
        .atMost(LIMIT)
        .ignoreException(KubernetesClientException.class)
        .until(() ->
            client
                .pods()
                .resource(placed.build())
                .dryRun(true)
                .create()
                .getMetadata()
                .getName()
                .equals("placed"));
  }

  /// Creates nodes of 8 GPUs and waits until all may be used.
  void nodes(int count) {
    create(
        IntStream.range(0, count)
            .mapToObj(i -> TestCluster.node(NodeShape.withGpus(node(i), 8)))
            .map(node -> List.of(new Creation("/api/v1/nodes", node)))
            .toList());
    await("nodes ready")
        .atMost(LIMIT)
        .pollInterval(POLL)
        .until(() -> client.nodes().list().getItems().stream().allMatch(TestCluster::isReady));
  }

  /// Creates each list in its order, the lists beside each other.
  void create(List<List<Creation>> creations) {
    together(creations.stream().<Runnable>map(list -> () -> post(list)).toList());
  }

  private static void together(List<Runnable> requests) {
    List<Callable<Object>> calls = requests.stream().map(Executors::callable).toList();
    try (var callers = Executors.newFixedThreadPool(CALLERS)) {
      for (var answer : callers.invokeAll(calls)) {
        answer.get();
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException("A request failed", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted", e);
    }
  }

  private void post(List<Creation> list) {
    list.forEach(creation -> client.raw(creation.path(), "POST", creation.object()));
  }

  /// Removes pods and gangs, and returns when they are gone.
  void clear() {
    for (List<Pod> some = somePods(); !some.isEmpty(); some = somePods()) {
      together(some.stream().<Runnable>map(pod -> () -> delete(pod)).toList());
    }
    new TestGangs(client).deleteAll();
  }

  private List<Pod> somePods() {
    return client
        .pods()
        .inNamespace("default")
        .list(new ListOptionsBuilder().withLimit(PAGE).build())
        .getItems();
  }

  /// By itself: one call for tens of thousands of pods takes longer than callers wait.
  private void delete(Pod pod) {
    client.resource(pod).withGracePeriod(0).delete();
  }
}
