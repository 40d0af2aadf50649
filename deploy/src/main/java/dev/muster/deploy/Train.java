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
import picocli.CommandLine.Parameters;

/**
 * Runs what every start runs, and then the demo and the server against a stand-in for a cluster, or
 * a simulation, so that the JVM can record in its AOT cache what it loaded, and which code is hot.
 * The launcher calls it after a build, once for each of its caches; what it prints goes into a log.
 */
@Command(name = "train", hidden = true, description = "Exercises the program for the AOT cache.")
final class Train implements Runnable {
  private static final String SERVER =
      """
      apiVersion: config.muster.dev/v1
      kind: MusterConfiguration
      server: {host: 127.0.0.1, port: 0}
      """;
  private static final int PATIENCE_SECONDS = 20;

  /** For whose cache. */
  enum Part {
    /** All that is none of the others'. */
    muster,
    simulate
  }

  @Parameters(paramLabel = "PART", description = "For whose cache: ${COMPLETION-CANDIDATES}.")
  private Part part;

  Train() {
    this.part = Part.muster; // picocli puts the real one here before it runs the command
  }

  @Override
  public void run() {
    CommandLine whole = Muster.commandLine();
    var nowhere = new PrintWriter(Writer.nullWriter());
    help(whole, nowhere);
    whole.printVersionHelp(nowhere);
    switch (part) {
      case muster -> {
        execute("demo", "--once", "--fast", "--port", "0");
        serve();
      }
      case simulate -> simulate();
    }
  }

  private static void execute(String... command) {
    Muster.commandLine(command).execute(command);
  }

  /** Starts the server, which goes on until the JVM ends. */
  private static void serve() {
    try (var cluster = new TrainingCluster()) {
      Path folder = Files.createTempDirectory("muster-train");
      Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), cluster.kubeconfig());
      Path config = Files.writeString(folder.resolve("muster.yaml"), SERVER);
      String[] command = {
        "serve", "--config", config.toString(), "--kubeconfig", kubeconfig.toString()
      };
      Thread.ofPlatform().daemon().name("train-serve").start(() -> execute(command));
      cluster.awaitStarts(PATIENCE_SECONDS);
      delete(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /** Some thousand jobs: with fewer not all is seen to be hot that is in a large simulation. */
  private static void simulate() {
    try {
      Path folder = Files.createTempDirectory("muster-train");
      String trace = folder.resolve("jobs.jsonl").toString();
      String[] fleet = {"--cluster", "32x8", "--out"};
      execute(
          "simulate",
          "generate",
          "--jobs",
          "5000",
          "--load",
          "0.7",
          fleet[0],
          fleet[1],
          fleet[2],
          trace);
      execute(
          "simulate",
          "run",
          "--trace",
          trace,
          fleet[0],
          fleet[1],
          fleet[2],
          folder.resolve("result").toString());
      delete(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  private static void help(CommandLine command, PrintWriter out) {
    command.usage(out);
    command.getSubcommands().values().forEach(below -> help(below, out));
  }
}
