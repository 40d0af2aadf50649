package dev.muster.deploy;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.List;
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

  private static final String FLEET = "32x8";
  private static final int JOBS = 5_000;
  private static final DateTimeFormatter TABLE_TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss");

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

  /**
   * Some thousand jobs, as a trace of our own and as a table: with fewer not all is seen to be hot
   * that is in a large simulation.
   */
  private static void simulate() {
    try {
      Path folder = Files.createTempDirectory("muster-train");
      String trace = folder.resolve("jobs.jsonl.gz").toString();
      String jobs = String.valueOf(JOBS);
      execute(
          "simulate",
          "generate",
          "--jobs",
          jobs,
          "--load",
          "0.7",
          "--cluster",
          FLEET,
          "--out",
          trace);
      String table = Files.writeString(folder.resolve("jobs.csv"), table()).toString();
      for (String each : List.of(trace, table)) {
        String result = folder.resolve("result").toString();
        execute("simulate", "run", "--trace", each, "--cluster", FLEET, "--out", result);
      }
      delete(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A table in the layout of Philly's, not quite in order, as logs are. */
  private static String table() {
    StringBuilder rows = new StringBuilder("timestamp,duration,num_gpus,cluster\n");
    LocalDateTime first = LocalDateTime.of(2017, 10, 1, 0, 0);
    for (int job = 0; job < JOBS; job++) {
      String submitted = TABLE_TIME.format(first.plusMinutes(job ^ 1));
      int run = 300 + 30 * (37 * job % 100); // keeps two thirds of the fleet busy
      int gpus = 1 << (job % 7 * (job % 5) / 4);
      rows.append("%s,%d,%d,queue\n".formatted(submitted, run, gpus));
    }
    return rows.toString();
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
