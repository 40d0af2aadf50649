package dev.muster.simulator.trace;

import static dev.muster.simulator.trace.Samples.lines;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.simulator.trace.format.TraceFiles;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Every format is recognised by its content, and its columns have their documented meaning.
final class TraceFormatsTest {
  @Test
  void openb_pods_are_read() {
    assertThat(lines("openb.csv"))
        .containsExactly(
            "pod-b @10000 for 60000: 1x2 cpu 8000 memory 2048 queue BE",
            "pod-c @20000 for 5000: 1x0 cpu 1000 memory 512 queue LS",
            "pod-a @30000 for 90000: 1x0+500 cpu 4000 memory 1024 queue LS models T4|V100");
  }

  @Test
  void openb_pods_without_times_are_read() {
    assertThat(lines("openb-short.csv"))
        .containsExactly("pod-a @0 for 3600000: 1x8 cpu 4000 memory 1024");
  }

  @Test
  void philly_table_is_sorted_and_counts_from_its_first_submission() {
    assertThat(lines("philly.csv"))
        .containsExactly(
            "philly-2 @0 for 90500: 2x6 queue beta", "philly-1 @60000 for 60000: 1x1 queue alpha");
    try (Trace trace = TraceFiles.open(Samples.file("philly.csv"), TraceOptions.DEFAULT)) {
      assertThat(trace.start()).isEqualTo(Instant.parse("2017-10-02T00:00:00Z"));
      assertThat(trace.assumptions()).anyMatch(said -> said.contains("sorted"));
    }
  }

  @Test
  void philly_attempts_add_up_and_jobs_without_any_are_dropped() {
    assertThat(lines("philly.json")).containsExactly("one @0 for 90000: 1x4 user ann queue alpha");
  }

  @Test
  void helios_keeps_jobs_with_gpus() {
    assertThat(lines("helios.csv"))
        .containsExactly(
            "h3 @0 for 2000: 1x1 user u2 queue vcB", "h1 @5000 for 60000: 2x8 user u1 queue vcA");
  }

  @Test
  void acme_runs_from_start_to_end() {
    assertThat(lines("acme.csv")).containsExactly("a1 @0 for 8000: 2x8 user u1 queue Pretrain");
  }

  @Test
  void acme_converted_has_half_seconds() {
    assertThat(lines("acme-converted.csv"))
        .containsExactly("0 @0 for 1500: 4x8", "1 @12500 for 4000: 1x2");
  }

  @Test
  void muri_has_milliseconds_and_its_factor() {
    assertThat(lines("muri.csv"))
        .containsExactly("0 @0 for 203000: 1x4 work resnet18", "1 @5000 for 1015: 2x8 work bert");
  }

  @Test
  void tiresias_has_seconds() {
    assertThat(lines("tiresias.csv"))
        .containsExactly("7 @0 for 33000: 1x2 work vgg16", "8 @5000 for 44000: 1x8 work resnet50");
  }

  @Test
  void pai_tasks_are_gangs() {
    assertThat(lines("alibaba-v2020.csv"))
        .containsExactly(
            "jobA/ps @90000 for 80000: 2x0 cpu 4000 memory 8192 work jobA",
            "jobA/worker @100000 for 60000: 4x0+500 cpu 6000 memory 30000 models T4 work jobA",
            "jobC/worker @200000 for 10000: 2x2 cpu 6000 memory 16384 work jobC");
  }

  @Test
  void pai_tasks_may_lack_the_header(@TempDir Path folder) throws IOException {
    Path bare = folder.resolve("bare.csv");
    List<String> rows = Files.readAllLines(Samples.file("alibaba-v2020.csv"));
    Files.write(bare, rows.subList(1, rows.size()));
    assertThat(Samples.jobs(bare, Samples.as("alibaba-v2020"))).hasSize(3);
  }

  @Test
  void dlrm_instances_without_end_run_to_the_end_of_the_trace() {
    assertThat(lines("alibaba-v2025.csv"))
        .containsExactly(
            "i1 @0 for 500000: 1x1 cpu 12000 memory 122880 queue app-x",
            "i2 @100000 for 397000: 1x0 cpu 4500 memory 16384 queue app-x");
  }

  @Test
  void dlrm_instances_without_end_run_from_when_they_were_scheduled(@TempDir Path folder)
      throws IOException {
    String sample = Files.readString(Samples.file("alibaba-v2025.csv"));
    Path late =
        Files.writeString(
            folder.resolve("late.csv"),
            sample + "i3,CN,app-x,1,1,0,0,25,25,1,1,10.0,20.0,-1,200.0,450.0,\n");
    assertThat(Samples.jobs(late, TraceOptions.DEFAULT))
        .map(Samples::line)
        .last()
        .isEqualTo("i3 @200000 for 50000: 1x0 cpu 1000 memory 1024 queue app-x");
  }

  @Test
  void dropped_row_does_not_set_the_end_of_a_dlrm_trace(@TempDir Path folder) throws IOException {
    String sample = Files.readString(Samples.file("alibaba-v2025.csv"));
    Path odd =
        Files.writeString(
            folder.resolve("odd.csv"),
            sample + "i3,CN,app-x,1,1,0,0,25,25,1,1,10.0,20.0,-1,200.0,99999999.0,300.0\n");
    assertThat(Samples.jobs(odd, new TraceOptions(Optional.empty(), true, OptionalInt.empty())))
        .map(Samples::line)
        .containsExactlyElementsOf(lines("alibaba-v2025.csv"));
  }

  @Test
  void blank_lines_are_no_rows(@TempDir Path folder) throws IOException {
    Path airy =
        Files.writeString(
            folder.resolve("airy.csv"),
            "  \njob_id,num_gpu,submit_time,duration\r\n \t\r\na,1,0,5\n\n   \nb,1,1,5\n ");
    assertThat(Samples.jobs(airy, TraceOptions.DEFAULT))
        .map(TraceJob::id)
        .containsExactly("a", "b");
  }

  @Test
  void spot_jobs_are_gangs_of_workers() {
    assertThat(lines("alibaba-v2026.csv"))
        .containsExactly(
            "s1 @0 for 600000: 4x8 cpu 96000 user org-1 queue org-1 models A100-SXM4-80GB priority 1000",
            "s2 @30000 for 60000: 1x0+500 cpu 8000 user org-2 queue org-2 models A10");
  }

  @Test
  void swf_processors_are_gpus() {
    assertThat(lines("nasa-like.swf"))
        .containsExactly(
            "1 @0 for 100000: 4x1 user 1 told 120000 work 9",
            "2 @10000 for 500: 2x1 user 2 queue 1 work 9");
  }

  @Test
  void swf_header_states_the_start() {
    try (Trace trace = TraceFiles.open(Samples.file("nasa-like.swf"), TraceOptions.DEFAULT)) {
      assertThat(trace.start()).isEqualTo(Instant.ofEpochSecond(749458803));
      assertThat(trace.assumptions()).contains("The header says MaxProcs: 8.");
    }
  }

  /// Version 2.2: a job that was swapped out has a line for the whole, then one for each part.
  @Test
  void partial_swf_jobs_are_dropped(@TempDir Path folder) throws IOException {
    Path swapped =
        Files.writeString(
            folder.resolve("swapped.swf"),
            """
            ; Version: 2.2
            1 0 0 30 4 -1 -1 4 -1 -1 1 -1 1 1 1 -1 -1 -1
            1 -1 0 10 4 -1 -1 4 -1 -1 2 -1 1 1 1 -1 -1 -1
            1 -1 5 20 4 -1 -1 4 -1 -1 3 -1 1 1 1 -1 -1 -1
            """);
    assertThat(Samples.jobs(swapped, TraceOptions.DEFAULT))
        .map(Samples::line)
        .containsExactly("1 @0 for 30000: 4x1 queue 1 work 1");
  }

  @Test
  void swf_jobs_cancelled_before_their_start_are_dropped(@TempDir Path folder) throws IOException {
    Path cancelled =
        Files.writeString(
            folder.resolve("cancelled.swf"),
            """
            ; Version: 2.2
            1 0 0 30 4 -1 -1 4 -1 -1 1 -1 1 1 1 -1 -1 -1
            2 1 9 0 -1 -1 -1 8 200 -1 5 -1 1 1 1 -1 -1 -1
            3 2 9 0 0 -1 -1 8 200 -1 5 -1 1 1 1 -1 -1 -1
            4 3 9 0 8 -1 -1 8 -1 -1 5 -1 1 1 1 -1 -1 -1
            """);
    assertThat(Samples.jobs(cancelled, TraceOptions.DEFAULT))
        .map(Samples::line)
        .containsExactly("1 @0 for 30000: 4x1 queue 1 work 1", "4 @3000 for 0: 8x1 queue 1 work 1");
  }

  @Test
  void batsim_delays_are_read() {
    assertThat(lines("batsim.json"))
        .containsExactly(
            "w!0 @0 for 100250: 1x1 work long",
            "w!1 @5500 for 12000: 3x1 told 30000 work short",
            "w!2 @7000 for 12000: 1x1 work short");
  }

  @Test
  void own_lines_are_read() {
    assertThat(lines("muster.jsonl"))
        .containsExactly(
            "plain @0 for 60000: 1x1",
            "gang @500 for 3600000: 4x8 cpu 32000 memory 1024 user ann queue prod models H100|A100 told 7200000 priority 10 work train-x");
  }

  @Test
  void jobs_are_split_into_equal_workers() {
    var jobs = Samples.jobs(Samples.file("philly.csv"), Samples.perWorker(5));
    assertThat(jobs).map(Samples::line).first().isEqualTo("philly-2 @0 for 90500: 3x4 queue beta");
  }

  @Test
  void log_beginning_with_any_comment_is_recognised(@TempDir Path folder) throws IOException {
    Path log = folder.resolve("log");
    Files.writeString(log, "; made by hand\n" + Files.readString(Samples.file("nasa-like.swf")));
    assertThat(Samples.jobs(log, TraceOptions.DEFAULT)).isNotEmpty();
  }

  @Test
  void compressed_file_is_read_directly(@TempDir Path folder) throws IOException {
    Path zipped = folder.resolve("trace.bin");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(zipped))) {
      Files.copy(Samples.file("tiresias.csv"), out);
    }
    assertThat(Samples.jobs(zipped, TraceOptions.DEFAULT))
        .map(TraceJob::id)
        .containsExactly("7", "8");
  }
}
