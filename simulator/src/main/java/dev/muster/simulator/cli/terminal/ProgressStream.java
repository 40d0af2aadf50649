package dev.muster.simulator.cli.terminal;

import java.io.Console;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/// The stream of progress lines: the error stream on a terminal, nothing elsewhere.
///
/// In a file each overwritten line would stay, hundreds of them.
public final class ProgressStream {
  private static final Path ERRORS = Path.of("/proc/self/fd/2");

  private ProgressStream() {}

  /// Returns the stream.
  public static PrintStream open() {
    return isTerminal()
        ? System.err
        : new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
  }

  /// True if the error stream is a terminal. Where the system does not say, all streams count.
  private static boolean isTerminal() {
    try {
      if (Files.isSymbolicLink(ERRORS)) {
        String target = Files.readSymbolicLink(ERRORS).toString();
        return target.startsWith("/dev/pts/")
            || target.startsWith("/dev/tty")
            || target.equals("/dev/console");
      }
    } catch (IOException _) {
      // asked below
    }
    return Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false);
  }
}
