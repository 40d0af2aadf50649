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
import org.junit.jupiter.params.provider.ValueSource;

/// Mistakes of traces are reported with file, line, column, value and a remedy.
final class BadTraceTest {
  private static final String TIRESIAS = "job_id,num_gpu,submit_time,duration\n";
  private static final String NEGATIVE = " is negative.";
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
  void malformed_number_is_refused() throws IOException {
    assertComplaint(TIRESIAS + "1,two,0,5\n", ":2:3: num_gpu: \"two\" is not a number in range.");
  }

  @Test
  void number_below_the_minimum_is_refused() throws IOException {
    assertComplaint(TIRESIAS + "1,0,0,5\n", ":2:3: num_gpu: 0 is less than 1.");
  }

  /// Rounding the second value would never end.
  @ParameterizedTest
  @ValueSource(strings = {"1e999999999", "1e-999999999"})
  void number_of_billions_of_digits_is_refused(String duration) throws IOException {
    assertComplaint(
        TIRESIAS + "1,1,0,%s\n".formatted(duration),
        ":2:7: duration: \"%s\" is not a number in range.".formatted(duration));
  }

  /// The clock of a simulation is the sum of many run times.
  @Test
  void run_time_of_more_than_a_century_is_refused() throws IOException {
    assertComplaint(
        TIRESIAS + "1,1,0,3155760001\n",
        ":2:1: Job 1: run time (3155760001000 ms) and restart (0 ms) must be at most 100 years (3155760000000 ms).");
  }

  @Test
  void truncated_log_line_is_refused() throws IOException {
    assertComplaint(
        "; Version: 2.2\n1 0 5 60 4 -1 -1 4 60 -1 1 1 1 -1 1 -1 -1\n",
        ":2:1: the line has 17 numbers instead of 18.");
  }

  /// Whether it may be a line of 18 numbers is soon found out.
  @Test
  void text_beginning_with_a_long_number_is_an_unknown_format() throws IOException {
    Files.writeString(file, "7".repeat(100) + "x\n");
    assertThatThrownBy(() -> Samples.jobs(file, TraceOptions.DEFAULT))
        .hasMessageContaining(": unknown format; it begins \"777");
  }

  @Test
  void number_too_long_for_the_parser_is_refused() throws IOException {
    Files.writeString(file, "{\"nb_res\": %s, \"jobs\": []}".formatted("7".repeat(5000)));
    assertThatThrownBy(() -> Samples.jobs(file, TraceOptions.DEFAULT))
        .isInstanceOf(MalformedFile.class)
        .hasMessageStartingWith(file + ":1:1: is not JSON: Number value length (5000) exceeds");
  }

  @Test
  void negative_number_is_refused() throws IOException {
    assertComplaint(TIRESIAS + "1,1,-3,5\n", ":2:5: submit_time: -3" + NEGATIVE);
  }

  @Test
  void mistake_after_a_quoted_value_has_its_place() throws IOException {
    String row = "\"a \"\"b\"\", c\",1,-3,5\n";
    assertComplaint(
        TIRESIAS + row, ":2:%d: submit_time: -3".formatted(1 + row.indexOf("-3")) + NEGATIVE);
  }

  @Test
  void missing_values_are_refused() throws IOException {
    assertComplaint(
        TIRESIAS + "1,1,0,5\n2,1\n", ":3:1: the row has 2 values, the header 4 columns.");
  }

  @Test
  void duplicate_job_is_refused() throws IOException {
    assertComplaint(TIRESIAS + "1,1,0,5\n1,1,0,5\n", ":3:1: duplicate job \"1\".");
  }

  @Test
  void malformed_time_is_refused() throws IOException {
    assertComplaint(
        "timestamp,duration,num_gpus\nyesterday,5,1\n",
        ":2:1: timestamp: \"yesterday\" is not a time such as 2017-10-09 07:01:55.");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "models|\"H100\"|a list",
        "priority|\"high\"|a whole number, or too large",
        "priority|2.5|a whole number, or too large",
        "one_per_node|\"yes\"|true or false",
        "mixed|1|true or false",
        "resources|7|an object",
        "queue|[\"prod\"]|a text or a number",
      })
  void value_of_another_kind_is_refused(String field, String value, String kind)
      throws IOException {
    String line = "{\"id\":\"a\",\"submit_ms\":5,\"run_ms\":9,\"%s\":%s}%n".formatted(field, value);
    assertComplaint(
        OWN + line,
        ":2:%d: %s: %s is not %s.".formatted(1 + line.indexOf('"' + field), field, value, kind));
  }

  @Test
  void model_that_is_not_text_is_refused() throws IOException {
    assertComplaint(
        OWN + "{\"id\":\"a\",\"submit_ms\":5,\"run_ms\":9,\"models\":[100]}\n",
        ":2:36: models: 100 is not a model name.");
  }

  @Test
  void unknown_format_is_refused() throws IOException {
    Files.writeString(file, "a,b,c\n1,2,3\n");
    assertThatThrownBy(() -> Samples.jobs(file, TraceOptions.DEFAULT))
        .hasMessageStartingWith(file + ": unknown format; it begins \"a,b,c\".")
        .hasMessageContaining("--format")
        .hasMessageContaining("openb");
  }

  @Test
  void wrong_format_is_refused() {
    assertThatThrownBy(() -> Samples.jobs(Samples.file("tiresias.csv"), Samples.as("helios")))
        .hasMessageContaining("[user, vc, gpu_num, node_num, state] missing.");
  }

  @Test
  void misspelt_format_is_refused_with_the_known_ones() {
    assertThatThrownBy(() -> Samples.jobs(Samples.file("tiresias.csv"), Samples.as("helio")))
        .hasMessageStartingWith("Unknown trace format \"helio\"; known: muster, openb,");
  }

  @Test
  void missing_file_is_refused() {
    assertThatThrownBy(() -> Samples.jobs(file, TraceOptions.DEFAULT))
        .hasMessage(file + ": no such file.");
  }

  @Test
  void unknown_field_of_own_format_is_refused() throws IOException {
    assertComplaint(
        OWN + "{\"id\":\"a\",\"submit_ms\":0,\"run_ms\":1,\"gpu\":1}\n",
        ":2:36: gpu: unknown field. Did you mean gpus?");
  }

  @Test
  void duplicate_field_of_own_format_is_refused() throws IOException {
    assertComplaint(
        OWN + "{\"id\":\"a\",\"submit_ms\":0,\"run_ms\":1,\"run_ms\":2}\n",
        ":2:1: duplicate field 'run_ms'.");
  }

  @Test
  void own_line_that_is_not_json_is_refused() throws IOException {
    Files.writeString(file, OWN + "{\"id\":\n");
    assertThatThrownBy(() -> Samples.jobs(file, TraceOptions.DEFAULT))
        .hasMessageStartingWith(file + ":2:1: is not JSON: ");
  }

  @Test
  void own_lines_out_of_order_are_refused() throws IOException {
    assertComplaint(
        OWN
            + "{\"id\":\"a\",\"submit_ms\":9,\"run_ms\":1}\n{\"id\":\"b\",\"submit_ms\":8,\"run_ms\":1}\n",
        ":3:11: submit_ms: 8 is before the previous job (9); lines must be sorted by submit_ms.");
  }

  @Test
  void future_version_of_own_format_is_refused() throws IOException {
    assertComplaint(
        "{\"format\":\"muster-trace/v9\"}\n",
        ":1:1: format: unknown version \"muster-trace/v9\"; supported: muster-trace/v1.");
  }

  @Test
  void skipped_rows_are_counted() throws IOException {
    Files.writeString(file, TIRESIAS + "1,1,0,5\n2,x,0,5\n3\n4,1,9,5\n");
    try (Trace trace = TraceFiles.open(file, Samples.skippingBad())) {
      assertThat(trace.skipped()).isEqualTo(2);
      assertThat(trace.next().id()).isEqualTo("1");
      assertThat(trace.next().id()).isEqualTo("4");
      assertThat(trace.hasNext()).isFalse();
    }
  }

  @Test
  void skipped_lines_of_own_format_are_counted() throws IOException {
    Files.writeString(file, OWN + "nonsense\n{\"id\":\"b\",\"submit_ms\":8,\"run_ms\":1}\n");
    try (Trace trace = TraceFiles.open(file, Samples.skippingBad())) {
      assertThat(trace.next().id()).isEqualTo("b");
      assertThat(trace.hasNext()).isFalse();
      assertThat(trace.skipped()).isEqualTo(1);
    }
  }

  @Test
  void excessive_processors_are_refused() throws IOException {
    assertComplaint(
        "; Version: 2.2\n1 0 0 10 4294967297 -1 -1 1 100 -1 1 1 1 1 1 -1 -1 -1\n",
        ":2:10: allocated processors: 4294967297 exceeds 2147483647.");
  }

  @Test
  void excessive_gpus_are_refused() throws IOException {
    assertComplaint(
        TIRESIAS + "1,2147483629,0,5\n",
        ":2:1: Job 1: workers (268435454) must be at most 100000.");
  }

  @Test
  void duplicate_of_a_used_column_is_refused() throws IOException {
    assertComplaint(
        "job_id,num_gpu,submit_time,duration,duration\n1,1,0,5,6\n",
        ":2:7: duration: duplicate column in the header.");
  }

  @Test
  void duplicates_of_unused_columns_are_accepted() throws IOException {
    Files.writeString(file, "job_id,note,note,,num_gpu,submit_time,duration,\n1,a,b,,2,3,4,\n");
    assertThat(Samples.jobs(file, TraceOptions.DEFAULT))
        .map(Samples::line)
        .containsExactly("1 @3000 for 4000: 1x2");
  }

  @Test
  void duplicate_philly_fields_are_refused() throws IOException {
    assertComplaint(
        "[{\"jobid\":\"a\",\"jobid\":\"b\",\"attempts\":[],\"submitted_time\":\"2017-10-09 07:01:55\"}]",
        ":1:22: duplicate field 'jobid'.");
  }

  @Test
  void missing_times_and_times_before_the_epoch_are_refused() throws IOException {
    String header = "job_id,user,vc,gpu_num,node_num,state,submit_time,duration\n";
    assertComplaint(
        header + "1,u,v,1,1,COMPLETED,1969-12-31 23:59:59,5\n",
        ":2:21: submit_time: 1969-12-31 23:59:59 is before 1970.");
    assertComplaint(
        header + "1,u,v,1,1,COMPLETED,nan,5\n", ":2:21: submit_time: nan is not a time.");
  }
}
