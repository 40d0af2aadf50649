package dev.muster.deploy.e2e;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Measures the cost of thousands of gangs that wait while nothing changes. It counts writes and
/// lists at the API server, calls of kube-scheduler, and processor time. A run takes enough minutes
/// to include all periodic work.
///
/// ```
/// deploy/e2e.sh -De2e=WaitingBench                     # 10,000 gangs
/// deploy/e2e.sh -De2e=WaitingBench -Dbench.scale=0.1
/// ```
///
/// Not part of the tests: its name is no test's name.
@Timeout(value = 1, unit = TimeUnit.HOURS)
class WaitingBench {
  private static final double SCALE = Double.parseDouble(System.getProperty("bench.scale", "1"));
  private static final int GANGS = (int) Math.ceil(10_000 * SCALE);
  private static final int NODES = 100;
  private static final int MEMBERS = 2;
  private static final Duration SPELL = Duration.ofMinutes(4);
  private static final Duration QUIET = Duration.ofSeconds(35);

  @RegisterExtension static final TestStage STAGE = TestStage.asShipped();

  @Test
  void waiting_without_changes() throws IOException, InterruptedException {
    var bulk = new BulkObjects(STAGE.admin());
    bulk.nodes(NODES);
    bulk.allowPlacedPods();
    bulk.create(
        IntStream.range(0, NODES)
            .mapToObj(i -> List.of(BulkObjects.bound(TestCluster.gpuPod("runs" + i, 8), i)))
            .toList());
    bulk.create(
        IntStream.range(0, GANGS)
            .mapToObj(i -> BulkObjects.gang("waits" + i, MEMBERS, 8))
            .toList());
    awaitQuiet();

    Requests written = written();
    Requests listed = listed();
    Requests asked = asked();
    CpuTime cpu = CpuTime.now();
    await("the time").pollDelay(SPELL).atMost(SPELL.multipliedBy(2)).until(() -> true);
    CpuTime used = CpuTime.now().since(cpu);

    var text = new StringBuilder("%d gangs wait, over %s:%n".formatted(GANGS, SPELL));
    text.append("written: %s%n".formatted(written().since(written).counts()));
    text.append("listed: %s%n".formatted(listed().since(listed).counts()));
    text.append("asked of Muster: %s%n".formatted(asked().since(asked).counts()));
    used.millis()
        .forEach((name, ms) ->
            text.append(
                "%s: %.2f %% of a processor%n".formatted(name, ms * 100.0 / SPELL.toMillis())));
    System.out.println(text);
    Files.writeString(STAGE.plane().logs().resolve("waiting.md"), text);
    STAGE.killMuster(); // It would start gang after gang while they are deleted.
    bulk.clear();
  }

  /// Waits until half a minute has passed without a write.
  private static void awaitQuiet() {
    Requests before;
    Requests now = written();
    do {
      before = now;
      await("quiet").pollDelay(QUIET).atMost(SPELL).until(() -> true);
      now = written();
    } while (!now.equals(before));
  }

  private static Requests written() {
    return Requests.written(STAGE.admin().raw("/metrics"));
  }

  private static Requests listed() {
    return Requests.listed(STAGE.admin().raw("/metrics"));
  }

  private static Requests asked() throws IOException, InterruptedException {
    try (var http = HttpClient.newHttpClient()) {
      var request = HttpRequest.newBuilder(STAGE.muster().resolve("/metrics")).build();
      return Requests.toMuster(http.send(request, BodyHandlers.ofString()).body());
    }
  }
}
