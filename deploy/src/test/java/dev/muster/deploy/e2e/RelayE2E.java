package dev.muster.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Muster reaches the API server through a bad proxy. It always drops the header `Upgrade`.
///
/// ```
/// deploy/e2e.sh -De2e='RelayE2E#no_memory*' -Drelay.cuts=7000    # half an hour
/// ```
class RelayE2E {
  private static final int CUTS = Integer.getInteger("relay.cuts", 40);

  /// Before each of so many cuts, the connections are mute for some seconds.
  private static final int MUTE_EACH = 100;

  /// Bytes that remain of each cut at most, were there a leak.
  private static final long SPARE = 24 << 20;

  @RegisterExtension
  static final TestStage STAGE =
      TestStage.asShipped().with("gangs: {bindTimeout: 10s}").withoutUpgrade();

  private final TestGangs gangs = STAGE.gangs();

  @AfterEach
  void mend() {
    STAGE.relay().mend();
    await("the cluster is followed").atMost(Duration.ofSeconds(30)).until(RelayE2E::isWatching);
  }

  private static long metric(String name) {
    return STAGE
        .page("/metrics")
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(name.length() + 1)))
        .findFirst()
        .orElse(-1);
  }

  private static boolean isWatching() {
    return metric("muster_watching") == 1;
  }

  private static long decided() {
    return STAGE
        .page("/metrics")
        .lines()
        .filter(line -> line.startsWith("muster_decisions_total{"))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(line.indexOf(' ') + 1)))
        .sum();
  }

  private static long faults(String fault) {
    return metric("muster_watch_faults_total{fault=\"%s\"}".formatted(fault));
  }

  private static boolean logs(String sentence) {
    try {
      return Files.readString(STAGE.plane().logs().resolve("muster.log")).contains(sentence);
    } catch (IOException e) {
      return false;
    }
  }

  private static void within(int seconds, String what, BooleanSupplier fact) {
    await(what).atMost(Duration.ofSeconds(seconds)).until(fact::getAsBoolean);
  }

  private static void hold(int seconds, String what, BooleanSupplier fact) {
    Duration time = Duration.ofSeconds(seconds);
    await(what).during(time).atMost(time.multipliedBy(2)).until(fact::getAsBoolean);
  }

  @Test
  void proxy_that_ends_silent_watches_is_told_and_stops_neither_gangs_nor_time() {
    STAGE.cluster().createNodes(NodeShape.withGpus("idle-0", 8), NodeShape.withGpus("idle-1", 8));
    STAGE.relay().endSilentAfter(Duration.ofSeconds(3));

    within(20, "the log tells it", () -> logs("times within a minute and begins again each time"));
    assertThat(faults("ended")).isPositive();
    gangs.create("first", 1, 8);
    gangs.awaitRunning("first", 1);
    STAGE.plane().kill(ControlPlaneComponent.SCHEDULER);
    long released = metric("muster_decisions_total{kind=\"release\"}");
    gangs.create("second", 1, 8);
    hold(8, "the cluster is followed all the time", RelayE2E::isWatching);
    within(
        30,
        "the reservation ends after twice the timeout at most",
        () -> metric("muster_decisions_total{kind=\"release\"}") > released);
    STAGE.plane().start(ControlPlaneComponent.SCHEDULER);
    gangs.awaitRunning("second", 1);
  }

  @Test
  void mute_proxy_is_told_within_seconds_and_nothing_is_decided() {
    STAGE.cluster().createNodes(NodeShape.withGpus("mute-0", 8));
    STAGE.relay().mute();

    within(20, "the metric tells it", () -> !isWatching());
    within(3, "the log tells it", () -> logs("The cluster has not been seen completely"));
    long before = decided();
    gangs.create("meanwhile", 1, 8);
    hold(5, "nothing is decided", () -> decided() == before && !isWatching());
    STAGE.relay().mend(); // the connections that were silent remain so

    gangs.awaitRunning("meanwhile", 1);
  }

  @Test
  void lease_is_kept_when_all_connections_fall_silent() {
    STAGE.cluster().createNodes(NodeShape.withGpus("lease-0", 8), NodeShape.withGpus("lease-1", 8));
    gangs.create("before", 1, 8);
    gangs.awaitRunning("before", 1);

    STAGE.relay().silence();
    gangs.create("after", 1, 8);

    hold(16, "it leads all the time", () -> metric("muster_leading") == 1);
    gangs.awaitRunning("after", 1);
    assertThat(faults("dead")).isPositive();
    assertThat(STAGE.process().isAlive()).isTrue();
  }

  @Test
  void proxy_that_ends_handshakes_is_told_within_seconds_and_nothing_is_decided() {
    STAGE.cluster().createNodes(NodeShape.withGpus("hand-0", 8));
    STAGE.relay().endHandshakes();

    within(12, "the metric tells it", () -> !isWatching());
    long before = decided();
    gangs.create("shaken", 1, 8);
    hold(5, "nothing is decided", () -> decided() == before && !isWatching());
    STAGE.relay().mend();

    gangs.awaitRunning("shaken", 1);
  }

  @Test
  @Timeout(value = 2, unit = TimeUnit.HOURS)
  void no_memory_remains_of_cut_watches() {
    STAGE.cluster().createNodes(NodeShape.withGpus("cut-0", 8));
    cut(5);
    Footprint before = Footprint.of(STAGE.process().pid());
    cut(CUTS);
    Footprint after = Footprint.of(STAGE.process().pid());

    System.out.printf(
        "live bytes %d before, %d after %d cuts; threads %d, %d; descriptors %d, %d%n",
        before.bytes(),
        after.bytes(),
        CUTS,
        before.threads(),
        after.threads(),
        before.descriptors(),
        after.descriptors());
    assertThat(after.bytes()).isLessThan(before.bytes() + SPARE);
    assertThat(after.threads()).isLessThan(before.threads() + 20);
    gangs.create("last", 1, 8);
    gangs.awaitRunning("last", 1);
  }

  private static void cut(int times) {
    for (int i = 0; i < times; i++) {
      if (i % MUTE_EACH == MUTE_EACH - 1) {
        STAGE.relay().mute();
        within(20, "the metric tells it", () -> !isWatching());
        STAGE.relay().mend();
      }
      STAGE.relay().hangUpAll();
      await("the watches begin again")
          .pollDelay(Duration.ofMillis(200))
          .atMost(Duration.ofSeconds(20))
          .until(RelayE2E::isWatching);
    }
  }
}
