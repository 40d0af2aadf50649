package dev.muster.simulator.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.policy.journal.JournalReader;
import dev.muster.simulator.cli.terminal.ReadProgressLine;
import dev.muster.simulator.trace.Trace;
import dev.muster.simulator.trace.TraceJob;
import dev.muster.simulator.trace.TraceOptions;
import dev.muster.simulator.trace.format.TraceFiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The commands that generate traces and check journals work.
final class ShippedFilesTest {
  private static final String HEADER =
      "{\"apiVersion\":\"journal.muster.dev/v1\",\"kind\":\"Header\",\"topology\":[],\"policies\":{\"backfill.depth\":\"1\",\"backfill.drainAfter\":\"1h\",\"bindTimeout\":\"5m\",\"order\":\"fair-share\",\"repairTimeout\":\"5m\"}}\n";

  @TempDir private Path folder;
  private final StringWriter out = new StringWriter();

  private int run(String... args) {
    return Simulate.commandLine()
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(out))
        .execute(args);
  }

  @Test
  void generated_jobs_start_on_their_fleet() throws IOException {
    String made = folder.resolve("g.jsonl").toString();
    for (String fleet : List.of("12x4", "4x8:V100,5x8:P100")) {
      assertThat(run("generate", "--cluster", fleet, "--jobs", "200", "--out", made)).isZero();
      String result = folder.resolve("result").toString();
      assertThat(run("run", "--cluster", fleet, "--trace", made, "--out", result)).isZero();
      assertThat(folder.resolve("result/jobs.csv")).content().doesNotContain("rejected");
    }
  }

  @Test
  void generated_trace_can_be_read() {
    Path file = folder.resolve("t.jsonl.gz");
    assertThat(run("generate", "--cluster", "4x8", "--jobs", "50", "--out", file.toString()))
        .isZero();
    try (Trace trace = TraceFiles.open(file, TraceOptions.DEFAULT)) {
      assertThat(trace.assumptions()).anyMatch(said -> said.contains("seed 42"));
      assertThat(trace).toIterable().map(TraceJob::id).hasSize(50).contains("job-50");
    }
  }

  @Test
  void default_sizes_fit_the_fleet() {
    Path file = folder.resolve("t.jsonl");
    String out = file.toString();
    assertThat(run("generate", "--cluster", "2x8", "--jobs", "999", "--out", out)).isZero();
    try (Trace trace = TraceFiles.open(file, TraceOptions.DEFAULT)) {
      assertThat(trace).toIterable().allMatch(job -> job.gpuMilli() <= 16_000);
    }
  }

  @Test
  void equal_decisions_of_a_replay_are_confirmed() throws IOException {
    Path file = folder.resolve("journal");
    Files.writeString(
        file,
        HEADER
            + "{\"event\":{\"type\":\"Synced\",\"at\":\"2026-11-01T00:00:00Z\"},\"decisions\":[]}\n");
    assertThat(run("replay", file.toString())).as(out.toString()).isZero();
    assertThat(out.toString()).contains("1 turns in 1 run(s)", "Every decision is the same.");
  }

  @Test
  void replay_without_the_preemption_policy_is_refused() throws IOException {
    Path other = folder.resolve("policy.yaml");
    Files.writeString(other, "apiVersion: policy.muster.dev/v1\nkind: PreemptionPolicy\n");
    Path file = folder.resolve("journal");
    Files.writeString(
        file,
        HEADER
            + "{\"event\":{\"type\":\"PolicyChanged\",\"at\":\"2026-11-01T00:00:00Z\",\"revision\":\"0123456789ab\"},\"decisions\":[]}\n");
    assertThat(run("replay", file.toString(), "--preemption", other.toString())).isNotZero();
    assertThat(out.toString())
        .contains(
            file + ":2:1: preemption policy revision 0123456789ab is required, but only ",
            "only "
                + PolicyRevisions.read(other).revision()
                + " was given. Pass that version of the file with --preemption");
  }

  @Test
  void replay_with_the_preemption_policy_is_confirmed() throws IOException {
    Path policy = folder.resolve("policy.yaml");
    Files.writeString(policy, "apiVersion: policy.muster.dev/v1\nkind: PreemptionPolicy\n");
    String revision = PolicyRevisions.read(policy).revision();
    Path file = folder.resolve("journal");
    Files.writeString(
        file,
        HEADER.replace("\"policies\":{", "\"policies\":{\"preemption\":\"" + revision + "\",")
            + "{\"event\":{\"type\":\"Synced\",\"at\":\"2026-11-01T00:00:00Z\"},\"decisions\":[]}\n");
    assertThat(run("replay", file.toString())).isNotZero();
    assertThat(run("replay", file.toString(), "--preemption", policy.toString()))
        .as(out.toString())
        .isZero();
  }

  @Test
  void different_decisions_of_a_replay_are_reported() throws IOException {
    Path file = folder.resolve("journal");
    Files.writeString(
        file,
        HEADER
            + "{\"event\":{\"type\":\"Synced\",\"at\":\"2026-11-01T00:00:00Z\"},\"decisions\":[{\"type\":\"Nonsense\"}]}\n");
    assertThat(run("replay", file.toString())).isEqualTo(1);
    assertThat(out.toString()).contains(file + ":2: first decision that differs.", "Nonsense");
  }

  @Test
  void replayed_share_of_a_journal_is_shown() throws IOException {
    Path file = folder.resolve("journal");
    String turn =
        "{\"event\":{\"type\":\"Synced\",\"at\":\"2026-11-01T00:00:00Z\"},\"decisions\":[]}\n";
    Files.writeString(file, HEADER + turn);
    ByteArrayOutputStream shown = new ByteArrayOutputStream();
    AtomicLong clock = new AtomicLong();
    ReadProgressLine line =
        new ReadProgressLine(
            new PrintStream(shown, true, StandardCharsets.UTF_8),
            () -> true,
            () -> clock.getAndAdd(600_000_000));
    try (JournalReader journal = JournalReader.open(file)) {
      journal.next();
      assertThat(line.test(journal)).isTrue();
    }
    assertThat(shown.toString(StandardCharsets.UTF_8))
        .contains("\r" + file + ": 100 % of the journal");
  }
}
