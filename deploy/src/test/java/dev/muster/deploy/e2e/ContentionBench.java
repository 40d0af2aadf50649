package dev.muster.deploy.e2e;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Measures how long gangs are half bound while twice as many GPUs are requested as exist. 31 gangs
/// of 13 nodes each compete for 200 nodes.
///
/// ```
/// deploy/e2e.sh -De2e=ContentionBench
/// ```
///
/// The gangs are gated by the webhook, or held by the filter only, under kube-scheduler's default
/// backoff of up to 10 s and under the shipped one.
///
/// Not part of the tests: its name is no test's name.
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class ContentionBench {
  private static final String SHIPPED = "(?m)^podMaxBackoffSeconds:.*\\R";
  private static final int NODES = 200;
  private static final int GANGS = 31;
  private static final int MEMBERS = 13;
  private static final int LAPS = Integer.getInteger("bench.laps", 3);
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static int laps;

  @RegisterExtension static final TestStage STAGE = TestStage.asShipped();

  /// Times of the first and the last binding of each gang.
  private static final class Bindings implements ResourceEventHandler<Pod> {
    private final Map<String, long[]> times = new HashMap<>();
    private int seen;

    @Override
    public synchronized void onAdd(Pod pod) {
      long now = System.nanoTime();
      String gang = pod.getMetadata().getLabels().getOrDefault(TestGangs.LABEL, "");
      times.computeIfAbsent(gang, _ -> new long[] {now, now})[1] = now;
      seen++;
    }

    @Override
    public void onUpdate(Pod before, Pod pod) {}

    @Override
    public void onDelete(Pod pod, boolean unknown) {}

    synchronized int seen() {
      return seen;
    }

    /// Milliseconds from the first to the last binding, in ascending order.
    synchronized long[] halfBound() {
      return times.values().stream()
          .mapToLong(ends -> (ends[1] - ends[0]) / 1_000_000)
          .sorted()
          .toArray();
    }
  }

  @Test
  void twice_as_many_gpus_requested_as_exist() throws IOException {
    var bulk = new BulkObjects(STAGE.admin());
    bulk.nodes(NODES);
    var text = new StringBuilder();
    String shipped = STAGE.schedulerConfiguration();
    laps(text, bulk, "gated");
    var webhook =
        STAGE
            .admin()
            .admissionRegistration()
            .v1()
            .mutatingWebhookConfigurations()
            .withName("muster");
    webhook.delete();
    laps(text, bulk, "filter-held");
    STAGE.plane().restartScheduler(shipped.replaceFirst(SHIPPED, ""));
    laps(text, bulk, "filter-held, backoff up to 10 s");
    System.out.println(text);
    Files.writeString(STAGE.plane().logs().resolve("contention.md"), text);
  }

  private static void laps(StringBuilder text, BulkObjects bulk, String kind) {
    for (int lap = 0; lap < LAPS; lap++) {
      text.append(kind).append(lap(bulk));
    }
  }

  private static String lap(BulkObjects bulk) {
    int lap = laps++;
    var bindings = new Bindings();
    long begun = System.nanoTime();
    try (var _ =
        STAGE
            .admin()
            .pods()
            .inNamespace("default")
            .withoutField("spec.nodeName", "")
            .inform(bindings)) {
      bulk.create(
          IntStream.range(0, GANGS).mapToObj(i -> gang("lap%dg%d".formatted(lap, i), i)).toList());
      await("all bound")
          .atMost(LIMIT)
          .pollInterval(Duration.ofMillis(100))
          .until(() -> bindings.seen() == GANGS * MEMBERS);
    }
    long[] half = bindings.halfBound();
    bulk.clear();
    return ": half bound median %d ms, p90 %d ms, longest %d ms; all bound after %d ms%n"
        .formatted(
            half[half.length / 2],
            half[half.length * 9 / 10],
            half[half.length - 1],
            (System.nanoTime() - begun) / 1_000_000);
  }

  private static List<BulkObjects.Creation> gang(String name, int index) {
    var annotations = new TreeMap<>(Map.of(TestCluster.RUN_FOR, "%ds".formatted(3 + index % 5)));
    var gang = new ArrayList<BulkObjects.Creation>();
    gang.add(BulkObjects.group(name, MEMBERS));
    for (int i = 0; i < MEMBERS; i++) {
      gang.add(
          BulkObjects.pod(
              TestGangs.member(name, i, 8)
                  .editMetadata()
                  .addToAnnotations(annotations)
                  .endMetadata()));
    }
    return gang;
  }
}
