package dev.muster.simulator.cli;

import dev.muster.policy.file.FileWords;
import dev.muster.simulator.file.WholeFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/// The place of what a command writes.
public final class Results {
  private Results() {}

  /// Makes the folder, so that one that cannot be written is known before anything is run for it.
  ///
  /// @param spec the command, which reads files
  /// @param folder null if no results are to be written
  /// @param names of the files that it is to write there
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
          "Cannot write to the folder %s (--out): %s".formatted(folder, FileWords.of(e)), e);
    }
  }

  /// Sees to it that what is written does not take the place of what is read.
  ///
  /// @throws IllegalArgumentException if an option but `--out` names the file
  static void spare(CommandSpec spec, Path written) {
    for (OptionSpec option : spec.commandLine().getParseResult().matchedOptions()) {
      boolean reads = !option.longestName().equals("--out");
      for (String value : reads ? option.stringValues() : List.<String>of()) {
        try {
          WholeFiles.spare(written, Path.of(value), option.longestName());
        } catch (InvalidPathException | IOException _) {
          // no file
        }
      }
    }
  }
}
