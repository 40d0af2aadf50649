package dev.muster.policy.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import dev.muster.core.state.WaitingGangs;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// A full or read-only disk or a file that cannot be rotated does not end the journal.
class FullDiskTest extends JournalFiles {
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
    assertThat(complaints).hasSize(1).first().asString().contains("cannot be rotated");
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
  void journal_on_a_read_only_disk_begins_when_it_can_be_written() throws IOException {
    List<Event> history = history();
    JournalWriter journal = writer(ENDLESS);
    readOnly = true;
    journal.begin(HEADER);
    State after = note(journal, State.empty(Scene.RACKS), history.subList(0, 5));
    readOnly = false;
    nanos += MINUTE;
    note(journal, after, history.subList(5, history.size()));
    journal.close();
    assertThat(complaints).hasSize(2).first().asString().contains("Read-only file system");
    assertThat(replay(file)).isEqualTo(new Replay(1, history.size() - 6L, 1, Optional.empty()));
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
}
