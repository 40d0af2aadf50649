package dev.muster.simulator.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// The commands as a user types them.
final class SimulateTest {
  private static final String TRACE =
      """
      job_id,num_gpu,submit_time,iterations,model_name,duration,interval
      1,8,0,10,resnet50,100,10
      2,8,10,10,resnet50,20,10
      """;

  private static int muster(String... arguments) {
    CommandLine line = Simulate.commandLine();
    return line.setCaseInsensitiveEnumValuesAllowed(true).execute(arguments);
  }

  private static Path trace(Path folder) throws IOException {
    return Files.writeString(folder.resolve("trace.csv"), TRACE);
  }

  @Test
  void aRunLeavesItsFiles(@TempDir Path folder) throws IOException {
    Path out = folder.resolve("out");
    int code =
        muster(
            "run",
            "--cluster",
            "1x8",
            "--trace",
            trace(folder).toString(),
            "--policy",
            "srtf",
            "--out",
            out.toString());
    assertThat(code).isZero();
    assertThat(Files.readAllLines(out.resolve("jobs.csv"))).hasSize(3);
    assertThat(out.resolve("summary.json")).content().contains("\"makespan_s\" : 120");
    assertThat(out.resolve("report.html")).isNotEmptyFile();
  }

  @Test
  void policiesAreCompared(@TempDir Path folder) throws IOException {
    Path out = folder.resolve("out");
    int code =
        muster(
            "compare",
            "--cluster",
            "1x8",
            "--trace",
            trace(folder).toString(),
            "--policy",
            "fifo-strict/best-fit,srtf,muster",
            "--out",
            out.toString());
    assertThat(code).isZero();
    assertThat(Files.readAllLines(out.resolve("changes.csv"))).hasSize(1 + 3 * 2);
  }

  @Test
  void aSweepIsRunInPartsAndMerged(@TempDir Path folder) throws IOException {
    Path out = folder.resolve("out");
    String[] sweep = {
      "sweep",
      "--cluster",
      "1x8",
      "--cluster",
      "2x8",
      "--trace",
      trace(folder).toString(),
      "--policy",
      "srtf,easy",
      "--of",
      "2",
      "--out",
      out.toString(),
      "--index",
      "0"
    };
    assertThat(muster(sweep)).isZero();
    assertThat(Files.readAllLines(out.resolve("sweep.csv"))).hasSize(1 + 2);
    sweep[sweep.length - 1] = "1";
    assertThat(muster(sweep)).isZero();
    assertThat(Files.readAllLines(out.resolve("sweep.csv"))).hasSize(1 + 4);
  }

  @Test
  void aPlanSaysWhetherTheGoalCanBeMet(@TempDir Path folder) throws IOException {
    String trace = trace(folder).toString();
    assertThat(muster("plan", "--trace", trace, "--goal", "max wait under 1s", "--policy", "easy"))
        .isZero();
    assertThat(
            muster(
                "plan",
                "--trace",
                trace,
                "--goal",
                "max wait under 1s",
                "--policy",
                "easy",
                "--most",
                "1"))
        .isEqualTo(1);
  }
}
