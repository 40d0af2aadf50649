package dev.muster.simulator.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// An interrupted command keeps complete results and says so.
final class StoppedTest {
  @TempDir private Path folder;

  /// The command line in its own process.
  static final class Child {
    private Child() {}

    /// Runs one command.
    public static void main(String[] arguments) {
      System.exit(run(arguments));
    }

    static int run(String... arguments) {
      return Simulate.commandLine().setCaseInsensitiveEnumValuesAllowed(true).execute(arguments);
    }
  }

  @BeforeEach
  void trace() throws IOException {
    StringBuilder jobs = new StringBuilder("job_id,num_gpu,submit_time,duration\n");
    for (int i = 0; i < 300; i++) {
      jobs.append("%d,%d,%d,%d%n".formatted(i, 1 + i % 8, 10 * i, 100 + 7 * i % 90));
    }
    Files.writeString(folder.resolve("t.csv"), jobs);
  }

  private Process started(String... arguments) throws IOException {
    List<String> call = new ArrayList<>();
    call.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    call.addAll(List.of("-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path")));
    call.add(Child.class.getName());
    call.addAll(List.of(arguments));
    return new ProcessBuilder(call)
        .redirectOutput(folder.resolve("said").toFile())
        .redirectError(folder.resolve("told").toFile())
        .start();
  }

  private static void end(Process process) throws InterruptedException {
    assertThat(process.waitFor(50, TimeUnit.SECONDS)).isTrue();
  }

  private String said(String file) throws IOException {
    return Files.readString(folder.resolve(file), StandardCharsets.UTF_8);
  }

  private String[] sweep(String out) {
    return "sweep --cluster 1x8 --cluster 2x8 --trace %s --policy easy,muster --seeds 1..10 --mtbf 1h --out %s"
        .formatted(folder.resolve("t.csv"), folder.resolve(out))
        .split(" ", -1);
  }

  /// Returns the number of kept runs, once it is large enough or the process has ended.
  private long runs(Process process, String out, long atLeast)
      throws IOException, InterruptedException {
    Path runs = folder.resolve(out).resolve("runs");
    while (true) {
      long kept = 0;
      if (Files.exists(runs)) {
        try (Stream<Path> files = Files.list(runs)) {
          kept = files.count();
        }
      }
      if (kept >= atLeast || !process.isAlive()) {
        return kept;
      }
      Thread.sleep(2);
    }
  }

  @Test
  void interrupted_sweep_continues_with_equal_results() throws IOException, InterruptedException {
    assertThat(Child.run(sweep("whole"))).isZero();
    Process stopped = started(sweep("parts"));
    runs(stopped, "parts", 3);
    stopped.destroy();
    end(stopped);
    assertThat(said("told")).contains("stopped early: run the same command again to resume.");
    long kept = runs(stopped, "parts", 0);
    assertThat(kept).isBetween(3L, 39L);
    assertThat(said("parts/sweep.csv").lines()).hasSize((int) kept + 1);
    Process killed = started(sweep("parts"));
    runs(killed, "parts", kept + 5);
    killed.destroyForcibly();
    end(killed);
    assertThat(runs(killed, "parts", 0)).isBetween(kept + 5, 39L);
    assertThat(Child.run(sweep("parts"))).isZero();
    assertThat(said("parts/sweep.csv")).isEqualTo(said("whole/sweep.csv"));
    try (Stream<Path> left = Files.list(folder.resolve("parts"))) {
      assertThat(left)
          .extracting(Path::getFileName)
          .map(Path::toString)
          .containsExactlyInAnyOrder("runs", "sweep.csv", "report.html");
    }
  }

  /// The run takes long enough to show how far it is on a terminal; the last row is what is wrong.
  @Test
  void mistake_in_a_file_is_not_among_lines_of_progress() throws IOException, InterruptedException {
    StringBuilder jobs = new StringBuilder("{\"format\":\"muster-trace/v1\"}\n");
    for (int i = 0; i < 4000; i++) {
      jobs.append(
          "{\"id\":\"%d\",\"submit_ms\":%d,\"run_ms\":%d,\"gpus\":%d}%n"
              .formatted(i, 10_000 * i, 100_000 + 7_000 * i % 90_000, 1 + i % 8));
    }
    Path trace = folder.resolve("t.jsonl");
    Files.writeString(trace, jobs + "{\"id\":\"bad\",\"submit_ms\":\"x\",\"run_ms\":1}\n");
    end(started("run", "--cluster", "1x8", "--trace", trace.toString()));
    assertThat(said("told")).contains("\"x\" is not a number").doesNotContain("\r", "jobs/s");
  }
}
