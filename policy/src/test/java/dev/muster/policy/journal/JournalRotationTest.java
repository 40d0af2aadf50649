package dev.muster.policy.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.cluster.Event;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.State;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The journal uses bounded disk space.
class JournalRotationTest extends JournalFiles {
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

  @ParameterizedTest
  @ValueSource(strings = {"j.jsonl.new", "j.jsonl.1", "j.jsonl.2", "j.jsonl.7"})
  void file_of_others_with_a_name_of_the_rotation_is_left_alone(String name) throws IOException {
    Path others = Files.writeString(scratch.resolve(name), "mine\n");
    write(history(), size(history()) / 20);

    assertThat(others).hasContent("mine");
    assertThat(complaints)
        .singleElement()
        .asString()
        .contains(others + ": it exists, and this Muster did not write it. Move it");
  }

  @Test
  void empty_file_that_a_killed_process_left_is_used() throws IOException {
    Files.createFile(scratch.resolve("j.jsonl.new"));
    write(history(), size(history()) / 4);

    assertThat(complaints).isEmpty();
    assertThat(scratch.resolve("j.jsonl.3")).exists();
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
    assertThat(replay(file))
        .isEqualTo(new Replay(1, history.size(), history.size(), Optional.empty()));
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
}
