package dev.muster.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.simulator.cli.Simulate;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Muster starts every gang in a cluster with random faults.
///
/// Faults are injected for `-Dfaults.seconds` (30 by default), drawn from `-Dfaults.seed`.
class FaultyClusterE2E {
  private static final Path FOLDER = Path.of("target", "e2e", "faults").toAbsolutePath();
  private static final Path JOURNAL = FOLDER.resolve("journal.jsonl");
  private static final Path STORY = FOLDER.resolve("story.txt");
  private static final Path POLICY = FOLDER.resolve("policy.yaml");
  private static final String ENFORCED =
      """
      apiVersion: policy.muster.dev/v1
      kind: PreemptionPolicy
      rules:
        - {name: higher-priority, when: preemptor.priority > victim.priority, action: Allow}
      limits: {cooldown: 2s, evictionsPerHour: 10000, maxPreemptions: {count: 1000, per: 1h}}
      """;

  @RegisterExtension
  static final TestStage STAGE =
      TestStage.asShipped()
          .with(
              """
              gangs: {bindTimeout: 20s, repairTimeout: 20s}
              topology: {levels: [{name: rack, label: example.com/rack}]}
              journal: %s
              preemption: {policy: %s}
              """
                  .formatted(JOURNAL, written()))
          .withRelay();

  private static Path written() {
    try {
      Files.createDirectories(FOLDER);
      Files.deleteIfExists(JOURNAL);
      return Files.writeString(POLICY, ENFORCED);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  @Timeout(value = 3, unit = TimeUnit.HOURS)
  void all_pods_run_in_the_end_despite_faults() throws IOException {
    long seed = Long.getLong("faults.seed", System.nanoTime());
    long end = System.nanoTime() + Duration.ofSeconds(Long.getLong("faults.seconds", 30)).toNanos();
    FaultyCluster world = new FaultyCluster(STAGE, seed);
    try {
      while (System.nanoTime() < end) {
        world.turn();
      }
      world.calm(Duration.ofMinutes(3));
      await("no promise is left")
          .atMost(Duration.ofSeconds(60))
          .until(() -> !STAGE.page("/api/v1/gangs").contains("\"reservation\":{"));
    } catch (RuntimeException | AssertionError failed) {
      throw new AssertionError(
          "Replay with -Dfaults.seed=%d; the story is in %s".formatted(seed, STORY), failed);
    } finally {
      Files.write(STORY, world.story());
      world.jobs().endAll();
    }
    STAGE.killMuster();
    assertThat(
            Simulate.commandLine()
                .execute("replay", JOURNAL.toString(), "--preemption", POLICY.toString()))
        .as("every decision is the same when the journal is replayed")
        .isZero();
  }
}
