package dev.muster.simulator.cli;

import dev.muster.simulator.report.ResultFiles;
import dev.muster.simulator.report.Summaries;
import dev.muster.simulator.report.Summary;
import dev.muster.simulator.run.RunResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/// Writes what a run came to, if it is wanted.
final class Results {
  private Results() {}

  static Summary write(RunResult result, Optional<Path> folder) throws IOException {
    return folder.isPresent() ? ResultFiles.write(result, folder.get()) : Summaries.of(result);
  }
}
