package dev.muster.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Measures how a backlog drains that was made without gates while Muster was down. Gangs of 8 pods
/// with 1 GPU each ask for five times the GPUs of 100 nodes.
///
/// ```
/// deploy/e2e.sh -De2e=BacklogBench -Dbench.gangs=500
/// deploy/e2e.sh -De2e=BacklogBench -Dbench.gangs=2500    # 20,000 pods
/// ```
///
/// Not part of the tests: its name is no test's name.
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class BacklogBench {
  private static final int GANGS = Integer.getInteger("bench.gangs", 500);
  private static final int SECONDS = Integer.getInteger("bench.seconds", 240);
  private static final int NODES = 100;
  private static final int MEMBERS = 8;
  private static final Duration MOST_HALF = Duration.ofMinutes(3);

  @RegisterExtension static final TestStage STAGE = TestStage.asShipped();

  /// Counts pods with a node.
  private static final class Bound implements ResourceEventHandler<Pod> {
    private final AtomicInteger now = new AtomicInteger();

    @Override
    public void onAdd(Pod pod) {
      now.incrementAndGet();
    }

    @Override
    public void onUpdate(Pod before, Pod pod) {}

    @Override
    public void onDelete(Pod pod, boolean unknown) {
      now.decrementAndGet();
    }
  }

  @Test
  void backlog_made_while_muster_was_down() throws IOException {
    ClusterAudit.Findings found;
    var bulk = new BulkObjects(STAGE.admin());
    bulk.nodes(NODES);
    STAGE.killMuster();
    STAGE
        .admin()
        .admissionRegistration()
        .v1()
        .mutatingWebhookConfigurations()
        .withName("muster")
        .delete();
    bulk.create(
        IntStream.range(0, GANGS).mapToObj(i -> BulkObjects.gang("g" + i, MEMBERS, 1)).toList());
    var text = new StringBuilder("%d pods of %d gangs:%n".formatted(GANGS * MEMBERS, GANGS));
    var bound = new Bound();
    try (ClusterAudit audit = new ClusterAudit(STAGE.admin(), MOST_HALF);
        var _ =
            STAGE
                .admin()
                .pods()
                .inNamespace("default")
                .withoutField("spec.nodeName", "")
                .inform(bound)) {
      long from = System.nanoTime();
      STAGE.startMuster(Duration.ofMinutes(2));
      text.append("ready after %d ms%n".formatted((System.nanoTime() - from) / 1_000_000));
      for (int second = 0; second < SECONDS; second += 10) {
        await("time")
            .pollDelay(Duration.ofSeconds(10))
            .atMost(Duration.ofMinutes(1))
            .until(() -> true);
        text.append("after %d s: %d GPUs busy%n".formatted(second + 10, bound.now.get()));
      }
      text.append(LongRun.steps(STAGE)).append("%n".formatted());
      text.append(Footprint.peak(STAGE.process().pid())).append("%n".formatted());
      found = audit.findings();
      text.append(found.text());
    }
    text.append(
        "Events of Muster: %d, of them NotBoundInTime: %d%n"
            .formatted(events(""), events("NotBoundInTime")));
    System.out.println(text);
    Files.writeString(STAGE.plane().logs().resolve("backlog.md"), text);
    STAGE.killMuster(); // It would start gang after gang while they are deleted.
    bulk.clear();
    assertThat(found.violations()).isEmpty();
  }

  private static long events(String reason) {
    String selector =
        "reportingComponent=muster.dev/scheduler" + (reason.isEmpty() ? "" : ",reason=" + reason);
    return STAGE
        .admin()
        .v1()
        .events()
        .inNamespace("default")
        .list(new ListOptionsBuilder().withFieldSelector(selector).build())
        .getItems()
        .size();
  }
}
