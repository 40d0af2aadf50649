package dev.muster.deploy.e2e;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/// Creates thousands of pods at once. A watch that selects only pods with a node counts them.
final class PodFlood implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofMinutes(10);
  private static final Duration REST = Duration.ofSeconds(5);

  private final BulkObjects bulk;
  private final Arrivals arrivals = new Arrivals();
  private final SharedIndexInformer<Pod> informer;
  private int surges;

  PodFlood(KubernetesClient client) {
    bulk = new BulkObjects(client);
    informer =
        client.pods().inNamespace("default").withoutField("spec.nodeName", "").inform(arrivals);
  }

  /// Pods of one GPU that belong to no gang.
  PodSurge lone(int pods) {
    String name = "surge" + surges++ + "-";
    return run(
        pods,
        IntStream.range(0, pods)
            .mapToObj(i -> List.of(BulkObjects.pod(TestCluster.gpuPod(name + i, 1))))
            .toList());
  }

  /// Gangs of one GPU per member, each with its PodGroup.
  PodSurge gangs(int gangs, int members) {
    String name = "surge" + surges++ + "-";
    return run(
        gangs * members,
        IntStream.range(0, gangs).mapToObj(i -> BulkObjects.gang(name + i, members, 1)).toList());
  }

  /// Any pods, which are created list by list beside each other.
  PodSurge run(int pods, List<List<BulkObjects.Creation>> creations) {
    arrivals.expect(pods);
    Requests written = written();
    CpuTime cpu = CpuTime.now();
    long asked = System.nanoTime();
    bulk.create(creations);
    long created = System.nanoTime();
    long bound = arrivals.awaitLast(LIMIT);
    CpuTime used = CpuTime.now().since(cpu);
    rest(); // Records and statuses are written after the last binding.
    var surge = new PodSurge(pods, created - asked, bound - asked, used, written().since(written));
    clear();
    return surge;
  }

  /// One gang alone. Its object comes first, and then its members at once.
  PodSurge lap(List<BulkObjects.Creation> gang) {
    List<BulkObjects.Creation> members = gang.subList(1, gang.size());
    arrivals.expect(members.size());
    bulk.create(List.of(gang.subList(0, 1)));
    long asked = System.nanoTime();
    bulk.create(members.stream().map(List::of).toList());
    long created = System.nanoTime();
    long bound = arrivals.awaitLast(LIMIT);
    var lap =
        new PodSurge(
            members.size(),
            created - asked,
            bound - asked,
            new CpuTime(Map.of()),
            new Requests(Map.of()));
    clear();
    return lap;
  }

  private Requests written() {
    return Requests.written(bulk.client().raw("/metrics"));
  }

  /// Removes pods and gangs, and lets everybody come to rest.
  private void clear() {
    bulk.clear();
    rest();
  }

  private static void rest() {
    await("rest").pollDelay(REST).atMost(LIMIT).until(() -> true);
  }

  @Override
  public void close() {
    informer.close();
  }

  /// Counts pods as they get their nodes.
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

    /// When the last pod got its node.
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
