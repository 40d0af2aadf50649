package dev.muster.simulator.cli;

import dev.muster.policy.file.FileErrorText;
import dev.muster.simulator.file.AtomicFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/// Prepares the result files of a command.
public final class ResultFolder {
  private ResultFolder() {}

  /// Creates the folder, so that a folder without write access is reported before the run.
  ///
  /// @param spec the command, with the files that it reads
  /// @param folder the target folder; null if no results are to be written
  /// @param names names of the files to write there
  public static void prepare(CommandSpec spec, @Nullable Path folder, List<String> names) {
    if (folder == null) {
      return;
    }
    for (String name : names) {
      spare(spec, folder.resolve(name));
      if (Files.isDirectory(folder.resolve(name))) {
        throw new IllegalArgumentException(
            "%s is a folder; the results need a file of that name (--out)."
                .formatted(folder.resolve(name)));
      }
    }
    if (folder.toString().isEmpty()) {
      throw new IllegalArgumentException("--out is empty; the current folder is --out .");
    }
    try {
      Files.createDirectories(folder);
      Files.delete(Files.createTempFile(folder, "can-be-written", ""));
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "Cannot write to the folder %s (--out): %s".formatted(folder, FileErrorText.of(e)), e);
    }
  }

  /// Checks that a written file does not replace an input file.
  ///
  /// @throws IllegalArgumentException if an option other than `--out` names the file
  static void spare(CommandSpec spec, Path written) {
    for (OptionSpec option : spec.commandLine().getParseResult().matchedOptions()) {
      boolean reads = !option.longestName().equals("--out");
      for (String value : reads ? option.stringValues() : List.<String>of()) {
        try {
          AtomicFiles.spare(written, Path.of(value), option.longestName());
        } catch (InvalidPathException | IOException _) {
          // not the name of an existing file
        }
      }
    }
  }
}
