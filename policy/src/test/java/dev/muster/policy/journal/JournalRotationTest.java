package dev.muster.policy.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.cluster.Event;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.engine.Engine;
import dev.muster.core.kit.RandomWorkload;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import dev.muster.core.state.WaitingGangs;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The journal takes no more room than it may, and a full disk is not its end.
class JournalRotationTest {

  private static final JournalHeader HEADER =
      JournalHeader.of(Scene.RACKS, Policies.DEFAULT, Map.of());
  private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);
  private static final long ENDLESS = Long.MAX_VALUE;

  @TempDir private Path scratch = Path.of("");
  private Path file = Path.of("");
  private final List<String> complaints = new ArrayList<>();
  private long nanos;
  private boolean full;

  @BeforeEach
  void name() {
    file = scratch.resolve("j.jsonl");
  }

  @Test
  void run_in_several_files_replays_as_one() throws IOException {
    List<Event> history = history();
    write(history, size(history) / 4);
    assertThat(scratch.resolve("j.jsonl.3")).exists();
    assertThat(replay(file)).isEqualTo(new Replay(1, history.size(), 0, Optional.empty()));
  }

  @Test
  void link_is_kept_and_the_file_behind_it_is_rotated() throws IOException {
    Path disk = Files.createDirectory(scratch.resolve("disk"));
    Files.createSymbolicLink(file, Path.of("disk", "real.jsonl")); // which is not there yet
    List<Event> history = history();
    write(history, size(history) / 4);
    write(history, ENDLESS);
    assertThat(file).isSymbolicLink();
    assertThat(disk.resolve("real.jsonl.3")).exists();
    assertThat(replay(file)).isEqualTo(new Replay(2, 2L * history.size(), 0, Optional.empty()));
  }

  @Test
  void rotated_file_replays_with_older_files() throws IOException {
    List<Event> history = history();
    write(history, size(history) / 4);
    Replay replay = replay(scratch.resolve("j.jsonl.2"));
    assertThat(replay.turns()).isBetween(1L, history.size() - 1L);
    assertThat(replay.left()).isZero();
  }

  @Test
  void journal_named_with_a_trailing_number_is_read_with_its_older_files() throws IOException {
    file = scratch.resolve("muster-v0.1");
    List<Event> history = history();
    write(history, size(history) / 4);
    assertThat(scratch.resolve("muster-v0.1.3")).exists();
    Files.writeString(scratch.resolve("muster-v0.2"), "what another version wrote\n");
    assertThat(replay(file)).isEqualTo(new Replay(1, history.size(), 0, Optional.empty()));
  }

  @Test
  void oldest_files_are_dropped() throws IOException {
    List<Event> history = history();
    write(history, size(history) / 20);
    try (Stream<Path> files = Files.list(scratch)) {
      assertThat(files).hasSize(JournalWriter.KEPT + 1);
    }
    assertThat(complaints).isEmpty();
  }

  @Test
  void run_without_its_beginning_is_replayed_from_the_oldest_file() throws IOException {
    List<Event> history = history();
    write(history, size(history) / 4);
    long turns = replay(file).turns();
    Files.delete(scratch.resolve("j.jsonl.3"));
    Replay replay = replay(file);
    assertThat(replay.turns()).isBetween(turns / 2, turns - 1);
    assertThat(replay).isEqualTo(new Replay(1, replay.turns(), 0, Optional.empty()));
  }

  @Test
  void every_file_alone_can_be_replayed() throws IOException {
    write(history(), size(history()) / 4);
    for (String name : List.of("j.jsonl.3", "j.jsonl.2", "j.jsonl.1", "j.jsonl")) {
      Path alone = Files.move(scratch.resolve(name), scratch.resolve("alone"));
      assertThat(replay(alone).left()).as(name).isZero();
      assertThat(replay(alone).difference()).as(name).isEmpty();
      Files.delete(alone);
    }
  }

  @Test
  void preemption_policy_of_a_file_is_the_one_then_in_force() throws IOException {
    List<Event> history = new ArrayList<>(history());
    history.add(1, new Event.PolicyChanged(history.getFirst().at(), "0123456789ab"));
    write(history, size(history) / 4);
    Files.delete(scratch.resolve("j.jsonl.3"));
    try (JournalReader journal = JournalReader.open(file)) {
      assertThat(journal.next().orElseThrow())
          .isInstanceOfSatisfying(
              JournalEntry.Image.class,
              image -> assertThat(image.header().preemption()).isEqualTo("0123456789ab"));
    }
  }

  @Test
  void image_of_another_version_hides_no_later_run() throws IOException {
    List<Event> history = history();
    write(history, size(history) / 4);
    Files.delete(scratch.resolve("j.jsonl.3"));
    Path oldest = scratch.resolve("j.jsonl.2");
    Files.writeString(
        oldest, Files.readString(oldest).replaceFirst("\"state\":\"[^\"]*", "\"state\":\"AAAA"));
    write(history, ENDLESS);
    Replay replay = replay(file);
    assertThat(replay.left()).isPositive();
    assertThat(replay.turns()).isEqualTo(history.size());
    assertThat(ClusterSnapshot.read(file).at()).isEqualTo(history.getLast().at());
  }

  @Test
  void snapshot_is_read_from_a_run_without_its_beginning() throws IOException {
    List<Event> history = history();
    write(history, size(history) / 20);
    State end = note(writer(ENDLESS), State.empty(Scene.RACKS), history);
    assertThat(ClusterSnapshot.read(file).state()).isEqualTo(end);
  }

  @Test
  void steps_without_their_beginning_are_skipped_until_a_restart() throws IOException {
    List<Event> history = history();
    write(history, ENDLESS);
    List<String> lines = new ArrayList<>(Files.readAllLines(file));
    lines.set(
        0, "{\"apiVersion\":\"journal.muster.dev/v1\",\"kind\":\"Continuation\",\"turns\":700}");
    Files.write(file, lines);
    assertThat(replay(file)).isEqualTo(new Replay(0, 0, history.size(), Optional.empty()));

    write(history, ENDLESS);
    assertThat(replay(file)).isEqualTo(new Replay(1, history.size(), history.size(), Optional.empty()));
  }

  @Test
  void snapshot_of_a_run_with_missing_steps_is_refused() throws IOException {
    Files.writeString(
        file,
        "{\"apiVersion\":\"journal.muster.dev/v1\",\"kind\":\"Continuation\",\"turns\":700}\n");
    assertThatThrownBy(() -> ClusterSnapshot.read(file))
        .isInstanceOf(MalformedJournal.class)
        .hasMessageContaining("lacks turns of its last run");
  }

  @Test
  @SuppressWarnings({"unchecked", "rawtypes"}) // a state as only a bug would make it
  void state_that_cannot_be_packed_keeps_the_journal_bounded() throws IOException {
    SortedTable odd = SortedTable.<String, Object>empty().with("g", new Object());
    State state = State.empty(Scene.RACKS);
    WaitingGangs none = state.waiting();
    State bad =
        state.with(
            new WaitingGangs(odd, none.seats(), none.classes(), none.doubtful(), none.timed()));
    JournalWriter journal = writer(1);
    journal.begin(HEADER);
    Event tick = new Event.Tick(Scene.START);
    journal.note(tick, new Step(bad, List.of(), List.of()));
    journal.note(tick, new Step(bad, List.of(), List.of()));
    journal.close();
    assertThat(complaints).hasSize(2).first().asString().contains("This is a bug in Muster");
    assertThat(scratch.resolve("j.jsonl.2")).exists();
    assertThat(replay(file)).isEqualTo(new Replay(1, 2, 0, Optional.empty()));
  }

  @Test
  void file_that_cannot_be_rotated_grows_and_loses_nothing() throws IOException {
    List<Event> history = history();
    Files.createDirectory(scratch.resolve("j.jsonl.new")); // no file can be opened there
    write(history, 100);
    assertThat(complaints).hasSize(1).first().asString().contains("could not be put aside");
    assertThat(replay(file)).isEqualTo(new Replay(1, history.size(), 0, Optional.empty()));
    assertThat(scratch.resolve("j.jsonl.1")).doesNotExist();
  }

  @Test
  void rotation_continues_when_the_disk_has_space_again() throws IOException {
    List<Event> history = history();
    JournalWriter journal = writer(ENDLESS);
    journal.begin(HEADER);
    State before = note(journal, State.empty(Scene.RACKS), history.subList(0, 10));
    full = true;
    nanos += MINUTE;
    State during = note(journal, before, history.subList(10, 20));
    nanos += MINUTE;
    State later = note(journal, during, history.subList(20, 30));
    full = false;
    State still = note(journal, later, history.subList(30, 40));
    nanos += MINUTE;
    note(journal, still, history.subList(40, history.size()));
    journal.close();

    assertThat(complaints).hasSize(2);
    assertThat(complaints.get(0)).contains("It pauses until it can");
    assertThat(complaints.get(1)).contains("continues. Turns are missing");
    Replay replay = replay(file);
    assertThat(replay.left()).as("until the image that follows the gap").isEqualTo(1);
    assertThat(replay.turns()).isBetween(history.size() - 41L, history.size() - 30L);
    assertThat(replay.difference()).isEmpty();
  }

  @Test
  void file_deleted_while_written_is_recreated() throws IOException {
    List<Event> history = history();
    JournalWriter journal = writer(ENDLESS);
    journal.begin(HEADER);
    State before = note(journal, State.empty(Scene.RACKS), history.subList(0, 10));
    Files.delete(file);
    nanos += MINUTE;
    note(journal, before, history.subList(10, history.size()));
    journal.close();

    assertThat(complaints)
        .containsExactly(
            "The journal %s was deleted or moved while it was written. A new file is started. A replay continues from the next image."
                .formatted(file));
    assertThat(replay(file))
        .as("from the image that follows the loss")
        .isEqualTo(new Replay(1, history.size() - 11L, 0, Optional.empty()));
  }

  @Test
  void run_without_a_header_is_not_read_as_the_previous_run() throws IOException {
    List<Event> history = history();
    write(history.subList(0, 5), ENDLESS);
    JournalWriter journal = writer(ENDLESS);
    full = true;
    journal.begin(HEADER);
    State after = note(journal, State.empty(Scene.RACKS), history.subList(0, 5));
    full = false;
    nanos += MINUTE;
    note(journal, after, history.subList(5, history.size()));
    journal.close();
    assertThat(replay(file)).isEqualTo(new Replay(2, history.size() - 1L, 1, Optional.empty()));
  }

  @Test
  void missed_steps_are_reported_as_missing() throws IOException {
    JournalWriter journal = writer(ENDLESS);
    journal.begin(HEADER);
    State after = note(journal, State.empty(Scene.RACKS), history().subList(0, 5));
    journal.missed(3);
    note(journal, after, history().subList(8, 10));
    journal.close();
    assertThat(replay(file)).isEqualTo(new Replay(1, 5, 2, Optional.empty()));
    assertThat(complaints).isEmpty();
  }

  private JournalWriter writer(long limit) {
    var disk = new JournalWriter.Disk(FullDisk::new, limit);
    return new JournalWriter(file, disk, complaints::add, () -> nanos);
  }

  private void write(List<Event> events, long limit) throws IOException {
    JournalWriter journal = writer(limit);
    journal.begin(HEADER);
    note(journal, State.empty(Scene.RACKS), events);
    journal.close();
  }

  private static State note(JournalWriter journal, State start, List<Event> events) {
    Engine engine = new Engine(Policies.DEFAULT);
    State state = start;
    for (Event event : events) {
      Step step = engine.step(state, event);
      journal.note(event, step);
      state = step.after();
    }
    return state;
  }

  private long size(List<Event> events) throws IOException {
    Path whole = file;
    file = scratch.resolve("whole.jsonl");
    write(events, ENDLESS);
    long size = Files.size(file);
    Files.delete(file);
    file = whole;
    return size;
  }

  private static List<Event> history() {
    RandomWorkload workload = new RandomWorkload(7);
    for (int turn = 0; turn < 60; turn++) {
      workload.turn();
    }
    return workload.scene().told();
  }

  private static Replay replay(Path file) throws IOException {
    try (JournalReader journal = JournalReader.open(file)) {
      return Replay.of(journal, _ -> new Engine(Policies.DEFAULT));
    }
  }

  /// A file that refuses what it gets while the disk is full.
  private class FullDisk extends OutputStream {
    private final OutputStream real;

    FullDisk(Path path) throws IOException {
      real = LineFile.append(path);
    }

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] b, int from, int length) throws IOException {
      if (full) {
        real.write(b, from, length / 2);
        throw new IOException("No space left on device");
      }
      real.write(b, from, length);
    }

    @Override
    public void close() throws IOException {
      real.close();
    }
  }
}
