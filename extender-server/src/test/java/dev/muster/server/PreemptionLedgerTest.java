package dev.muster.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.decision.Decision;
import dev.muster.core.decision.Explanation;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.state.Effect;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import dev.muster.core.topology.Topology;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/// Acts of preemption are recorded without delaying decisions.
class PreemptionLedgerTest {
  private static final int MORE_THAN_A_PIPE_HOLDS = 2_000;

  @TempDir private Path folder = Path.of("");

  private static Step spared(int number) {
    GangId gang = new GangId("ml", GangId.Origin.POD_GROUP, "gang-" + number);
    return new Step(
        State.empty(new Topology(List.of())),
        List.of(),
        List.of(new Effect.Reprieve(gang, gang, List.of())));
  }

  /// Returns a preemption for a gang on this number of nodes.
  private static Step decided(int number, int nodes) {
    GangId gang = new GangId("ml", GangId.Origin.POD_GROUP, "gang-" + number);
    return new Step(
        State.empty(new Topology(List.of())),
        List.of(
            new Decision.Preempt(
                gang,
                List.of(),
                IntStream.range(0, nodes).mapToObj(i -> new NodeId("n" + i)).toList(),
                true,
                "r1",
                new Explanation(0, Instant.EPOCH, 0, Optional.empty(), SortedTable.empty()))),
        List.of());
  }

  /// Acts of large clusters have thousands of nodes.
  @Test
  void nodes_and_victims_in_memory_are_bounded() throws IOException {
    try (PreemptionLedger ledger = PreemptionLedger.open(Optional.empty())) {
      for (int i = 0; i < 60; i++) {
        ledger.note(decided(i, 1_000));
      }
      assertThat(ledger.last()).hasSize(50);
      ledger.note(decided(60, 60_000));
      assertThat(ledger.last()).hasSize(1);
    }
  }

  @Test
  @Timeout(60)
  void nodes_and_victims_that_wait_for_the_disk_are_bounded() throws Exception {
    Path pipe = folder.resolve("ledger");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    FutureTask<InputStream> opening = new FutureTask<>(() -> Files.newInputStream(pipe));
    Thread.ofVirtual().start(opening);
    FutureTask<String> reading = new FutureTask<>(() -> text(opening.get()));
    Logger logger = (Logger) LoggerFactory.getLogger(PreemptionLedger.class);
    logger.setLevel(Level.OFF); // it shows lost acts as a whole
    try (PreemptionLedger ledger = PreemptionLedger.open(Optional.of(pipe))) {
      for (int i = 0; i < 9; i++) {
        ledger.note(decided(i, 10_000)); // more than a pipe takes
      }
      Thread.ofVirtual().start(reading);
    } finally {
      logger.setLevel(null);
    }
    assertThat(reading.get().lines()).hasSize(6);
  }

  /// A pipe takes 64 KiB, and then nothing until somebody reads: as a disk that hangs.
  @Test
  @Timeout(60)
  void decisions_do_not_wait_for_the_disk_and_no_entry_is_lost() throws Exception {
    Path pipe = folder.resolve("ledger");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    FutureTask<InputStream> opening = new FutureTask<>(() -> Files.newInputStream(pipe));
    Thread.ofVirtual().start(opening);
    FutureTask<String> reading = new FutureTask<>(() -> text(opening.get()));
    try (PreemptionLedger ledger = PreemptionLedger.open(Optional.of(pipe))) {
      for (int i = 0; i < MORE_THAN_A_PIPE_HOLDS; i++) {
        ledger.note(spared(i)); // would never return
      }
      assertThat(ledger.last()).hasSize(1_000);
      Thread.ofVirtual().start(reading);
    }
    assertThat(reading.get().lines()).hasSize(MORE_THAN_A_PIPE_HOLDS);
  }

  @Test
  void foreign_file_is_left_unchanged() throws IOException {
    Path file = Files.writeString(folder.resolve("muster.yaml"), "kind: MusterConfiguration");

    assertThatThrownBy(() -> PreemptionLedger.open(Optional.of(file)))
        .isInstanceOf(IOException.class)
        .hasMessage(
            file
                + ": exists and is not a ledger of preemptions. Set preemption.ledger to another file, or move this one.");
    assertThat(file).hasContent("kind: MusterConfiguration");
  }

  @Test
  void own_acts_are_continued() throws IOException {
    Optional<Path> file = Optional.of(folder.resolve("ledger"));
    try (PreemptionLedger ledger = PreemptionLedger.open(file)) {
      ledger.note(spared(1));
    }

    try (PreemptionLedger ledger = PreemptionLedger.open(file)) {
      assertThat(ledger.last())
          .extracting(act -> act.path("gang").asText())
          .containsExactly("ml/gang-1");
    }
  }

  private static String text(InputStream in) throws IOException {
    try (in) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
