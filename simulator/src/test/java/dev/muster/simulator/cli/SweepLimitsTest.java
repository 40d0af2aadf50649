package dev.muster.simulator.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// A sweep that would use up the memory is refused before anything runs.
final class SweepLimitsTest {
  private static final String TOO_MANY = "More than 100,000 runs, the maximum of a sweep.";

  @TempDir private Path folder;

  private String refusal(String... more) throws IOException {
    Path trace = folder.resolve("t.csv");
    Files.writeString(trace, "job_id,num_gpu,submit_time,duration\na,8,0,100\n");
    List<String> arguments = new ArrayList<>(List.of("sweep", "--trace", trace.toString()));
    arguments.addAll(List.of("--cluster", "1x8", "--out", folder.resolve("out").toString()));
    arguments.addAll(List.of(more));
    StringBuilder said = new StringBuilder();
    CommandLine line =
        Simulate.commandLine()
            .setExecutionExceptionHandler((failure, _, _) -> {
              said.append(failure.getMessage());
              return 1;
            });
    assertThat(line.execute(arguments.toArray(String[]::new))).isNotZero();
    return said.toString();
  }

  @Test
  void more_runs_than_a_sweep_can_have_are_refused() throws IOException {
    assertThat(refusal("--seeds", "1..100000", "--failures", "9d,10d")).startsWith(TOO_MANY);
  }

  @Test
  void more_combinations_of_axes_than_a_sweep_can_have_are_refused() throws IOException {
    List<String> axes = new ArrayList<>();
    for (int i = 1; i <= 400; i++) {
      axes.addAll(List.of("--axis", "checkpoint=%dm".formatted(i)));
      axes.addAll(List.of("--axis", "repair=%dm".formatted(i)));
    }
    assertThat(refusal(axes.toArray(String[]::new))).startsWith(TOO_MANY);
  }

  @Test
  void more_threads_than_any_machine_has_are_refused() throws IOException {
    assertThat(refusal("--threads", "1000000000"))
        .isEqualTo("--threads 1000000000: must be 0 to 1024.");
  }

  @Test
  void more_nodes_than_fit_in_memory_are_refused() throws IOException {
    List<String> fleets = new ArrayList<>();
    for (int gpus = 1; gpus <= 6; gpus++) {
      fleets.addAll(List.of("--cluster", "199999x" + gpus));
    }
    assertThat(refusal(fleets.toArray(String[]::new)))
        .isEqualTo("--cluster: more than 1,000,000 nodes in all fleets together, the maximum.");
  }
}
