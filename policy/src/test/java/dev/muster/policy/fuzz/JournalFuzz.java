package dev.muster.policy.fuzz;

import dev.muster.policy.journal.JournalReader;
import dev.muster.policy.journal.MalformedJournal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Fuzz target: the journal. Every line is an entry, or malformed.
public final class JournalFuzz {
  private static final Path FILE = file();

  private JournalFuzz() {}

  private static Path file() {
    try {
      Path file = Files.createTempFile("journal", ".jsonl");
      file.toFile().deleteOnExit();
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static void fuzzerTestOneInput(byte[] input) throws IOException {
    Files.write(FILE, input);
    try (JournalReader journal = JournalReader.open(FILE)) {
      while (journal.next().isPresent()) {}
    } catch (MalformedJournal _) {
      // what it is for
    }
  }
}
