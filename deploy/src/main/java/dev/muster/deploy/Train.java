package dev.muster.deploy;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * Runs what every start runs, the demo, and a small simulation, so that the JVM can record in its
 * AOT cache what it loaded, and which code is hot. The launcher calls it after a build; what it
 * prints goes into a log.
 */
@Command(name = "train", hidden = true, description = "Exercises the program for the AOT cache.")
final class Train implements Runnable {
  @Spec private CommandSpec spec;

  Train() {
    this.spec = CommandSpec.create(); // picocli puts the real one here before it runs the command
  }

  @Override
  public void run() {
    CommandSpec parent = spec.parent();
    CommandLine whole = parent == null ? spec.commandLine() : parent.commandLine();
    var nowhere = new PrintWriter(Writer.nullWriter());
    help(whole, nowhere);
    whole.printVersionHelp(nowhere);
    whole.execute("demo", "--once", "--fast", "--port", "0");
    simulate(whole);
  }

  /** Some hundred jobs: with more the cache takes longer to make and saves nothing more. */
  private static void simulate(CommandLine whole) {
    try {
      Path folder = Files.createTempDirectory("muster-train");
      String trace = folder.resolve("jobs.jsonl").toString();
      String[] fleet = {"--cluster", "32x8", "--out"};
      whole.execute(
          "simulate",
          "generate",
          "--jobs",
          "500",
          "--load",
          "0.7",
          fleet[0],
          fleet[1],
          fleet[2],
          trace);
      whole.execute(
          "simulate",
          "run",
          "--trace",
          trace,
          fleet[0],
          fleet[1],
          fleet[2],
          folder.resolve("result").toString());
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void help(CommandLine command, PrintWriter out) {
    command.usage(out);
    command.getSubcommands().values().forEach(below -> help(below, out));
  }
}
