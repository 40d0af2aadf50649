package dev.muster.policy.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.cluster.Event;
import dev.muster.core.engine.Engine;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Policies;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Readable lines that no scheduler wrote are reported.
class DamagedJournalTest {

  @TempDir private Path scratch = Path.of("");
  private Path file = Path.of("");

  @BeforeEach
  void write() throws IOException {
    file = scratch.resolve("j.jsonl");
    Scene scene = Scene.unsynced("b1/r1: n1[....] n2[....]", Policies.DEFAULT);
    List<Event> facts = scene.arrives(GangDraft.gang("g").of(2, 2)).told();
    ClusterSnapshot.write(file, JournalHeader.of(Scene.RACKS, Policies.DEFAULT, Map.of()), facts);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          "block":"b1" | "block":null | 2:93: event.node.labels.block: is null.
          "nvidia.com/gpu":4 | "nvidia.com/gpu":null | 2:211: event.node.allocatable.nvidia.com/gpu: is null.
          "taints":[] | "taints":[null] | 2:309: event.node.taints[0]: is null.
          "order":"fair-share" | "order":null | 1:220: policies.order: is null.
          "bindTimeout":"2m" | "bindTimeout":"P1X" | 1:1: policies.bindTimeout: "P1X" is not a duration. Write it like
          "backfill.depth":"8" | "backfill.depth":"a" | 1:1: policies.backfill.depth: "a" is not a whole number, or too large.
          "backfill.depth":"8" | "backfill.depth":"-8" | 1:1: backfill.depth is -8; it must be 0 or more.
          "order" | "patience":"5","order" | 1:1: policies.patience: "5" is not a duration. Write it like
          "policies" | "queues":{"halfLife":"0s","list":[]},"policies" | 1:1: The half-life of usage is PT0S; it must be from PT1M4S to PT87600H.
          "labels":{"block" | "labels":[],"x":{"block" | 2:84: event.node.labels: cannot be read from Array value.
          "queue":"ml" | "queue":"" | 7:1: The scheduler fails here (A queue has no name.). If no line was edited,
          "Synced","at":"2026-11-01T00:00:00Z" | "Synced","at":"+1000000000-12-31T23:59:59Z" | 7:1: The scheduler fails here (java.lang.ArithmeticException: long overflow). If
          """)
  void damage_is_reported_with_line_and_remedy(String written, String damaged, String complaint)
      throws IOException {
    damage(written, damaged);
    assertThatThrownBy(this::replay)
        .isInstanceOf(MalformedJournal.class)
        .hasMessageStartingWith(file + ":" + complaint);
    assertThatThrownBy(() -> ClusterSnapshot.read(file))
        .isInstanceOf(MalformedJournal.class)
        .hasMessageStartingWith(file + ":" + complaint);
  }

  @ParameterizedTest
  @ValueSource(strings = {"[]", "null", "1", "\"x\""})
  void turn_that_is_no_object_is_reported(String turn) throws IOException {
    List<String> lines = new ArrayList<>(Files.readAllLines(file));
    lines.set(2, turn);
    Files.write(file, lines);
    assertThatThrownBy(this::replay).hasMessage(file + ":3:1: A turn must be an object.");
  }

  @Test
  void failure_in_the_scheduler_is_the_cause() throws IOException {
    damage("\"Synced\",\"at\":\"2026", "\"Synced\",\"at\":\"+1000000000");
    assertThatThrownBy(this::replay)
        .hasCauseInstanceOf(ArithmeticException.class)
        .hasMessageEndingWith("this is a bug in Muster; MUSTER_TRACE=1 shows where.");
    assertThatThrownBy(() -> ClusterSnapshot.read(file))
        .hasCauseInstanceOf(ArithmeticException.class);
  }

  private void damage(String written, String damaged) throws IOException {
    String whole = Files.readString(file);
    assertThat(whole).contains(written);
    Files.writeString(file, whole.replaceFirst(Pattern.quote(written), damaged));
  }

  private Replay replay() throws IOException {
    try (JournalReader journal = JournalReader.open(file)) {
      return Replay.of(journal, header -> new Engine(header.plainPolicies()));
    }
  }
}
