package dev.muster.simulator.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// `generate` refuses impossible options.
final class GenerateRefusalsTest {
  @TempDir private Path folder;

  @Test
  void output_that_would_replace_the_fleet_is_refused() throws IOException {
    String fleet =
        Files.writeString(folder.resolve("f.csv"), "machineId,number of GPUs\na,8\n") + "";
    assertThat(generated("--cluster", fleet, "--out", fleet))
        .contains(fleet + " is an input (--cluster); the results would overwrite it.");
    assertThat(Path.of(fleet)).content().startsWith("machineId");
  }

  @Test
  void trace_longer_than_readable_is_refused() {
    Path out = folder.resolve("g.jsonl");
    assertThat(generated("--cluster", "1x8", "--load", "1e-300", "--out", out.toString()))
        .contains("--load", "1.0E-300", "100 years");
    assertThat(out).doesNotExist();
  }

  @Test
  void job_sizes_larger_than_the_fleet_are_refused() {
    Path out = folder.resolve("g.jsonl");
    assertThat(generated("--cluster", "4x8", "--sizes", "1:9,64:1", "--out", out.toString()))
        .isEqualTo("Size 64 (--sizes) exceeds the 32 GPUs of the fleet (--cluster).");
  }

  @Test
  void trace_without_jobs_is_refused() {
    Path out = folder.resolve("g.jsonl");
    assertThat(generated("--jobs", "0", "--cluster", "4x8", "--out", out.toString()))
        .contains("Jobs (0)", "must all be 1 or more");
  }

  @Test
  void load_in_percent_is_refused() {
    String out = folder.resolve("g.jsonl").toString();
    assertThat(generated("--load", "90", "--cluster", "4x8", "--out", out))
        .contains("Load 90.0 (--load)", "Did you mean 0.9?");
  }

  private String generated(String... more) {
    StringWriter said = new StringWriter();
    List<String> arguments = new ArrayList<>(List.of("generate"));
    arguments.addAll(List.of(more));
    if (!arguments.contains("--jobs")) {
      arguments.addAll(List.of("--jobs", "10"));
    }
    CommandLine line = Simulate.commandLine();
    line.setExecutionExceptionHandler((failure, _, _) -> {
      said.append(failure.getMessage());
      return 1;
    });
    assertThat(line.execute(arguments.toArray(String[]::new))).isNotZero();
    return said.toString();
  }
}
