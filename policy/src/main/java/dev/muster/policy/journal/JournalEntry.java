package dev.muster.policy.journal;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.core.cluster.Event;
import dev.muster.core.state.State;
import java.util.Optional;

/// One line of a journal.
public sealed interface JournalEntry
    permits JournalHeader, JournalEntry.Turn, JournalEntry.Continuation, JournalEntry.Image {

  /// A turn is the line of one step: an event and the decisions on it.
  ///
  /// @param event the event
  /// @param decisions the decisions in order, as an array of JSON objects; they are read to be
  ///   compared, never to be acted upon
  record Turn(Event event, JsonNode decisions) implements JournalEntry {}

  /// A marker that the run continues here, because its file was full or turns could not be written.
  ///
  /// @param turns number of turns of the run before the next line, at least 1; if fewer can be
  ///   read, some are missing
  record Continuation(long turns) implements JournalEntry {
    public Continuation {
      demandTurns(turns);
    }
  }

  /// A marker that the run continues here, with the state to replay it from.
  ///
  /// It is written if the file was full or turns could not be written.
  ///
  /// @param turns number of turns of the run before the next line, at least 1
  /// @param header the settings in force, as if the run began here
  /// @param packed the engine's state
  @SuppressWarnings("ArrayRecordComponent") // read once
  record Image(long turns, JournalHeader header, byte[] packed) implements JournalEntry {
    public Image {
      demandTurns(turns);
    }

    /// Creates an image of the state.
    public static Image of(long turns, JournalHeader header, State state) {
      return new Image(turns, header, PackedState.pack(state));
    }

    /// Returns the state that the run continues from.
    ///
    /// Empty if another version of Muster wrote it; then only later runs can be replayed.
    public Optional<State> state() {
      try {
        return Optional.of(PackedState.unpack(packed));
      } catch (IllegalArgumentException _) {
        return Optional.empty();
      }
    }
  }

  private static void demandTurns(long turns) {
    if (turns < 1) {
      throw new IllegalArgumentException(
          "A run continues after at least one turn, not after %d.".formatted(turns));
    }
  }
}
