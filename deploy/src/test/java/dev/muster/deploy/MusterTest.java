package dev.muster.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/// The command line returns documented exit codes and writes to the right stream.
final class MusterTest {
  private record Outcome(int code, String out, String err) {}

  @Command(name = "fail")
  private static final class Fail implements Runnable {
    private final RuntimeException failure;

    Fail(RuntimeException failure) {
      this.failure = failure;
    }

    @Override
    public void run() {
      throw failure;
    }
  }

  private static Outcome run(CommandLine command, String... args) {
    var out = new StringWriter();
    var err = new StringWriter();
    command.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return new Outcome(command.execute(args), out.toString(), err.toString());
  }

  private static Outcome failingWith(RuntimeException failure) {
    return run(Muster.commandLine().addSubcommand(withComplaints(failure)), "fail");
  }

  private static CommandLine withComplaints(RuntimeException failure) {
    return new CommandLine(new Fail(failure)).setExecutionExceptionHandler(new ErrorPrinter(false));
  }

  @Test
  void only_the_called_command_is_created() {
    for (String name : below(Muster.commandLine())) {
      assertThat(below(Muster.commandLine(name))).containsExactly(name);
    }
    for (String name : below(simulate(Muster.commandLine("simulate")))) {
      assertThat(below(simulate(Muster.commandLine("simulate", name)))).containsExactly(name);
    }
    assertThat(below(simulate(Muster.commandLine("simulate", "--help"))))
        .contains("run", "sweep", "export", "fit");
    assertThat(below(Muster.commandLine("simulat")))
        .as("what is misspelt is answered with the one that may be meant")
        .contains("simulate", "serve");
  }

  private static Set<String> below(CommandLine line) {
    return line.getSubcommands().keySet();
  }

  private static CommandLine simulate(CommandLine whole) {
    return Objects.requireNonNull(whole.getSubcommands().get("simulate"));
  }

  @Test
  void version_comes_from_the_build() {
    Outcome outcome = run(Muster.commandLine(), "--version");
    assertThat(outcome.code()).isZero();
    assertThat(outcome.out()).matches("muster \\d+\\.\\d+\\.\\d+(-SNAPSHOT)?\\R");
  }

  @Test
  void help_names_the_exit_codes() {
    Outcome outcome = run(Muster.commandLine(), "--help");
    assertThat(outcome.code()).isZero();
    assertThat(outcome.out()).contains("Exit codes:");
  }

  @Test
  void usage_errors_exit_with_two_and_point_to_the_help() {
    for (String wrong : new String[] {"--no-such-option", "no-such-command"}) {
      Outcome outcome = run(Muster.commandLine(), wrong);
      assertThat(outcome.code()).isEqualTo(2);
      assertThat(outcome.out()).isEmpty();
      assertThat(outcome.err()).contains(wrong).contains("Try 'muster --help'");
    }
    assertThat(run(Muster.commandLine()).code()).isEqualTo(2);
  }

  @Test
  void failures_are_one_line_without_stack_trace() {
    var failure = new CompletionException(new IOException("cannot read policy.yaml"));
    Outcome outcome = failingWith(failure);
    assertThat(outcome.code()).isEqualTo(3);
    assertThat(outcome.err()).isEqualToIgnoringNewLines("muster fail: cannot read policy.yaml");
  }

  @Test
  void wrong_values_and_files_exit_with_two(@TempDir Path folder) throws IOException {
    String bad = Files.writeString(folder.resolve("bad.jsonl"), "nonsense\n").toString();
    String good = "p95 wait under 1h";
    for (String[] call :
        new String[][] {
          {"simulate", "plan", "--trace", bad, "--goal", good},
          {"simulate", "plan", "--trace", bad, "--goal", "p95 of nothing"},
          {"simulate", "plan", "--trace", folder + "/none", "--goal", good},
          {"simulate", "replay", bad}
        }) {
      assertThat(run(Muster.commandLine(), call).code()).as(String.join(" ", call)).isEqualTo(2);
    }
  }

  @Test
  void messages_do_not_depend_on_the_system_locale(@TempDir Path folder)
      throws IOException, InterruptedException {
    Path trace = folder.resolve("t.csv");
    Files.writeString(trace, "job_id,num_gpu,submit_time,duration\na,8,0,100\n");
    Path said = folder.resolve("said");
    var call =
        started("simulate", "plan", "--trace", trace.toString(), "--goal", "max wait under 1h");
    Process process = call.redirectOutput(said.toFile()).start();
    assertThat(process.waitFor(50, TimeUnit.SECONDS)).isTrue();
    assertThat(said).content().startsWith("1 nodes of 8 meet the goal");
  }

  @Test
  void path_that_cannot_be_one_is_a_usage_error_of_its_option() {
    Outcome outcome = run(Muster.commandLine("serve"), "serve", "-c", "/tmp/\ud800");
    assertThat(outcome.code()).isEqualTo(2);
    assertThat(outcome.err())
        .contains("'--config'", "has a character that no path has in")
        .doesNotContain("Exception");
  }

  @Test
  void empty_path_is_a_usage_error_of_its_option() {
    Outcome outcome =
        run(Muster.commandLine(), "simulate", "generate", "--cluster", "1x8", "--out", "");
    assertThat(outcome.code()).isEqualTo(2);
    assertThat(outcome.err()).contains("'--out'", "the path is empty");
  }

  /// Starts the command in a locale other than English.
  private static ProcessBuilder started(String... args) {
    List<String> call = new ArrayList<>();
    call.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    call.addAll(List.of("-XX:TieredStopAtLevel=1", "-Duser.language=ar", "-Duser.country=EG"));
    call.addAll(List.of("-cp", System.getProperty("java.class.path"), Muster.class.getName()));
    call.addAll(List.of(args));
    return new ProcessBuilder(call);
  }

  @Test
  void failed_write_to_standard_output_is_a_failure() throws IOException, InterruptedException {
    Process process = started("--version").redirectOutput(new File("/dev/full")).start();
    String said = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).isEqualTo(3);
    assertThat(said)
        .isEqualToIgnoringNewLines("muster: the standard output: No space left on device.");
  }

  @Test
  void closed_standard_output_is_a_failure() throws IOException, InterruptedException {
    ProcessBuilder call = started("--version");
    call.command().addAll(0, List.of("sh", "-c", "exec \"$@\" >&-", "sh"));
    Process process = call.start();
    process.getErrorStream().readAllBytes();
    assertThat(process.waitFor()).isEqualTo(3);
  }

  @Test
  void failed_write_of_why_is_an_error_and_not_one_of_its_answers()
      throws IOException, InterruptedException {
    Process process = started("why", "--help").redirectOutput(new File("/dev/full")).start();
    process.getErrorStream().readAllBytes();
    assertThat(process.waitFor()).isEqualTo(1);
  }

  @Test
  void failure_holds_nothing_that_a_terminal_obeys() {
    Outcome outcome = failingWith(new IllegalStateException("a\u001b[2Jb\u009b1m\u202ec"));
    assertThat(outcome.err()).isEqualToIgnoringNewLines("muster fail: a [2Jb 1m c");
  }

  @Test
  void full_disk_is_a_runtime_error() {
    var full = new FileSystemException("out/jobs.csv", null, "No space left on device");
    Outcome outcome = failingWith(new UncheckedIOException(full));
    assertThat(outcome.code()).isEqualTo(3);
    assertThat(outcome.err()).startsWith("muster fail: out/jobs.csv: No space left on device");
  }

  @Test
  void failure_in_another_thread_keeps_its_message() {
    var refused = new IllegalArgumentException("There is no GPU.");
    Outcome outcome = failingWith(new IllegalArgumentException(refused));
    assertThat(outcome.err()).isEqualToIgnoringNewLines("muster fail: There is no GPU.");
  }

  @Test
  void failures_without_message_are_faults_of_muster_with_a_remedy() {
    Outcome outcome = failingWith(new IllegalStateException());
    assertThat(outcome.err())
        .startsWith("muster fail: a fault of Muster")
        .contains("MUSTER_TRACE=1");
  }

  @Test
  void files_that_cannot_be_written_are_named_with_the_cause_and_a_remedy(@TempDir Path folder)
      throws IOException {
    Path lost = folder.resolve("nowhere/trace.jsonl");
    assertThat(generating(lost)).isEqualTo(lost + ": no such file or folder.");
    Path file = Files.writeString(folder.resolve("file"), "");
    assertThat(generating(file.resolve("trace.jsonl")))
        .isEqualTo(file + "/trace.jsonl: Not a directory.");
    assertThat(generating(folder)).isEqualTo(folder + ": Is a directory.");
  }

  private static String generating(Path file) {
    Outcome outcome =
        run(
            Muster.commandLine(),
            "simulate",
            "generate",
            "--cluster",
            "1x8",
            "--out",
            file.toString());
    assertThat(outcome.code()).isEqualTo(2);
    return outcome.err().strip().replaceFirst("^muster simulate generate: ", "");
  }
}
