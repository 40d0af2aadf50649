package dev.muster.simulator.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.simulator.file.MalformedFile;
import dev.muster.simulator.trace.format.TraceFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Mistakes of JSON traces are reported with their place.
final class BadJsonTraceTest {
  private static final String OWN = "{\"format\":\"muster-trace/v1\"}\n";

  @TempDir private Path folder;
  private Path file = Path.of("set before each test");

  @BeforeEach
  void name() {
    file = folder.resolve("t");
  }

  private void assertComplaint(String content, String complaint) throws IOException {
    Files.writeString(file, content);
    assertThatThrownBy(() -> Samples.jobs(file, TraceOptions.DEFAULT))
        .isInstanceOf(MalformedFile.class)
        .hasMessage(file + complaint);
  }

  @Test
  void attempt_that_ends_before_its_start_is_refused() throws IOException {
    assertComplaint(
        """
        [{"jobid":"a","submitted_time":"2017-10-09 07:00:00","vc":"v","user":"u","attempts":[
          {"start_time":"2017-10-09 07:02:00","end_time":"2017-10-09 07:01:00","detail":[]}]}]
        """,
        ":1:1: attempts: an attempt ends at 2017-10-09 07:01:00, before its start at 2017-10-09 07:02:00.");
  }

  private static final String PHILLY_JOB =
      "{\"jobid\":\"%s\",\"vc\":\"v\",\"submitted_time\":\"2017-10-09 07:01:55\",\"attempts\":[{\"start_time\":\"2017-10-09 07:02:00\",\"end_time\":\"2017-10-09 07:12:00\",\"detail\":[{\"gpus\":[\"gpu0\"]}]}]}";

  @Test
  void null_among_philly_jobs_is_refused() throws IOException {
    String text = "[" + PHILLY_JOB.formatted("a") + ",null,\n" + PHILLY_JOB.formatted("b") + "]";
    assertComplaint(text, ":1:1: attempts: is missing.");
    try (Trace trace = TraceFiles.open(file, Samples.skippingBad())) {
      assertThat(trace).toIterable().map(TraceJob::id).containsExactly("a", "b");
      assertThat(trace.skipped()).isEqualTo(1);
    }
  }

  @Test
  void two_philly_lists_are_refused() throws IOException {
    String list = "[" + PHILLY_JOB.formatted("a") + "]";
    assertComplaint(list + "\n" + list, ":2:1: text after the end.");
  }

  @Test
  void truncated_philly_list_is_refused() throws IOException {
    Files.writeString(file, "[" + PHILLY_JOB.formatted("a"));
    assertThatThrownBy(() -> Samples.jobs(file, TraceOptions.DEFAULT))
        .hasMessageEndingWith(
            "is not JSON: Unexpected end-of-input: expected close marker for Array.");
  }

  /// Of two on one line, or in one file, the second would be passed over without a word.
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"id\":\"a\",\"submit_ms\":0,\"run_ms\":1}{\"id\":\"b\",\"submit_ms\":0,\"run_ms\":1}|2:1",
        "{\"id\":\"a\",\"submit_ms\":0,\"run_ms\":1},|2:1"
      })
  void two_jobs_on_one_line_are_refused(String line, String place) throws IOException {
    Files.writeString(file, OWN + line + "\n");
    assertThatThrownBy(() -> Samples.jobs(file, TraceOptions.DEFAULT))
        .isInstanceOf(MalformedFile.class)
        .hasMessageStartingWith(file + ":" + place + ": ");
  }

  @Test
  void malformed_batsim_workload_is_refused_with_its_place() throws IOException {
    String workload =
        """
        {"nb_res":4,"jobs":[
          {"id":"a","subtime":0,"res":1,"profile":"p/q"},
          {"id":"b","subtime":%s,"res":1,"profile":"p/q"}],
        "profiles":{
          "n":{"type":"delay","delay":1},
          "p/q":{"type":"delay","delay":%s}}}
        """;
    assertComplaint(workload.formatted("-2", "1"), ":3:1: subtime: -2 is negative.");
    assertComplaint("{\"nb_res\":4,\"jobs\":{}}", ": has no list \"jobs\".");
    assertComplaint(workload.formatted("0", "-9"), ":6:1: delay: -9 is negative.");
  }

  @Test
  void two_batsim_workloads_are_refused() throws IOException {
    String workload =
        """
        {"nb_res":4,"jobs":[{"id":"%s","subtime":0,"res":1,"profile":"p"}],
        "profiles":{"p":{"type":"delay","delay":1}}}
        """;
    assertComplaint(workload.formatted("a") + workload.formatted("b"), ":3:1: text after the end.");
  }
}
