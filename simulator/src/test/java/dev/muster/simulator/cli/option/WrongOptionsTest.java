package dev.muster.simulator.cli.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.simulator.cli.Simulate;
import dev.muster.simulator.file.PlainNumber;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// A contradictory option is refused with a suggestion.
final class WrongOptionsTest {
  @TempDir private Path folder;

  private static String refusal(String... arguments) {
    StringBuilder said = new StringBuilder();
    CommandLine line = Simulate.commandLine().setCaseInsensitiveEnumValuesAllowed(true);
    line.setExecutionExceptionHandler((failure, _, _) -> {
      said.append(failure.getMessage());
      return 1;
    });
    assertThat(line.execute(arguments)).isEqualTo(1);
    return said.toString();
  }

  private String file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  @Test
  void workers_already_in_the_trace_are_refused() throws IOException {
    String own =
        file(
            "own.jsonl",
            """
            {"format":"muster-trace/v1"}
            {"id":"a","submit_ms":0,"run_ms":60000,"workers":1,"gpus":8}
            """);
    assertThat(refusal("run", "--trace", own, "--cluster", "1x8", "--gpus-per-worker", "2"))
        .isEqualTo(
            "--gpus-per-worker does not apply to %s: its format muster has the GPUs of each worker."
                .formatted(own));
    String converted =
        file(
            "converted.csv",
            "job_id,arrival_time,num_iteration,gpu_workers,gpu_per_worker\na,0,100,1,8\n");
    assertThat(refusal("run", "--trace", converted, "--cluster", "1x8", "--gpus-per-worker", "2"))
        .contains("its format acme-converted has the GPUs of each worker");
  }

  @Test
  void empty_lists_are_refused() throws IOException {
    String trace = file("t.csv", "job_id,num_gpu,submit_time,duration\na,8,0,100\n");
    String out = folder.resolve("out").toString();
    for (String command : List.of("compare", "sweep")) {
      assertThat(
              refusal(command, "--trace", trace, "--cluster", "1x8", "--out", out, "--policy", ","))
          .isEqualTo("--policy \",\": the list is empty.");
    }
    for (String option : List.of("--scale", "--failures", "--speed", "--maintenance")) {
      assertThat(refusal("sweep", "--trace", trace, "--cluster", "1x8", "--out", out, option, ",,"))
          .isEqualTo(option + " \",,\": the list is empty.");
    }
  }

  @Test
  void several_policies_for_a_single_run_are_refused() throws IOException {
    String trace = file("t.csv", "job_id,num_gpu,submit_time,duration\na,8,0,100\n");
    assertThat(refusal("run", "--trace", trace, "--cluster", "1x8", "--policy", "easy,muster"))
        .isEqualTo(
            "--policy easy,muster: only one policy is allowed here. Use `muster simulate compare` for several.");
  }

  @Test
  void number_followed_by_a_letter_is_refused() throws IOException {
    String trace = file("t.csv", "job_id,num_gpu,submit_time,duration\na,8,0,100\n");
    String[] plan = {"plan", "--trace", trace, "--goal", "p95 slowdown under 2d"};
    assertThat(refusal(plan)).contains("the slowdown \"2d\" is not a number of 1 or more.");
    assertThat(refusal("run", "--trace", trace, "--cluster", "1x8:P4", "--speed", "P4=2f"))
        .isEqualTo("--speed \"P4=2f\": the factor \"2f\" is not a number.");
    assertThatThrownBy(() -> PlainNumber.decimal("0x1p3"))
        .isInstanceOf(NumberFormatException.class);
    assertThat(PlainNumber.decimal("1.5e3")).isEqualTo(1500);
  }

  @Test
  void node_option_with_several_shapes_is_refused() throws IOException {
    String trace = file("t.csv", "job_id,num_gpu,submit_time,duration\na,8,0,100\n");
    String goal = "max wait under 1s";
    assertThat(refusal("plan", "--trace", trace, "--goal", goal, "--node", "8:A100,2x4"))
        .isEqualTo("--node \"8:A100,2x4\": not of the form GPUS[:MODEL], such as 8:V100.");
  }

  @Test
  void descending_seeds_are_refused() {
    assertThatThrownBy(() -> Seeds.of("9..5"))
        .hasMessage("--seeds 9..5: descending range. Did you mean 5..9?");
  }

  @Test
  void too_many_seeds_are_refused() {
    assertThatThrownBy(() -> Seeds.of("1..100001"))
        .hasMessage("--seeds 1..100001: 100001 seeds; the maximum is 100000.");
    assertThat(Seeds.of("1..100000")).hasSize(100_000);
  }
}
