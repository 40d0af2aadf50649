package dev.muster.simulator.bench;

import dev.muster.simulator.cli.Simulate;
import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.fleet.Fleets;
import dev.muster.simulator.run.engine.StepCost;
import dev.muster.simulator.trace.Trace;
import dev.muster.simulator.trace.TraceJob;
import dev.muster.simulator.trace.TraceOptions;
import dev.muster.simulator.trace.format.TraceFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Measures the speed of the simulator, as a table with the goals. Commands run as users start
/// them, each in its own JVM. Some rows are compared with each other.
///
/// ```
/// ./mvnw -pl simulator -am test -Dtest=SimulationBench -Dsurefire.failIfNoSpecifiedTests=false
/// ```
///
/// `-Dbench.scale=0.1` takes a tenth of the jobs, `-Dbench.trace=philly.csv.gz` a real trace for
/// the first row, `-Dtest='SimulationBench#sweep'` only some rows. Not part of the build: its name
/// is no test's name.
@Timeout(value = 1, unit = TimeUnit.HOURS)
class SimulationBench {
  private static final double SCALE = Double.parseDouble(System.getProperty("bench.scale", "1"));
  private static final String JAVA =
      Path.of(System.getProperty("java.home"), "bin/java").toString();
  private static final Path TASKSET = Path.of("/usr/bin/taskset");

  @TempDir private Path folder = Path.of("");

  @BeforeAll
  static void head() {
    System.out.printf(
        "%n%n| what | goal | seen | wall, s | processor, s | heap, MiB |%n|---|---|---|---|---|---|%n");
  }

  /// Sizes, run times, load and daily variation follow the published Philly trace. Its virtual
  /// clusters are included (Jeon et al., USENIX ATC 2019).
  @Test
  void philly() throws IOException, InterruptedException {
    String given = System.getProperty("bench.trace", "");
    String sizes = "1:76627,2:1818,4:1870,8:1643,16:199,32:67,64:6,128:3";
    Path trace =
        given.isEmpty()
            ? made("philly", 82_247, "352x8", "0.133", "--sizes", sizes, "--median", "1144s")
            : Path.of(given);
    MeasuredRun seen = measured(run(trace, "352x8"));
    row("Philly on 352 nodes of 8", "3 s", "%.1f s".formatted(seen.wall()), seen);
  }

  @Test
  void growth() throws IOException, InterruptedException {
    Path few = made("few", 10_000, "128x8", "0.9");
    Path many = made("many", 100_000, "128x8", "0.9");
    List<MeasuredRun> seen =
        MeasuredRun.of(
            List.of(JAVA), List.of(run(few, "128x8"), run(few, "128x8"), run(many, "128x8")));
    row("jobs at 90 % of 128 nodes of 8", "", "", seen.get(1));
    String times = "%.1f x".formatted(seen.get(2).wall() / seen.get(1).wall());
    row("ten times as many", "12 x", times, seen.get(2));
  }

  /// In one JVM, compiler and collector use the other core even with one worker. So one core is
  /// measured, too.
  @Test
  void sweep() throws IOException, InterruptedException {
    Path trace = made("sweep", 2_000, "16x8", "0.9");
    MeasuredRun two = measured(sweep(trace, 2));
    MeasuredRun one = measured(sweep(trace, 1));
    row("64 runs, one worker", "", "", one);
    row("64 runs, two workers", "1.8 x", faster(one, two), two);
    if (Files.isExecutable(TASKSET)) {
      List<String> pinned = List.of(TASKSET.toString(), "-c", "0", JAVA);
      MeasuredRun core = MeasuredRun.of(pinned, List.of(sweep(trace, 1))).getFirst();
      row("64 runs, one core; two cores are faster", "1.8 x", faster(core, two), core);
    }
  }

  private static String faster(MeasuredRun one, MeasuredRun two) {
    return "%.2f x".formatted(one.wall() / two.wall());
  }

  private List<String> sweep(Path trace, int threads) {
    Path out = folder.resolve("sweep-" + System.nanoTime());
    return Stream.concat(
            command("sweep", trace, "16x8"),
            Stream.of(
                "--seeds", "1..64", "--threads", String.valueOf(threads), "--out", out.toString()))
        .toList();
  }

  @Test
  void million() throws IOException, InterruptedException {
    Path trace = made("million", 1_000_000, "1250x8", "0.9");
    MeasuredRun seen =
        MeasuredRun.of(List.of(JAVA, "-Xmx1g"), List.of(run(trace, "1250x8"))).getFirst();
    String what = "%,d gangs on 10,000 GPUs, -Xmx1g".formatted(scaled(1_000_000));
    row(what, "15 s, 1024 MiB", "%.1f s, %.0f MiB".formatted(seen.wall(), seen.heap()), seen);
  }

  @Test
  void step() throws ExecutionException, InterruptedException {
    Fleet fleet = Fleets.of("352x8");
    StepCost cost = StepCost.of(fleet, jobs(made("step", 20_000, "352x8", "0.9")));
    double ratio = cost.simulatedMicros() / cost.bareMicros();
    System.out.printf(
        Locale.ROOT,
        "| one of %,d steps, against the live server's | 1.2 x | %.2f x: %.1f and %.1f us | | | |%n",
        cost.steps(),
        ratio,
        cost.simulatedMicros(),
        cost.bareMicros());
    System.out.printf(
        Locale.ROOT,
        "| event queue and bookkeeping | 25 %% | %.1f %% | | | |%n",
        100 * (1 - cost.engineShare()));
  }

  private static List<TraceJob> jobs(Path file) {
    List<TraceJob> jobs = new ArrayList<>();
    try (Trace trace = TraceFiles.open(file, TraceOptions.DEFAULT)) {
      trace.forEachRemaining(jobs::add);
    }
    return jobs;
  }

  private static long scaled(long jobs) {
    return Math.round(jobs * SCALE);
  }

  private Path made(String name, long jobs, String fleet, String load, String... more) {
    Path file = folder.resolve(name + ".jsonl.gz");
    Stream<String> line =
        Stream.of(
            "generate",
            "--jobs",
            String.valueOf(scaled(jobs)),
            "--cluster",
            fleet,
            "--load",
            load,
            "--out",
            file.toString());
    int code =
        Simulate.commandLine().execute(Stream.concat(line, Stream.of(more)).toArray(String[]::new));
    if (code != 0) {
      throw new IllegalStateException("The trace (%s) was not made.".formatted(name));
    }
    return file;
  }

  private static MeasuredRun measured(List<String> command)
      throws IOException, InterruptedException {
    return MeasuredRun.of(List.of(JAVA), List.of(command)).getFirst();
  }

  private static List<String> run(Path trace, String fleet) {
    return command("run", trace, fleet).toList();
  }

  private static Stream<String> command(String name, Path trace, String fleet) {
    return Stream.of(name, "--cluster", fleet, "--trace", trace.toString());
  }

  private static void row(String what, String goal, String seen, MeasuredRun of) {
    System.out.printf(
        Locale.ROOT,
        "| %s | %s | %s | %.1f | %.1f | %.0f |%n",
        what,
        goal,
        seen,
        of.wall(),
        of.cpu(),
        of.heap());
  }
}
