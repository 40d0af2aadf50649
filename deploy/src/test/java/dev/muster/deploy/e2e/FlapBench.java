package dev.muster.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Lets nodes flap and PodGroups come while gangs start.
///
/// ```
/// deploy/e2e.sh -De2e=FlapBench
/// ```
///
/// `-Dbench.seconds` is the time of the storm (60), `-Dbench.rate` the number of flaps, and of
/// PodGroups, a second (100). A flap is a node that is not Ready until its kubelet is heard again.
/// No pod belongs to the PodGroups of the storm.
///
/// Not part of the tests: its name is no test's name.
@Timeout(value = 2, unit = TimeUnit.HOURS)
class FlapBench {
  private static final Duration STORM = Duration.ofSeconds(Integer.getInteger("bench.seconds", 60));
  private static final int RATE = Integer.getInteger("bench.rate", 100);
  private static final Duration MOST_HALF = Duration.ofSeconds(60);
  private static final int NODES = 200;
  private static final PatchContext MERGE = PatchContext.of(PatchType.STRATEGIC_MERGE);
  private static final String AWAY =
      """
      {"status": {"conditions": [{"type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown"}]}}
      """;

  @RegisterExtension
  static final TestStage STAGE = TestStage.asShipped().with(LongRun.configuration("", ""));

  private final KubernetesClient client = STAGE.admin();

  /// Calls at a rate, which callers may miss.
  private static final class Stream implements AutoCloseable {
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    private final ExecutorService callers = Executors.newFixedThreadPool(16);
    private final AtomicInteger asked = new AtomicInteger();
    private volatile boolean over;
    private final AtomicInteger done = new AtomicInteger();

    Stream(IntConsumer call) {
      var _ =
          clock.scheduleAtFixedRate(
              () -> callers.execute(() -> run(call)), 0, 1_000_000 / RATE, TimeUnit.MICROSECONDS);
    }

    private void run(IntConsumer call) {
      if (!over) {
        call.accept(asked.getAndIncrement());
        done.incrementAndGet();
      }
    }

    @Override
    public void close() {
      over = true;
      clock.shutdownNow();
      callers.shutdown();
      try {
        callers.awaitTermination(10, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Test
  void nodes_flap_and_pod_groups_come_while_gangs_start() throws IOException {
    try (LongRun run = new LongRun(STAGE, "flaps", MOST_HALF)) {
      new BulkObjects(client).nodes(NODES);
      run.goOn(Duration.ofSeconds(15));
      Footprint before = Footprint.of(STAGE.process().pid());
      Stream groups = new Stream(this::group);
      Stream flaps = new Stream(this::flap);
      long from = System.nanoTime();
      try (groups;
          flaps) {
        run.goOn(STORM);
      }
      double seconds = (System.nanoTime() - from) / 1e9;
      run.say(
          "%.0f flaps and %.0f PodGroups a second"
              .formatted(flaps.done.get() / seconds, groups.done.get() / seconds));
      run.say(LongRun.steps(STAGE));
      assertThat(STAGE.process().isAlive()).isTrue();
      Footprint after = Footprint.of(STAGE.process().pid());
      run.say("live MiB %d, then %d".formatted(before.bytes() >> 20, after.bytes() >> 20));
      assertThat(run.end().violations()).isEmpty();
    }
  }

  private void flap(int number) {
    Node node = TestCluster.node(NodeShape.withGpus(BulkObjects.node(number % NODES), 8));
    client.resource(node).subresource("status").patch(MERGE, AWAY);
  }

  private void group(int number) {
    new TestGangs(client).declare("storm" + number, 2, Map.of());
  }
}
