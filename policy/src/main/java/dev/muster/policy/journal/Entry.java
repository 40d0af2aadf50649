package dev.muster.policy.journal;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.core.cluster.Event;
import dev.muster.core.engine.State;
import java.util.Optional;

/// One line of a journal.
public sealed interface Entry permits Header, Entry.Turn, Entry.Continuation, Entry.Image {

  /// One turn of the engine.
  ///
  /// @param event what happened
  /// @param decisions what was decided, in order, as an array of JSON objects: decisions are read
  ///     to be compared, never to be acted upon
  record Turn(Event event, JsonNode decisions) implements Entry {}

  /// The run goes on here: its file was full, or turns could not be written.
  ///
  /// @param turns how many turns of the run came before the next line, at least 1; where fewer can
  ///     be read, some are missing
  record Continuation(long turns) implements Entry {
    public Continuation {
      demandTurns(turns);
    }
  }

  /// The run goes on here, and can be replayed from here: its file was full, or turns could not be
  /// written.
  ///
  /// @param turns how many turns of the run came before the next line, at least 1
  /// @param header what is in force, as if the run began here
  /// @param packed the engine's state
  @SuppressWarnings("ArrayRecordComponent") // it is read once
  record Image(long turns, Header header, byte[] packed) implements Entry {
    public Image {
      demandTurns(turns);
    }

    /// An image of the state.
    public static Image of(long turns, Header header, State state) {
      return new Image(turns, header, PackedState.pack(state));
    }

    /// The state that the run goes on from; empty if another version of Muster wrote it, so that
    /// only a later run can be replayed.
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
          "A run goes on after at least one turn, not after %d. Maybe the line was edited."
              .formatted(turns));
    }
  }
}
