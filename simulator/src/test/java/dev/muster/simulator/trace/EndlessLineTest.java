package dev.muster.simulator.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.simulator.file.MalformedFile;
import dev.muster.simulator.fleet.Fleets;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// A line of any length, also in a small compressed file, is refused before it fills the memory.
final class EndlessLineTest {
  private static final int LIMIT = 1 << 20;
  private static final String OWN = "{\"format\":\"muster-trace/v1\"}\n";
  private static final String REFUSED =
      ": the line has more than 1,048,576 characters, the maximum.";

  @TempDir private Path folder;
  private Path file = Path.of("set before each test");

  @BeforeEach
  void name() {
    file = folder.resolve("t");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "muster|{\"format\":\"muster-trace/v1\"}|{\"id\":\"",
        "swf|; Version: 2.2|1 ",
        "tiresias|job_id,num_gpu,submit_time,duration|",
        "openb|name,cpu_milli,memory_mib,num_gpu,gpu_milli|\"",
      })
  void endless_line_of_a_trace_is_refused(String format, String header, String line)
      throws IOException {
    zip(header + "\n" + line);
    assertThatThrownBy(() -> Samples.jobs(file, Samples.as(format)))
        .isInstanceOf(MalformedFile.class)
        .hasMessage(file + ":2:1" + REFUSED);
  }

  @ParameterizedTest
  @ValueSource(strings = {"muster", "swf", "tiresias", "openb"})
  void endless_header_is_refused(String format) throws IOException {
    zip("");
    assertThatThrownBy(() -> Samples.jobs(file, Samples.as(format)))
        .isInstanceOf(MalformedFile.class)
        .hasMessageStartingWith(file.toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"format\":\"muster-fleet/v1\",\"levels\":[]}",
        "sn,cpu_milli,memory_mib,gpu,model"
      })
  void endless_line_of_a_fleet_is_refused(String header) throws IOException {
    zip(header + "\n\n");
    assertThatThrownBy(() -> Fleets.of(file.toString()))
        .isInstanceOf(MalformedFile.class)
        .hasMessage(file + ":3:1" + REFUSED);
  }

  @Test
  void bad_rows_that_are_skipped_do_not_include_endless_lines() throws IOException {
    zip(OWN);
    assertThatThrownBy(() -> Samples.jobs(file, Samples.skippingBad()))
        .hasMessage(file + ":2:1" + REFUSED);
  }

  /// The limit is of one line: a file of many is of any length.
  @ParameterizedTest
  @ValueSource(strings = {"\n", "\r", "\r\n"})
  void longest_lines_are_read(String end) throws IOException {
    String job = "{\"id\":\"%s\",\"submit_ms\":0,\"run_ms\":1}";
    String blanks = " ".repeat(LIMIT - job.length() + 1);
    Files.writeString(
        file, OWN + job.formatted("a") + blanks + end + job.formatted("b") + blanks + end);
    assertThat(Samples.jobs(file, TraceOptions.DEFAULT))
        .extracting(TraceJob::id)
        .containsExactly("a", "b");
  }

  @ParameterizedTest
  @ValueSource(strings = {"\n", "\r", "\r\n"})
  void line_is_counted_whatever_ends_the_lines_before_it(String end) throws IOException {
    Files.writeString(file, OWN + end + end + "x".repeat(LIMIT + 1));
    assertThatThrownBy(() -> Samples.jobs(file, TraceOptions.DEFAULT))
        .hasMessage(file + ":4:1" + REFUSED);
  }

  /// Writes a text and further characters without a line break.
  private void zip(String text) throws IOException {
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
      out.write(text.getBytes(StandardCharsets.UTF_8));
      byte[] block = "7".repeat(LIMIT).getBytes(StandardCharsets.UTF_8);
      for (int written = 0; written < 4 * LIMIT; written += block.length) {
        out.write(block);
      }
    }
  }
}
