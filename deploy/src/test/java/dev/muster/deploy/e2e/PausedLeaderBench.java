package dev.muster.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Freezes the leader of two instances of Muster while gangs start, and lets it go on. Then it
/// freezes the other one.
///
/// ```
/// deploy/e2e.sh -De2e=PausedLeaderBench
/// ```
///
/// `-Dbench.seconds` is the time of each pause (60), `-Dbench.laps` their number (2). A relay plays
/// the Service: new connections go to the instance that was ready last.
///
/// Not part of the tests: its name is no test's name.
@Timeout(value = 2, unit = TimeUnit.HOURS)
class PausedLeaderBench {
  private static final int LAPS = Integer.getInteger("bench.laps", 2);
  private static final Duration FROZEN =
      Duration.ofSeconds(Integer.getInteger("bench.seconds", 60));
  private static final Duration BESIDE = Duration.ofSeconds(20);
  private static final Duration MOST_HALF = Duration.ofSeconds(90);
  private static final int DEPOSED = 75;

  @RegisterExtension
  static final TestStage STAGE = TestStage.asShipped().with(LongRun.configuration("", ""));

  /// One of the two.
  private record Instance(ChildProcess process, URI pages, int https) {}

  private final AtomicInteger target = new AtomicInteger(STAGE.secure().getPort());

  @Test
  void leader_is_frozen_while_gangs_start() throws IOException {
    try (Relay service = Relay.to(target::get);
        Replica second = STAGE.startReplica("muster-1");
        LongRun run = beginWith(service)) {
      List<Instance> both =
          List.of(
              new Instance(STAGE.process(), STAGE.muster(), STAGE.secure().getPort()),
              new Instance(
                  second.process(),
                  URI.create("http://127.0.0.1:" + second.files().http()),
                  second.files().https()));
      for (int lap = 0; lap < LAPS; lap++) {
        run.goOn(BESIDE);
        lap(run, both.get(lap % 2), both.get((lap + 1) % 2));
      }
      run.goOn(BESIDE);
      target.set(both.get(LAPS % 2).https());
      assertThat(run.end().violations()).isEmpty();
    }
  }

  /// Everybody reaches Muster by the relay.
  private static LongRun beginWith(Relay service) {
    String own = "127.0.0.1:" + STAGE.secure().getPort();
    String relayed = "127.0.0.1:" + service.port();
    STAGE.plane().restartScheduler(STAGE.schedulerConfiguration().replace(own, relayed));
    STAGE
        .admin()
        .admissionRegistration()
        .v1()
        .mutatingWebhookConfigurations()
        .withName("muster")
        .edit(all -> relayed(all, own, relayed));
    return new LongRun(STAGE, "paused-leader", MOST_HALF);
  }

  private static MutatingWebhookConfiguration relayed(
      MutatingWebhookConfiguration all, String own, String relayed) {
    all.getWebhooks()
        .forEach(webhook -> {
          var client = webhook.getClientConfig();
          client.setUrl(client.getUrl().replace(own, relayed));
        });
    return all;
  }

  private void lap(LongRun run, Instance leader, Instance standby) {
    long from = System.nanoTime();
    leader.process().signal("STOP");
    CompletableFuture<Long> taken = CompletableFuture.supplyAsync(() -> awaitReady(standby, from));
    run.goOn(FROZEN);
    long thawed = System.nanoTime();
    leader.process().signal("CONT");
    run.say("the other leads after %d ms".formatted(taken.orTimeout(1, TimeUnit.SECONDS).join()));
    CompletableFuture<Process> end = leader.process().onExit();
    CompletableFuture<Long> exit = end.thenApply(_ -> since(thawed));
    run.goOn(BESIDE);
    run.say("the former leader exits %d ms after it goes on".formatted(exit.join()));
    assertThat(leader.process().exitStatus()).hasValue(DEPOSED);
    leader.process().start();
  }

  private long awaitReady(Instance standby, long from) {
    while (!TestStage.isReady(standby.pages())) {
      LongRun.pause(Duration.ofMillis(100));
    }
    target.set(standby.https());
    return since(from);
  }

  private static long since(long from) {
    return (System.nanoTime() - from) / 1_000_000;
  }
}
