package dev.muster.deploy.e2e;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

/**
 * Thousands of objects at once: creates them on many connections without reading them back, and
 * counts the pods that get a node by a watch that shows no others.
 */
final class Flood implements AutoCloseable {
  private static final int CREATORS = 32;
  private static final Duration LIMIT = Duration.ofMinutes(10);
  private static final Duration POLL = Duration.ofSeconds(1);
  private static final String PODS = "/api/v1/namespaces/default/pods";
  private static final String POD_GROUPS =
      "/apis/scheduling.x-k8s.io/v1alpha1/namespaces/default/podgroups";

  private final KubernetesClient client;
  private final Arrivals arrivals = new Arrivals();
  private final SharedIndexInformer<Pod> informer;
  private int surges;

  Flood(KubernetesClient client) {
    this.client = client;
    informer =
        client.pods().inNamespace("default").withoutField("spec.nodeName", "").inform(arrivals);
  }

  /** One creation of an object still to be made. */
  private record Creation(String path, HasMetadata object) {}

  /** Creates nodes of 8 GPUs and waits until all may be used. */
  void nodes(int count) {
    createAll(
        IntStream.range(0, count)
            .mapToObj(i -> Cluster.node(NodeShape.withGpus("n%05d".formatted(i), 8)))
            .map(node -> List.of(new Creation("/api/v1/nodes", node)))
            .toList());
    await("nodes ready")
        .atMost(LIMIT)
        .pollInterval(POLL)
        .until(() -> client.nodes().list().getItems().stream().allMatch(Cluster::isReady));
  }

  /** Pods of one GPU that belong to no gang. */
  Surge lone(int pods) {
    String name = "surge" + surges++ + "-";
    return run(
        pods,
        IntStream.range(0, pods).mapToObj(i -> List.of(pod(Cluster.gpuPod(name + i, 1)))).toList());
  }

  /** Gangs of one GPU per member, each with its PodGroup. */
  Surge gangs(int gangs, int members) {
    String name = "surge" + surges++ + "-";
    return run(
        gangs * members, IntStream.range(0, gangs).mapToObj(i -> gang(name + i, members)).toList());
  }

  private static Creation pod(PodBuilder pod) {
    return new Creation(PODS, pod.build());
  }

  private static List<Creation> gang(String name, int members) {
    var gang = new ArrayList<Creation>();
    gang.add(new Creation(POD_GROUPS, Gangs.group(name, members, Map.of())));
    IntStream.range(0, members).forEach(i -> gang.add(pod(Gangs.member(name, i, 1))));
    return gang;
  }

  private Surge run(int pods, List<List<Creation>> creations) {
    arrivals.expect(pods);
    CpuTime before = CpuTime.now();
    long asked = System.nanoTime();
    createAll(creations);
    long created = System.nanoTime();
    long bound = arrivals.awaitLast(LIMIT);
    var surge = new Surge(pods, created - asked, bound - asked, CpuTime.now().since(before));
    clear();
    return surge;
  }

  /** Each list in its order, the lists beside each other. */
  private void createAll(List<List<Creation>> creations) {
    List<Callable<Object>> requests =
        creations.stream().map(list -> Executors.callable(() -> create(list))).toList();
    try (var creators = Executors.newFixedThreadPool(CREATORS)) {
      for (var answer : creators.invokeAll(requests)) {
        answer.get();
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException("An object could not be created", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted", e);
    }
  }

  private void create(List<Creation> list) {
    list.forEach(creation -> client.raw(creation.path(), "POST", creation.object()));
  }

  /** Removes pods and gangs, and lets everybody come to rest. */
  void clear() {
    await("no pods left").atMost(LIMIT).pollInterval(POLL).until(this::noPods);
    new Gangs(client).deleteAll();
    await("rest").pollDelay(Duration.ofSeconds(5)).atMost(LIMIT).until(() -> true);
  }

  private boolean noPods() {
    client.pods().inNamespace("default").withGracePeriod(0).delete();
    return client.pods().inNamespace("default").list().getItems().isEmpty();
  }

  @Override
  public void close() {
    informer.close();
  }

  /** Counts pods as they get their nodes. */
  private static final class Arrivals implements ResourceEventHandler<Pod> {
    private int missing;
    private long last;

    synchronized void expect(int pods) {
      missing = pods;
    }

    @Override
    public synchronized void onAdd(Pod pod) {
      missing--;
      last = System.nanoTime();
      notifyAll();
    }

    @Override
    public void onUpdate(Pod before, Pod pod) {}

    @Override
    public void onDelete(Pod pod, boolean unknown) {}

    /** When the last pod got its node. */
    synchronized long awaitLast(Duration atMost) {
      long end = System.nanoTime() + atMost.toNanos();
      while (missing > 0) {
        long left = (end - System.nanoTime()) / 1_000_000;
        if (left <= 0) {
          throw new IllegalStateException(missing + " pods have no node after " + atMost);
        }
        try {
          wait(left);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new IllegalStateException("Interrupted", e);
        }
      }
      return last;
    }
  }
}
