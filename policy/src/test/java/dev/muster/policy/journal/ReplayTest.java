package dev.muster.policy.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.muster.core.cluster.Event;
import dev.muster.core.drive.Driver;
import dev.muster.core.engine.Engine;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.RandomWorkload;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A replayed journal gives the decisions of the run.
class ReplayTest {

  private static final JournalHeader HEADER =
      JournalHeader.of(Scene.RACKS, Policies.DEFAULT, Map.of());

  @TempDir private Path scratch = Path.of("");

  @Property(tries = 25)
  void random_history_replays_to_identical_decisions(@ForAll @IntRange(min = 0) int seed)
      throws IOException, InterruptedException {
    Path file = Files.createTempFile("journal", ".jsonl");
    try {
      List<Event> history = history(seed);
      int decisions = run(history, file);
      Replay replay = replay(file, Policies.DEFAULT);
      assertThat(replay).isEqualTo(new Replay(1, history.size(), 0, Optional.empty()));
      assertThat(decisions).as("a history without decisions shows nothing").isPositive();
    } finally {
      Files.delete(file);
    }
  }

  @Test
  void restart_appends_its_own_run() throws IOException, InterruptedException {
    Path file = scratch.resolve("journal.jsonl");
    run(history(1), file);
    Files.writeString(file, Files.readString(file) + "{\"event\":{\"type\":\"Ti");
    run(history(2), file);
    assertThat(replay(file, Policies.DEFAULT))
        .isEqualTo(new Replay(2, history(1).size() + history(2).size(), 0, Optional.empty()));
  }

  @Test
  void replay_stops_on_request() throws IOException, InterruptedException {
    Path file = scratch.resolve("journal.jsonl");
    run(history(1), file);
    try (JournalReader journal = JournalReader.open(file)) {
      Replay replay =
          Replay.of(
              journal,
              _ -> new Engine(Policies.DEFAULT),
              (engine, _) -> engine,
              read -> read.line() < 3);
      assertThat(replay).isEqualTo(new Replay(1, 2, 0, Optional.empty()));
      assertThat(journal.share()).isBetween(Double.MIN_VALUE, 1.0);
    }
  }

  @Test
  void different_policies_are_detected() throws IOException, InterruptedException {
    Path file = scratch.resolve("journal.jsonl");
    Scene scene = Scene.of("b1/r1: n1[....]").silent().arrives(GangDraft.gang("g").of(1, 1));
    run(scene.after(Duration.ofMinutes(3)).told(), file);
    Policies hasty = Policies.of(Duration.ofSeconds(30), Optional.empty());
    Replay.Difference difference = replay(file, hasty).difference().orElseThrow();
    assertThat(difference.event()).isEqualTo(new Event.Tick(Scene.START.plusSeconds(30)));
    assertThat(Files.readAllLines(file).get(difference.line() - 1)).contains("00:00:30Z");
    assertThat(difference.journaled()).isEmpty();
    assertThat(difference.replayed().path(0).path("type").asText()).isEqualTo("Release");
  }

  private static List<Event> history(int seed) {
    RandomWorkload workload = new RandomWorkload(seed);
    for (int turn = 0; turn < 40; turn++) {
      workload.turn();
    }
    return workload.scene().after(Duration.ofMinutes(3)).told();
  }

  /// Drives a fresh engine with the events; returns how many decisions it took.
  private static int run(List<Event> events, Path file) throws IOException, InterruptedException {
    Iterator<Event> inbox = events.iterator();
    int[] decisions = {0};
    try (JournalWriter journal = JournalWriter.open(file, HEADER, complaint -> fail(complaint))) {
      new Driver(
              new Engine(Policies.DEFAULT),
              () -> inbox.hasNext() ? Optional.of(inbox.next()) : Optional.empty(),
              journal,
              step -> decisions[0] += step.decisions().size())
          .run(State.empty(Scene.RACKS));
    }
    return decisions[0];
  }

  private static Replay replay(Path file, Policies policies) throws IOException {
    try (JournalReader journal = JournalReader.open(file)) {
      return Replay.of(journal, _ -> new Engine(policies));
    }
  }
}
