package dev.muster.policy.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.budget.BudgetOwner;
import dev.muster.core.budget.SpentBudget;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Gang;
import dev.muster.core.engine.Engine;
import dev.muster.core.gang.Discrepancies;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.RandomWorkload;
import dev.muster.core.kit.Scene;
import dev.muster.core.node.Node;
import dev.muster.core.node.NodeState;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Snapshots are written and read back.
class ClusterSnapshotTest {
  private static final JournalHeader HEADER =
      JournalHeader.of(Scene.RACKS, Policies.DEFAULT, Map.of());

  @TempDir private Path scratch = Path.of("");

  @Property(tries = 25)
  void last_state_of_a_journal_is_the_state_of_the_run(@ForAll @IntRange(min = 0) int seed)
      throws IOException {
    RandomWorkload workload = new RandomWorkload(seed);
    for (int turn = 0; turn < 40; turn++) {
      workload.turn();
    }
    Path file = Files.createTempFile("journal", ".jsonl");
    try {
      State end = journal(file, workload.scene().told());
      assertThat(isLike(ClusterSnapshot.read(file).state(), end)).isTrue();
    } finally {
      Files.delete(file);
    }
  }

  @Test
  void snapshot_is_read_back_plain_or_compressed() throws IOException {
    for (String name : List.of("snapshot.jsonl", "snapshot.jsonl.gz")) {
      Path file = scratch.resolve(name);
      ClusterSnapshot written = ClusterSnapshot.write(file, HEADER, facts());
      ClusterSnapshot read = ClusterSnapshot.read(file);
      assertThat(isLike(read.state(), written.state())).isTrue();
      assertThat(read.at()).isEqualTo(Scene.START);
      assertThat(read.state().cluster().nodes().keys()).hasSize(2);
    }
  }

  @Test
  void snapshot_is_a_journal_that_replays() throws IOException {
    Path file = scratch.resolve("snapshot.jsonl");
    ClusterSnapshot snapshot = ClusterSnapshot.write(file, HEADER, facts());
    assertThat(snapshot.state().cluster().reservations().size()).as("g fits").isEqualTo(1);
    try (JournalReader journal = JournalReader.open(file)) {
      assertThat(Replay.of(journal, _ -> snapshot.engine()).difference())
          .isEqualTo(Optional.empty());
    }
  }

  @Test
  void facts_of_a_snapshot_make_an_equal_snapshot() throws IOException {
    ClusterSnapshot first = ClusterSnapshot.write(scratch.resolve("first.jsonl"), HEADER, facts());
    ClusterSnapshot second =
        ClusterSnapshot.write(scratch.resolve("second.jsonl"), HEADER, first.facts());
    assertThat(isLike(second.state(), first.state())).isTrue();
    assertThat(second.state().cluster().nodes().values().getFirst().freeGpus())
        .as("the stranger is still there")
        .isLessThan(4);
  }

  /// A gang of two runs and was told to be four.
  private static Scene raised() {
    GangDraft two = GangDraft.gang("g").of(2, 2);
    Scene scene = Scene.of("b1/r1: n1[....]").arrives(two);
    return scene.then(new Event.GangSeen(scene.now(), two.minCount(4).spec()));
  }

  @Test
  void gang_with_a_raised_minimum_is_whole_in_a_snapshot_of_its_run() throws IOException {
    List<Event> facts = ClusterSnapshot.facts(raised().cluster());
    ClusterSnapshot read = ClusterSnapshot.write(scratch.resolve("raised.jsonl"), HEADER, facts);
    assertThat(read.state().broken().keys()).isEmpty();
    assertThat(read.state().cluster().gangs().values().getFirst().wholeCount()).isEqualTo(2);
  }

  @Test
  void mistakes_of_a_declaration_are_kept_in_a_snapshot() throws IOException {
    Scene scene = raised();
    Discrepancies found = Discrepancies.ofDeclaration("spec.minMember: must be 1 or more");
    scene.then(new Event.DiscrepanciesSeen(scene.now(), GangDraft.gang("bad").id(), found));
    List<Event> facts = ClusterSnapshot.facts(scene.cluster());
    ClusterSnapshot read = ClusterSnapshot.write(scratch.resolve("bad.jsonl"), HEADER, facts);
    assertThat(read.state().cluster().gang(GangDraft.gang("bad").id()).ignored()).contains(found);
  }

  @Test
  void spent_budgets_are_kept_in_a_snapshot() throws IOException {
    Scene scene = raised();
    SpentBudget budget =
        new SpentBudget(BudgetOwner.queue("ml"), 12, 10, scene.now().plusSeconds(3_600));
    scene.then(new Event.BudgetsSpent(scene.now(), List.of(budget)));
    List<Event> facts = ClusterSnapshot.facts(scene.cluster());
    ClusterSnapshot.write(scratch.resolve("spent.jsonl"), HEADER, facts);
    ClusterSnapshot read = ClusterSnapshot.read(scratch.resolve("spent.jsonl"));
    assertThat(read.state().cluster().spent()).containsExactly(budget);
  }

  @Test
  void truncated_snapshot_is_reported() throws IOException {
    Path file = scratch.resolve("snapshot.jsonl");
    ClusterSnapshot.write(file, HEADER, facts());
    List<String> lines = Files.readAllLines(file);
    Files.write(file, lines.subList(0, lines.size() - 1));
    assertThatThrownBy(() -> ClusterSnapshot.read(file))
        .isInstanceOf(MalformedJournal.class)
        .hasMessage(file + ": ends before all objects were seen: it has no event Synced.");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x"})
  void file_without_a_whole_line_is_no_snapshot(String text) throws IOException {
    Path file = Files.writeString(scratch.resolve("snapshot.jsonl"), text);
    assertThatThrownBy(() -> ClusterSnapshot.read(file))
        .hasMessage(
            file
                + ":1:1: The file is not a snapshot: it has no whole line. `muster simulate export` writes one.");
  }

  @Test
  void malformed_line_is_reported_with_field_and_value() throws IOException {
    Path file = scratch.resolve("snapshot.jsonl");
    ClusterSnapshot.write(file, HEADER, facts());
    Files.writeString(file, Files.readString(file).replaceFirst("NodeSeen", "NodeSene"));
    assertThatThrownBy(() -> ClusterSnapshot.read(file))
        .hasMessageStartingWith(file + ":2:")
        .hasMessageContaining("event: unknown type \"NodeSene\"");
  }

  @Test
  void missing_policies_are_reported_with_their_place() throws IOException {
    Path file = scratch.resolve("snapshot.jsonl");
    ClusterSnapshot.write(file, HEADER, facts());
    Files.writeString(file, Files.readString(file).replaceFirst("fair-share", "custom"));
    assertThatThrownBy(() -> ClusterSnapshot.read(file))
        .hasMessageStartingWith(
            file + ":1:1: The journal's run had policies that the journal does not hold");
  }

  @Test
  void missing_file_is_reported() {
    assertThatThrownBy(() -> ClusterSnapshot.read(scratch.resolve("none")))
        .hasMessageContaining("no such file");
  }

  @Test
  void folder_is_reported() {
    assertThatThrownBy(() -> ClusterSnapshot.read(scratch)).hasMessage(scratch + ": is a folder.");
  }

  /// Images hold caches that have no equality; these parts are all that matters.
  private static boolean isLike(State one, State other) {
    return parts(one).equals(parts(other));
  }

  private static List<Object> parts(State state) {
    Cluster image = state.cluster();
    List<Node> nodes = image.nodes().values().stream().map(NodeState::node).toList();
    return List.of(
        image.now(),
        nodes,
        image.gangs().values().stream().map(ClusterSnapshotTest::withoutRecord).toList(),
        image.locations(),
        image.reservations(),
        image.holds(),
        state.standing());
  }

  /// Returns the gang without the past that its object recorded, which its present past replaces.
  private static Gang withoutRecord(Gang gang) {
    return new Gang(
        gang.id(),
        gang.spec().map(spec -> spec.recalling(Optional.empty())),
        gang.members(),
        gang.memberCounts(),
        gang.account(),
        gang.past(),
        gang.ignored());
  }

  private static List<Event> facts() {
    Scene scene = Scene.unsynced("b1/r1: n1[##..] n2[....]", Policies.DEFAULT);
    return scene.arrives(GangDraft.gang("g").of(2, 2)).told();
  }

  private static State journal(Path file, List<Event> events) throws IOException {
    Engine engine = new Engine(Policies.DEFAULT);
    State state = State.empty(Scene.RACKS);
    try (JournalWriter journal = JournalWriter.open(file, HEADER, complaint -> {})) {
      for (Event event : events) {
        Step step = engine.step(state, event);
        journal.note(event, step);
        state = step.after();
      }
    }
    return state;
  }
}
