package dev.muster.policy.journal;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;

/// The messages to the operator about a journal that is not written as it should be.
///
/// @param file the journal
/// @param receiver receives each message
record JournalMessages(Path file, Consumer<String> receiver) {

  void paused(IOException cause) {
    receiver.accept(
        "The journal %s cannot be written (%s). It pauses until it can; scheduling continues."
            .formatted(file, cause));
  }

  void continued() {
    receiver.accept(
        "The journal %s continues. Turns are missing in it. A replay skips them and continues from the next image."
            .formatted(file));
  }

  void lost() {
    receiver.accept(
        "The journal %s was deleted or moved while it was written. A new file is started. A replay continues from the next image."
            .formatted(file));
  }

  void notRotated(IOException cause) {
    receiver.accept(
        "The journal %s is full and cannot be rotated (%s). It keeps growing."
            .formatted(file, cause));
  }

  void withoutImage(IllegalStateException cause) {
    receiver.accept(
        "The journal %s has no image here (%s): the run can be replayed only from before this place. This is a bug in Muster."
            .formatted(file, cause.getMessage()));
  }
}
