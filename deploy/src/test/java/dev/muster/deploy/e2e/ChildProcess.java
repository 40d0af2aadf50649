package dev.muster.deploy.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// One process of the control plane. Its output is appended to a file, so it never waits for a
/// reader.
final class ChildProcess {
  private static final int TAIL_LINES = 25;

  private final List<String> command;
  private final Map<String, String> environment;
  private final Path log;
  private @Nullable Process process;

  ChildProcess(List<String> command, Path log) {
    this(command, Map.of(), log);
  }

  /// A process with further environment variables.
  ChildProcess(List<String> command, Map<String, String> environment, Path log) {
    this.command = List.copyOf(command);
    this.environment = Map.copyOf(environment);
    this.log = log;
  }

  synchronized void start() {
    if (isAlive()) {
      throw new IllegalStateException(command.get(1) + " is already running");
    }
    var builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    // With this the process ends by itself when the test's JVM is killed.
    builder.environment().put("CONTROL_PLANE_PARENT", Long.toString(ProcessHandle.current().pid()));
    builder.environment().putAll(environment);
    try {
      process = builder.start();
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot start " + command, e);
    }
  }

  /// Lets the process end by itself, as SIGTERM asks it to; kills it after some seconds.
  synchronized void stop() {
    if (process != null) {
      process.destroy();
      awaitEnd(process);
    }
    kill();
  }

  /// Ends the process with SIGKILL and waits for its end; does nothing when it does not run.
  synchronized void kill() {
    if (process != null) {
      process.destroyForcibly();
      awaitEnd(process);
    }
  }

  private static void awaitEnd(Process process) {
    try {
      process.waitFor(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// The number of the process that was started last.
  synchronized long pid() {
    return Objects.requireNonNull(process, "not started").pid();
  }

  /// Sends a signal, such as STOP, which freezes the process, and CONT.
  synchronized void signal(String name) {
    try {
      new ProcessBuilder("kill", "-" + name, Long.toString(pid())).start().waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// Completes when the process ends that was started last.
  synchronized CompletableFuture<Process> onExit() {
    return Objects.requireNonNull(process, "not started").onExit();
  }

  /// The exit status; empty while it runs.
  synchronized OptionalInt exitStatus() {
    return process == null || process.isAlive()
        ? OptionalInt.empty()
        : OptionalInt.of(process.exitValue());
  }

  synchronized boolean isAlive() {
    return process != null && process.isAlive();
  }

  /// The last lines of the log, for error messages.
  String tail() {
    try {
      List<String> lines = Files.readAllLines(log);
      return String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
    } catch (IOException e) {
      return "(no log: " + e.getMessage() + ")";
    }
  }

  @Override
  public String toString() {
    return command.get(1) + " (log " + log + ")";
  }
}
