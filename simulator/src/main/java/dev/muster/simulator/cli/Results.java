package dev.muster.simulator.cli;

import dev.muster.simulator.report.ResultFiles;
import dev.muster.simulator.report.Summaries;
import dev.muster.simulator.report.Summary;
import dev.muster.simulator.run.RunResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Writes what a run came to, if it is wanted.
final class Results {
  private Results() {}

  /// Makes the folder, so that one that cannot be written is known before anything is run for it.
  ///
  /// @param folder null if no results are to be written
  static void prepare(@Nullable Path folder) {
    if (folder == null) {
      return;
    }
    if (folder.toString().isEmpty()) {
      throw new IllegalArgumentException(
          "--out names no folder. Maybe a variable of the shell is empty; the folder you are in is --out .");
    }
    try {
      Files.createDirectories(folder);
      Files.delete(Files.createTempFile(folder, "can-be-written", ""));
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "Nothing can be written to the folder %s (%s). Maybe name another one with --out."
              .formatted(folder, e),
          e);
    }
  }

  static Summary write(RunResult result, Optional<Path> folder) throws IOException {
    return folder.isPresent() ? ResultFiles.write(result, folder.get()) : Summaries.of(result);
  }
}
