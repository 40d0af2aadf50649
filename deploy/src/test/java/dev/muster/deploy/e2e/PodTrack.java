package dev.muster.deploy.e2e;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

/// Creates pods as a controller does, and watches until they have nodes.
final class PodTrack implements AutoCloseable {
  /// Requests at a time; the Job controller's batches are as large.
  private static final int CREATORS = 16;

  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final Duration REST = Duration.ofMillis(1_500);

  private final KubernetesClient client;
  private final PodSightings sightings = new PodSightings();
  private final SharedIndexInformer<Pod> informer;
  private int laps;

  PodTrack(KubernetesClient client) {
    this.client = client;
    informer = client.pods().inNamespace("default").inform(sightings);
  }

  /// A gang with one member per node of 8 GPUs.
  LapTimer gang(int members) {
    String name = "lap" + laps++ + "g";
    new TestGangs(client).declare(name, members);
    return run(
        name + "-",
        IntStream.range(0, members).mapToObj(i -> TestGangs.member(name, i, 8)).toList());
  }

  /// Pods of one GPU each that belong to no gang.
  LapTimer lone(int pods) {
    String name = "lap" + laps++ + "p-";
    return run(
        name, IntStream.range(0, pods).mapToObj(i -> TestCluster.gpuPod(name + i, 1)).toList());
  }

  private LapTimer run(String prefix, List<PodBuilder> pods) {
    long asked = System.nanoTime();
    createAll(pods);
    long created = System.nanoTime();
    sightings.awaitBound(prefix, pods.size(), LIMIT);
    var lap =
        new LapTimer(
            asked,
            created,
            sightings.firstTold(prefix),
            sightings.lastUngated(prefix),
            sightings.lastBound(prefix));
    clear();
    return lap;
  }

  private void createAll(List<PodBuilder> pods) {
    List<Callable<Object>> requests =
        pods.stream()
            .map(pod -> (Callable<Object>) () -> client.pods().resource(pod.build()).create())
            .toList();
    try (var creators = Executors.newFixedThreadPool(CREATORS)) {
      for (var answer : creators.invokeAll(requests)) {
        answer.get();
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException("A pod could not be created", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted", e);
    }
  }

  /// Removes pods and gangs, and lets the schedulers and their request budgets recover.
  private void clear() {
    new TestGangs(client).deleteAll();
    client.pods().inNamespace("default").withGracePeriod(0).delete();
    await("no pods left")
        .atMost(LIMIT)
        .pollInterval(Duration.ofMillis(200))
        .until(() -> client.pods().inNamespace("default").list().getItems().isEmpty());
    await("rest").pollDelay(REST).atMost(LIMIT).until(() -> true);
  }

  @Override
  public void close() {
    informer.close();
  }
}
